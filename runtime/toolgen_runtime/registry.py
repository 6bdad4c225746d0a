"""`Registry`: the tools that a model may call, with the rules for calling them and the hints when a call fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from toolgen_runtime.calls import call as calls
from toolgen_runtime.calls.attempt import Attempt
from toolgen_runtime.calls.policy import Policy, refuse_unknown
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.registered_tools import RegisteredTools

if TYPE_CHECKING:
    from toolgen_runtime.calls.handler_facts import Handler
    from toolgen_runtime.calls.options import CallOptions, Options
    from toolgen_runtime.calls.output import ToolOutput


class Registry(RegisteredTools):
    """Registered toolsets, their facts, and the rules for calling them; lives as long as the application.

    A registry does not remember calls; a conversation does (`conversation()`).
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        """Create a registry without tools and, by default, without limits.

        Args:
            allow: the names that may be called; other registered tools are `not_permitted`.
            calls_per_turn: how many tools may run in one turn of a conversation; the next call is
                `limit_exceeded`.
            timeout: seconds that a handler may take.
            repair: fix wrong arguments that have only one possible reading; False by default.
            repairs: "tell", the default, adds a line to the text for the model that says what was repaired; "silent"
                adds none. `ToolOutput.repairs` lists every change.
            absent: "empty", the default, treats a call without arguments (`None`, `""`) as `{}`; "reject" rejects
                it.
            defaults: "fill", the default, gives a required field that was not sent the default of its schema, if no
                unknown key may be meant for the field; "require" reports an issue.
            nulls: "schema", the default, reports an issue for null that the schema does not take; "omit" leaves it
                out if the field is optional and its description does not say what absence means.
            unknown_keys: for keys that the schema does not declare: "note", the default, accepts keys that the schema
                allows, and adds a note for the model about each that is probably a misspelled field; "schema" adds
                none; "reject" reports an issue with the constraint `unknownKey`; "drop" removes them with a note if
                the rest is valid, but rejects the call if the key could restrict the call or be a misspelled field.
            max_chars: the maximum length of a hint's text, 600 by default.
            max_failures: after this many failed calls of a tool in a turn, with no valid one between, the hint tells
                the model to stop, whatever was wrong; 5 by default.
            check_results: how to treat a structured result that breaks the tool's output schema: "note", the default,
                adds the differences to the text for the model; with "reject" the call has failed; "off" does not
                check. It needs `toolgen[dynamic]`; without that, results are not checked by default.
            trust_annotations: rely on a tool's annotations. A tool that is read-only or idempotent may then be called
                again after a timeout or a broken connection, and `repair` removes a forbidden null from a call of a
                tool that only reads. Use it for servers that you trust; by default annotations are not relied on.
            ask: ask the user, through the host, for a value that only they can know; see the adapters that can.
            per_tool: options for single tools, by the names that the model sees:
                `{"git_log": {"unknown_keys": "reject", "timeout": 5}}`.
            on_call, on_issue: hooks that see every call and every issue; see `toolgen_runtime.calls.hooks`.
            secrets: keys, in any spelling (`api_key`, `apiKey`), whose values are masked in hints, issues, logs and
                repairs. Values that the schemas declare secret are masked too.

        Raises:
            TypeError: there is no such option; the message names the one that may be meant.
            ValueError: a setting is invalid.
        """
        refuse_unknown("Registry()", options)
        super().__init__(Policy(**options))

    def conversation(
        self, *, forget_after: float | None = None, **options: Unpack[CallOptions]
    ) -> Conversation:
        """Return a new conversation with these tools; `options` are those of `Conversation`."""
        return Conversation(self, forget_after=forget_after, **options)

    def check(self, tool: str, arguments: Any, *, call_id: str | None = None) -> ToolOutput:
        """Decode and check one call without running it.

        The output's `executed` is False. If `ok` is true, the call may run with `payload`, which includes repairs.
        """
        attempt = Attempt(self, self.policy, tool, arguments, call_id, checking=True)
        return calls.check(attempt)

    def call(
        self,
        tool: str,
        arguments: Any,
        handler: Handler,
        *,
        call_id: str | None = None,
        timeout: float | None = None,
    ) -> ToolOutput:
        """Decode, check, run and encode one call. Every failure is returned as data.

        Args:
            tool: the name that the model called.
            arguments: the arguments that the model sent, as JSON text or as an object.
            handler: runs the tool, sync or async; its annotation selects the payload model or the plain payload
                (docs/calls/handlers.md).
            call_id: the provider's id of the call.
            timeout: seconds for this call, instead of the registry's.

        Raises:
            TypeError: the handler cannot take this tool's payload.
        """
        attempt = Attempt(self, self.policy, tool, arguments, call_id, timeout=timeout)
        return calls.call(attempt, handler)

    async def acall(
        self,
        tool: str,
        arguments: Any,
        handler: Handler,
        *,
        call_id: str | None = None,
        timeout: float | None = None,
    ) -> ToolOutput:
        """Do the same as `call` in the running event loop; a sync handler runs in its own thread.

        After `timeout` seconds, the argument's or the registry's, an async handler is canceled, and a sync one
        continues in its thread; the output's kind is `timeout`.
        """
        attempt = Attempt(self, self.policy, tool, arguments, call_id, timeout=timeout)
        return await calls.acall(attempt, handler)
