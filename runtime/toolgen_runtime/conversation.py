"""`Conversation`: the calls of one run of one agent, with what its registry does not keep.

It owns the `TurnLedger` and remembers the last hint of each tool, so that limits count per conversation and
the next hint says what changed. Make one for every user and run; the registry lives as long as the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolgen_runtime.calls import call
from toolgen_runtime.calls.ledger import CallCounts, TurnLedger
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.calls.request import CallRequest
from toolgen_runtime.registry import Registry
from toolgen_runtime.validation.issues import MISSING

if TYPE_CHECKING:
    from toolgen_runtime.calls.handlers import Handler
    from toolgen_runtime.calls.limits import Absent
    from toolgen_runtime.hints.model import RetryHint
    from toolgen_runtime.validation.issues import ValidationIssue
    from toolgen_runtime.validation.tool import Tool


class Conversation:
    """One run of one agent; safe to share between its threads and tasks."""

    def __init__(
        self,
        tools: Registry | Mapping[str, Tool[Any]],
        *,
        repair: bool | None = None,
        absent: Absent | None = None,
        max_chars: int | None = None,
    ) -> None:
        """Begin a conversation over a registry's tools, or over those of a toolset.

        Args:
            tools: a registry, or a toolset to register in one of its own.
            repair, absent, max_chars: see `Registry`; the registry's own settings where they are None.

        Raises:
            TypeError: `tools` is neither.
            ValueError: a setting that cannot work.
        """
        if isinstance(tools, Registry):
            self.registry = tools
        else:
            self.registry = Registry()
            self.registry.register(tools)
        settings = {"repair": repair, "absent": absent, "max_chars": max_chars}
        given: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
        self._policy = replace(self.registry.policy, **given)
        self._hints: dict[str, RetryHint] = {}
        self.ledger = TurnLedger()
        """Which calls ran, and how the others failed."""

    def begin_turn(self) -> CallCounts:
        """Begin the next turn, at a message of the user; return the counts of the turn that ended.

        The hints are forgotten: what failed is asked for anew.
        """
        self._hints.clear()
        return self.ledger.begin_turn()

    def begin_round(self) -> CallCounts:
        """Begin the next round, at an answer of the model; return the counts of the round that ended."""
        return self.ledger.begin_round()

    def check(self, name: str, arguments: Any, *, call_id: str | None = None) -> ToolOutput:
        """Decode and check one call that something else is to run; see `Registry.check`.

        Nothing is counted: give the output to `returned` when the call is over, a refused one too.
        """
        request = self._request(name, arguments, call_id)
        output = call.check(self.registry, self._policy, request, self.ledger)
        return output if output.ok else self._remembered(output)

    def returned(self, output: ToolOutput, result: object = None) -> ToolOutput:
        """Count a call that `check` has seen, and return how it ended.

        Args:
            output: what `check` returned. One that is not ok is counted and returned as it is.
            result: what running the tool gave: a value, an MCP result, or the exception that it raised.

        Raises:
            ValueError: `output` is of a call that ran here, and is counted already.
        """
        if output.executed:
            raise ValueError(f"{output.tool}: the call ran, and is counted already; give what check returned")
        if not output.ok:
            self.ledger.record(output)
            return output
        request = self._request(output.tool, output.payload, output.call_id)
        return self._remembered(
            call.returned(self.registry, self._policy, request, output, result, self.ledger)
        )

    def call(
        self,
        name: str,
        arguments: Any,
        handler: Handler,
        *,
        call_id: str | None = None,
        timeout: float | None = None,
    ) -> ToolOutput:
        """Decode, check, run and encode one call; see `Registry.call`."""
        request = self._request(name, arguments, call_id, timeout)
        return self._remembered(call.call(self.registry, self._policy, request, handler, self.ledger))

    async def acall(
        self,
        name: str,
        arguments: Any,
        handler: Handler,
        *,
        call_id: str | None = None,
        timeout: float | None = None,
    ) -> ToolOutput:
        """`call` in the running event loop; see `Registry.acall`."""
        request = self._request(name, arguments, call_id, timeout)
        return self._remembered(await call.acall(self.registry, self._policy, request, handler, self.ledger))

    def hint(
        self,
        name: str,
        problem: Iterable[ValidationIssue] | BaseException | str,
        *,
        payload: Any = MISSING,
        ran: bool = False,
    ) -> RetryHint:
        """Return what to tell the model about a call that failed elsewhere; see `Registry.hint`."""
        hint = self.registry.hint(name, problem, payload=payload, previous=self._hints.get(name), ran=ran)
        self._hints[name] = hint
        return hint

    def _request(
        self, name: str, arguments: Any, call_id: str | None, timeout: float | None = None
    ) -> CallRequest:
        previous = self._hints.get(name) if isinstance(name, str) else None
        return CallRequest(name, arguments, call_id, previous, timeout)

    def _remembered(self, output: ToolOutput) -> ToolOutput:
        """Keep the output's hint for the tool's next call; a call without one ends the row of failures."""
        if output.retry_hint is not None:
            self._hints[output.tool] = output.retry_hint
        elif output.executed:
            self._hints.pop(output.tool, None)
        return output

    def __repr__(self) -> str:
        return f"Conversation({self.registry!r})"
