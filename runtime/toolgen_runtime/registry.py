"""The tools that a model may call, and the rules for calling them (`Registry`)."""

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
    """The registered toolsets and the rules for calling their tools. A registry lives as long as the application.

    A registry does not remember calls; a conversation does (`conversation()`).
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        """Create a registry without tools and, by default, without limits.

        Args:
            allow: the names of the tools that may be called. A call to any other registered tool is `not_permitted`.
            calls_per_turn: the number of tool calls that may run in one turn of a conversation. The next call fails
                with `limit_exceeded`.
            timeout: the number of seconds that a handler may take.
            repair: fix wrong arguments if only one interpretation is possible. False by default.
            repairs: whether to tell the model what was repaired. "tell", the default, adds a line to the text for the
                model; "silent" does not. `ToolOutput.repairs` lists every change in either case.
            absent: how to treat a call without arguments (`None`, `""`). "empty", the default, reads it as `{}`;
                "reject" rejects it.
            defaults: how to treat a missing required field that has a default in the schema. "fill", the default, uses
                that value, unless an unknown key may be a misspelling of the field; "require" reports an issue.
            nulls: how to treat null where the schema does not allow it. "schema", the default, reports an issue; "omit"
                removes the null if the field is optional and its description does not say what absence means.
            unknown_keys: how to treat keys that the schema does not declare. "note", the default, accepts the keys that
                the schema allows, and adds a note for the model if a key is probably a misspelled field. "schema" does
                the same without notes. "reject" reports an issue with the constraint `unknownKey`. "drop" removes the
                keys and adds a note if the rest is valid, but rejects the call if a key may restrict the call or be a
                misspelled field.
            max_chars: the maximum length of a hint's text, 600 by default.
            max_failures: the number of failed calls to a tool in one turn, without a valid call between them, after
                which the hint tells the model to stop; 5 by default. The calls may fail for different reasons.
            check_results: how to treat a structured result that breaks the tool's output schema. "note", the default,
                adds the differences to the text for the model; "reject" makes the call fail; "off" does not check
                results. Checking needs `toolgen[dynamic]`; without it, results are not checked by default.
            trust_annotations: rely on the annotations of tools; off by default. A tool that is read-only or idempotent
                may then be called again after a timeout or a broken connection, and `repair` removes a forbidden null
                from a call to a read-only tool. Use this option only for servers that you trust.
            ask: let the application ask the user for a value that only the user can know. Only some adapters support
                this.
            per_tool: options for single tools, by the names that the model sees: `{"git_log": {"unknown_keys":
                "reject", "timeout": 5}}`.
            on_call, on_issue: hooks that see every call and every issue; see `toolgen_runtime.calls.hooks`.
            secrets: keys, in any spelling (`api_key`, `apiKey`), whose values are masked in hints, issues, logs and
                repairs. Values that a schema declares secret are masked too.

        Raises:
            TypeError: an option does not exist; the message suggests a similar one.
            ValueError: a setting is invalid.
        """
        refuse_unknown("Registry()", options)
        super().__init__(Policy(**options))

    def conversation(
        self, *, forget_after: float | None = None, **options: Unpack[CallOptions]
    ) -> Conversation:
        """Start a conversation with these tools. `options` are those of `Conversation`."""
        return Conversation(self, forget_after=forget_after, **options)

    def check(self, tool: str, arguments: Any, *, call_id: str | None = None) -> ToolOutput:
        """Decode and check one call without running it.

        `executed` is False in the output. If `ok` is true, the call may run with `payload`, which includes the repairs.
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
        """Decode, check, run and encode one call. Every failure is returned as data, not raised.

        Args:
            tool: the name that the model called.
            arguments: the arguments that the model sent, as JSON text or as an object.
            handler: a sync or async function that runs the tool. Its annotation selects the payload model or the plain
                payload (docs/calls/handlers.md).
            call_id: the provider's id of the call.
            timeout: the number of seconds that this call may take, instead of the registry's setting.

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
        """Do the same as `call`, in the running event loop. A sync handler runs in its own thread.

        After `timeout` seconds (the argument's value, or else the registry's), an async handler is canceled and a sync
        handler continues in its thread. The kind of the output is then `timeout`.
        """
        attempt = Attempt(self, self.policy, tool, arguments, call_id, timeout=timeout)
        return await calls.acall(attempt, handler)
