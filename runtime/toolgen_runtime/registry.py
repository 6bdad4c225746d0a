"""`Registry`: the tools that a model may call, with the rules for calling them and the hints when a call fails."""

from __future__ import annotations

from toolgen_runtime.calls.policy import OneProcess, Policy, refuse_unknown
from toolgen_runtime.exports import loaded_late
from toolgen_runtime.registered_tools import RegisteredTools
from toolgen_runtime.validation.issues import MISSING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Unpack

    from toolgen_runtime.calls.handler_facts import Handler
    from toolgen_runtime.calls.options import CallOptions, Options
    from toolgen_runtime.calls.output import ToolOutput
    from toolgen_runtime.calls.policy import Absent
    from toolgen_runtime.calls.turn_ledger import TurnLedger
    from toolgen_runtime.conversation import Conversation
    from toolgen_runtime.hints.registry_hint import HintedTool
    from toolgen_runtime.hints.retry_hint import RetryHint
    from toolgen_runtime.validation.issues import ValidationIssue
    from toolgen_runtime.validation.tool import Tool

_calls = loaded_late("toolgen_runtime.calls.call")


class Registry(RegisteredTools, OneProcess):
    """Registered toolsets, their facts, and the rules for calling them; lives as long as the application.

    A registry does not remember calls; a conversation does (`conversation()`). Iterating over a registry yields the
    names of its tools. Reading it during a registration is safe, because all names are added in one step.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        """Create a registry without tools and, by default, without limits.

        Args:
            caps: the limits of a hint.
            allow: the names that may be called; other registered tools are `not_permitted`.
            calls_per_turn: how many tools may run in one turn of a conversation; the next call is
                `limit_exceeded`.
            timeout: seconds that a handler may take.
            repair: fix wrong arguments that have only one possible reading; False by default.
            absent: "empty", the default, treats a call without arguments (`None`, `""`) as `{}`; "refuse" refuses
                it.
            unknown_keys: for keys that the schema does not declare: "schema", the default, accepts keys that the
                schema allows; "note" adds a note for the model; "refuse" reports an issue with the constraint
                `unknownKey`; "drop" removes them with a note if the rest is valid, but refuses the call if the key
                could restrict the call or be a misspelt field.
            max_chars: the maximum length of a hint's text, 600 by default.
            check_results: "note" compares a structured result with the tool's output schema and adds the differences
                to the text for the model; results are never refused. By default "ignore".
            trust_annotations: rely on a tool's annotations. A tool that is read-only or idempotent may then be called
                again after a timeout or a broken connection, and `repair` removes a forbidden null from a call that
                only reads or adds. Use it for servers that you trust; by default annotations are not relied on.
            per_tool: options for single tools, by the names that the model sees:
                `{"git_log": {"unknown_keys": "refuse", "timeout": 5}}`.
            on_call, on_issue: hooks that see every call and every issue; see `toolgen_runtime.calls.hooks`.
            secrets: keys, in any spelling (`api_key`, `apiKey`), whose values are masked in hints, issues, logs and
                repairs. Values that the schemas declare secret are masked too.

        Raises:
            TypeError: there is no such option; the message names the one that may be meant.
            ValueError: a setting is invalid.
        """
        refuse_unknown("Registry()", options)
        self._caps = options.pop("caps", None)
        self.policy = Policy(**options)
        """The settings, checked."""
        super().__init__(self.policy.secrets)
        self._hinted: dict[str, HintedTool] = {}

    def with_tools(self, toolset: Mapping[str, Tool[Any]]) -> Registry:
        """Return a registry of other tools with the settings of this one."""
        other = Registry.__new__(Registry)  # the policy is checked already
        RegisteredTools.__init__(other, self.secret_names)
        other._caps, other.policy, other._hinted = self._caps, self.policy, {}
        other.register(toolset)
        return other

    # -- hints ----------------------------------------------------------------------------------------------

    def hint(
        self,
        tool: str,
        problem: Iterable[ValidationIssue] | BaseException | str,
        *,
        payload: Any = MISSING,
        previous: RetryHint | None = None,
        ran: bool = False,
    ) -> RetryHint:
        """Return the hint for a call that failed.

        Args:
            tool: the name that the model called; it may be unknown.
            problem: the issues, an exception (`issues()` has priority over its message), or an error message.
            payload: the arguments, parsed, if they are known.
            previous: the previous hint, if this is not the model's first attempt.
            ran: whether the tool ran; the hint then says "failed" instead of "was not run".
        """
        known = self._hinted.get(tool)
        if known is None:
            from toolgen_runtime.hints.registry_hint import hinted_tool, unknown_tool_hint

            known = hinted_tool(self, tool, self._caps)
            if known is None:
                return unknown_tool_hint(self, tool, self._caps, previous)
            self._hinted[tool] = known
        return known.hint(problem, payload=payload, previous=previous, ran=ran)

    # -- calls ----------------------------------------------------------------------------------------------

    def conversation(
        self, *, forget_after: float | None = None, **options: Unpack[CallOptions]
    ) -> Conversation:
        """Return a new conversation over these tools; `options` are those of `Conversation`."""
        from toolgen_runtime.conversation import Conversation

        return Conversation(self, forget_after=forget_after, **options)

    def check(
        self,
        tool: str,
        arguments: Any,
        *,
        call_id: str | None = None,
        previous: RetryHint | None = None,
        turns: TurnLedger | None = None,
        absent: Absent | None = None,
    ) -> ToolOutput:
        """Decode and check one call without running or counting it.

        The output's `executed` is False. If `ok` is true, the call may run with `payload`, which includes
        repairs. The other arguments are those of `call`; `turns` decides on the limit of calls.
        """
        calls = _calls()
        request = calls.CallRequest(tool, arguments, call_id, previous, absent=absent)
        output: ToolOutput = calls.check(self, self.policy, request, turns)
        return output

    def call(
        self,
        tool: str,
        arguments: Any,
        handler: Handler,
        *,
        call_id: str | None = None,
        previous: RetryHint | None = None,
        turns: TurnLedger | None = None,
        timeout: float | None = None,
        absent: Absent | None = None,
    ) -> ToolOutput:
        """Decode, check, run and encode one call. Every failure is returned as data.

        Args:
            tool: the name that the model called.
            arguments: the arguments that the model sent, as JSON text or as an object.
            handler: runs the tool, sync or async; its annotation selects the payload model or the plain payload
                (docs/calls/handlers.md).
            call_id: the provider's id of the call.
            previous: the hint of this tool's last call.
            turns: the ledger that counts the call. A `Conversation` passes this and `previous` for you.
            timeout: seconds for this call, instead of the registry's.
            absent: overrides the registry's setting for this call.

        Raises:
            TypeError: the handler cannot take this tool's payload.
        """
        calls = _calls()
        request = calls.CallRequest(tool, arguments, call_id, previous, timeout, absent)
        output: ToolOutput = calls.call(self, self.policy, request, handler, turns)
        return output

    async def acall(
        self,
        tool: str,
        arguments: Any,
        handler: Handler,
        *,
        call_id: str | None = None,
        previous: RetryHint | None = None,
        turns: TurnLedger | None = None,
        timeout: float | None = None,
        absent: Absent | None = None,
    ) -> ToolOutput:
        """Do the same as `call` in the running event loop; a sync handler runs in its own thread.

        After `timeout` seconds, the argument's or the registry's, an async handler is canceled, and a sync one
        continues in its thread; the output's kind is `timeout`.
        """
        calls = _calls()
        request = calls.CallRequest(tool, arguments, call_id, previous, timeout, absent)
        output: ToolOutput = await calls.acall(self, self.policy, request, handler, turns)
        return output
