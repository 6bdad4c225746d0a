"""The calls of one run of one agent, and the state that these calls share.

A conversation has a `TurnLedger` and remembers the last hint for each tool. Limits therefore count per conversation,
and the next hint can say what changed. Create one for every user and every run; the registry lives as long as the
program.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from toolgen_runtime.calls import call
from toolgen_runtime.calls.arguments import name_meant
from toolgen_runtime.calls.attempt import Attempt
from toolgen_runtime.calls.functions import functions
from toolgen_runtime.calls.options import CallOptions as CallOptions, Options as Options
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.calls.policy import CALL_OPTIONS, OneProcess, refuse_unknown
from toolgen_runtime.calls.recent import Recent
from toolgen_runtime.calls.turn_ledger import CallCounts, TurnLedger
from toolgen_runtime.dynamic import tools_of
from toolgen_runtime.registered_tools import RegisteredTools
from toolgen_runtime.validation.issues import MISSING

if TYPE_CHECKING:
    from toolgen_runtime.calls.handler_facts import Handler
    from toolgen_runtime.calls.policy import Policy
    from toolgen_runtime.calls.rules import CallRule
    from toolgen_runtime.calls.user_question import Action, UserQuestion
    from toolgen_runtime.hints.retry_hint import RetryHint
    from toolgen_runtime.schema.node import Path
    from toolgen_runtime.validation.issues import ValidationIssue


_UNKNOWN = ""
"""The key under which the last hint about a nonexistent tool is kept."""


class Conversation(OneProcess):
    """One run of one agent. Its threads and tasks can share it safely."""

    def __init__(
        self,
        tools: Any,
        *,
        rules: Iterable[CallRule | Mapping[str, Any]] | Mapping[str, Any] | None = None,
        keep_going: bool = False,
        forget_after: float | None = None,
        **options: Unpack[CallOptions],
    ) -> None:
        """Begin a conversation with the tools of a registry, a toolset or a framework.

        Args:
            tools: a `Registry`; a toolset; toolsets by name, whose tools get this name as a prefix
                (`github_create_issue`); a mapping or list of `Tool`s; or a framework's list of tools, which needs
                `toolgen[dynamic]`. Such a list is the result of `list_tools()` of an MCP session, or contains tool
                objects of mcp, FastMCP, LangChain, pydantic-ai, OpenAI Agents, Strands, Google ADK, CrewAI or
                LlamaIndex, or their specs as JSON. Each tool is compiled only once, so passing a list again is cheap.
            rules: repair rules that you define, in the form that `toolgen audit --propose` prints: `CallRule`s, tables,
                or a whole TOML file as `tomllib` returns it. A rule is applied only if the call is valid afterwards;
                `ToolOutput.repairs` lists the change.
            keep_going: leave out tools that cannot be compiled; a call to one is treated as a call to an unknown tool.
            forget_after: the number of seconds without a call after which the next call begins a new turn. Use it in a
                program that does not see the user messages.
            options: `repair`, `repairs`, `absent`, `defaults`, `nulls`, `unknown_keys`, `max_chars`, `check_results`,
                `trust_annotations` and `ask` override the options of the registry. `per_tool` overrides them for single
                tools, by name.

        Raises:
            TypeError: `tools` are not tools (the message explains what to pass), or an option does not exist.
            ValueError: a setting is invalid, or two tools have the same name.
            ImportError: tools must be compiled, but `toolgen[dynamic]` is not installed.
            toolgen.SpecError: a tool cannot be compiled.
        """
        refuse_unknown("Conversation()", options, CALL_OPTIONS)
        self._keep_going = keep_going
        if not isinstance(tools, RegisteredTools):
            tools = RegisteredTools().with_tools(tools_of(tools, keep_going=keep_going))
        self.registry: RegisteredTools = tools
        """The tools that may be called now."""
        given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
        if rules is not None:
            from toolgen_runtime.calls.rules import rules_of

            given["rules"] = rules_of(rules, self.registry.find)
        self._policy: Policy = self.registry.policy.changed(given)
        self._hints: dict[str, RetryHint] = {}
        self._earlier = self._hints
        """The hints that new hints are compared with: those of earlier rounds, or all before `begin_round`."""
        self._asked: Recent[tuple[str, Path], str | None] = Recent()
        """The values that the user was asked for in this turn, each with the id of the call."""
        self._forget_after = forget_after
        self._used = time.monotonic()
        """The time of the last call."""
        self.ledger = TurnLedger()
        """Which calls ran, and how the others failed."""

    def update(
        self,
        tools: Any,
        *,
        rules: Iterable[CallRule | Mapping[str, Any]] | Mapping[str, Any] | None = None,
    ) -> None:
        """Replace the tools, for example after a server has sent `list_changed`.

        The options and the ledger do not change, and tools that remain keep their hints. The registry that was passed
        to the constructor does not change either. The arguments `tools` and `rules` and the errors are those of the
        constructor; `rules=None` keeps the present rules. After an error, the conversation keeps its tools.
        """
        if not isinstance(tools, RegisteredTools):
            tools = self.registry.with_tools(tools_of(tools, keep_going=self._keep_going))
        if rules is not None:
            from toolgen_runtime.calls.rules import rules_of

            self._policy = self._policy.changed({"rules": rules_of(rules, tools.find)})
        self.registry = tools
        for name in [name for name in self._hints if name not in tools]:
            self._hints.pop(name, None)
            self._earlier.pop(name, None)

    def begin_turn(self) -> CallCounts:
        """Begin the next turn when a user message arrives. Return the counts of the previous turn.

        The conversation forgets its hints.
        """
        self._hints.clear()
        self._earlier.clear()
        self._asked.clear()
        return self.ledger.begin_turn()

    def begin_round(self) -> CallCounts:
        """Begin the next round when a model response arrives. Return the counts of the previous round.

        A model makes all calls of a round at the same time, so their hints refer to earlier rounds and not to each
        other. A program that does not see the rounds calls this method once at the beginning; its calls are then never
        compared.
        """
        self._earlier = dict(self._hints)
        return self.ledger.begin_round()

    def check(
        self, name: str, arguments: Any, *, call_id: str | None = None, problem: Exception | None = None
    ) -> ToolOutput:
        """Decode and check a call that another program will run; see `Registry.check`.

        The call is not counted yet. Pass the output to `returned` when the call has ended, even if it was rejected. If
        the call must not run for another reason (it was truncated, or arrived twice), pass that reason as `problem`.
        """
        output = call.check(self._attempt(name, arguments, call_id, checking=True), problem)
        if output.ok:
            return output
        return self._remembered(output)

    def accepts(self, name: str, arguments: Any) -> bool:
        """Return whether `check` would accept a call.

        The call is not counted or logged, and no hooks run.
        """
        return self.verdict(name, arguments).ok

    def verdict(self, name: str, arguments: Any, *, call_id: str | None = None) -> ToolOutput:
        """Return the output that `check` would return for a call.

        The call is not counted or logged, and no hooks run.
        """
        attempt = Attempt(
            self.registry,
            self._policy,
            name,
            arguments,
            call_id=call_id,
            ledger=self.ledger,
            checking=True,
        )
        return call.verdict(attempt)

    def returned(self, output: ToolOutput, result: object = None) -> ToolOutput:
        """Count a checked call that another program has run, and return its output.

        Args:
            output: the output of `check`. It may also be the output of an earlier `returned` whose `state` was not
                `done`; the call then continues. An output with an error is counted and returned unchanged.
            result: the tool's result: a value, an MCP result, or the exception that the tool raised.

        Raises:
            ValueError: `output` belongs to a call that this conversation has itself run and counted.
        """
        if output.executed and output.state == "done":
            raise ValueError(
                f"{output.tool}: the call has already run and is counted; pass the output of check"
            )
        if not output.ok:
            self.ledger.record(output)
            return output
        attempt = self._attempt(output.tool, output.payload, output.call_id, checked=output)
        return self._remembered(call.returned(attempt, output, result))

    def abandoned(self, output: ToolOutput) -> None:
        """Count a call that was canceled while another program ran it.

        The call may have taken effect. The ledger counts it as executed, but neither as a success nor as a failure. The
        function that `on_call` returned is called with None.
        """
        attempt = self._attempt(output.tool, output.payload, output.call_id, checked=output)
        self.ledger.claim(None, attempt.identity)
        self.ledger.record_abandoned(attempt.identity)
        attempt.ended(None)

    def question(self, output: ToolOutput, *, is_repeated: bool = False) -> UserQuestion | None:
        """Return the question to ask the user about a rejected call, if `ask` is set and one value is missing.

        The question is only about a value that only the user can know. It never asks for a secret, and never asks twice
        in one turn. An application that can ask the user passes the answer to `answered`.

        Args:
            output: the output of `check`.
            is_repeated: return the question even if it was already asked. Use this if the application was interrupted
                and has checked the call again. A call with the same `call_id` always gets its question again.
        """
        policy = self._policy.of_tools.get(output.tool, self._policy)
        if not policy.ask or output.ok or output.tool not in self.registry:
            return None
        from toolgen_runtime.calls.user_question import question_for

        question = question_for(self.registry.facts_of(output.tool), output)
        if question is None:
            return None
        value = output.tool, question.path
        is_same_call = output.call_id is not None and self._asked.get(value) == output.call_id
        if value in self._asked and not is_repeated and not is_same_call:
            return None
        self._asked[value] = output.call_id
        return question

    def answered(self, question: UserQuestion, action: Action, content: Any = None) -> ToolOutput:
        """Complete a call with the value that the user gave, and check it again; see `check`.

        Args:
            question: the question from `question`.
            action: what the user did: "accept", "decline" or "cancel".
            content: the values from the form, by name, if the user accepted.

        Returns:
            If the user answered, the output of checking the completed call; its notes tell the model what the user
            said. Otherwise, an output that says what to do next.
        """
        if action != "accept" or not isinstance(content, Mapping) or question.key not in content:
            return self._remembered(question.unanswered("decline" if action == "decline" else "cancel"))
        content = dict(content)
        output = self.check(question.output.tool, question.filled(content), call_id=question.output.call_id)
        if output.ok:
            return replace(output, notes=(*output.notes, question.note(content)))
        return output

    def call(
        self,
        name: str,
        arguments: Any,
        handler: Handler,
        *,
        call_id: str | None = None,
        timeout: float | None = None,
    ) -> ToolOutput:
        """Decode, check, run and encode one call; see `Registry.call`.

        `timeout` is the number of seconds that the handler may take. None means the registry's setting.
        """
        return self._remembered(call.call(self._attempt(name, arguments, call_id, timeout=timeout), handler))

    async def acall(
        self,
        name: str,
        arguments: Any,
        handler: Handler,
        *,
        call_id: str | None = None,
        timeout: float | None = None,
    ) -> ToolOutput:
        """Do the same as `call`, in the running event loop; see `Registry.acall`.

        After `timeout` seconds, an async handler is canceled; a sync handler continues in its thread.
        """
        return self._remembered(
            await call.acall(self._attempt(name, arguments, call_id, timeout=timeout), handler)
        )

    def functions(self, send: Callable[[str, Any], Any]) -> dict[str, Callable[..., Awaitable[Any]]]:
        """Return an async function for each tool, for use in sandboxes that run code written by a model.

        The names and parameters are those of `toolgen export --to python-stubs`. Each function checks its arguments,
        calls `send(name, arguments)` and returns the value of the result: structured content if the tool declares an
        output schema, otherwise the text. Invalid arguments raise `InvalidPayload`, whose text is the hint. A failed
        tool raises `ToolExecutionError`.
        """
        return functions(self, send)

    def hint(
        self,
        name: str,
        problem: Iterable[ValidationIssue] | BaseException | str,
        *,
        payload: Any = MISSING,
        ran: bool = False,
    ) -> RetryHint:
        """Return the hint for a call that failed in another program; see `Registry.hint`."""
        previous = self._earlier.get(name)
        hint = self.registry.hint(name, problem, payload=payload, previous=previous, ran=ran)
        self._hints[name] = hint
        return hint

    def known_name(self, name: str) -> str | None:
        """Return the name of the tool that would run if the model called `name`; None if there is none.

        The two names differ only if the name is repaired.
        """
        if name in self.registry:
            return name
        return name_meant(self.registry, self._policy, name)

    def _attempt(self, name: str, arguments: Any, call_id: str | None, **more: Any) -> Attempt:
        """Begin a call with the tool's previous hint. Begin a turn if the last call was `forget_after` seconds ago."""
        if self._forget_after is not None:
            now = time.monotonic()
            if now - self._used > self._forget_after:
                self.begin_turn()
            self._used = now
        previous = None
        if self._earlier and isinstance(name, str):  # most calls have no hints before them
            # Calls of tools that do not exist are compared with each other, whatever their names.
            previous = self._earlier.get(self.known_name(name) or _UNKNOWN)
        return Attempt(
            self.registry,
            self._policy,
            name,
            arguments,
            call_id,
            previous=previous,
            ledger=self.ledger,
            **more,
        )

    def _remembered(self, output: ToolOutput) -> ToolOutput:
        """Keep the hint for the tool's next call. Forget the old hint if the tool ran and there is no new one."""
        hint = output.retry_hint
        if hint is not None:
            self._hints[_UNKNOWN if hint.reason == "unknown_tool" else output.tool] = hint
        elif output.executed and output.state == "done":
            self._hints.pop(output.tool, None)
            self._hints.pop(_UNKNOWN, None)
        return output

    def __repr__(self) -> str:
        return f"Conversation({self.registry!r})"
