"""Google ADK: a plugin that refuses wrong arguments before the tool runs.

    Runner(..., plugins=[ToolgenPlugin()])

The result of a refused call is `{"error": the hint}`, the form that ADK uses for unknown tools. An invocation is a
conversation; each request to the model begins a round.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

from typing import Any, Unpack

from toolgen_adapters.checks import Call, Checks, framework
from toolgen_runtime.conversation import Conversation, Options

with framework("google-adk"):
    from google.adk.plugins import BasePlugin


class ToolgenPlugin(BasePlugin):
    """Checks every call against the schema that the model saw."""

    def __init__(self, name: str = "toolgen", **options: Unpack[Options]) -> None:
        """Take the plugin's name and the options of `toolgen_runtime.Registry`."""
        super().__init__(name=name)
        self._checks = Checks("ToolgenPlugin()", **options)

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Record the tools that the model sees, and begin a round."""
        conversation = self._conversation(callback_context)
        self._checks.learn(conversation, llm_request.tools_dict)
        conversation.begin_round()

    async def before_tool_callback(
        self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any
    ) -> dict[str, Any] | None:
        """Refuse wrong arguments; with `repair`, correct them in place."""
        conversation = self._conversation(tool_context)
        call = Call(conversation, tool.name, tool_args, tool_context.function_call_id)
        if not call.output.ok:
            return {"error": call.output.text()}
        call.repair(tool_args)
        self._checks.running[_key(tool_context)] = call
        return None

    async def after_tool_callback(self, *, tool_context: Any, result: Any, **_: Any) -> dict[str, Any] | None:
        """Count a call that has ended."""
        if tool_context.function_call_id in tool_context.actions.requested_tool_confirmations:
            return None  # the call waits for a person and is made again
        note = self._checks.ended(_key(tool_context), result)
        return {**result, "note": note} if note and isinstance(result, dict) else None

    async def on_tool_error_callback(self, *, tool_context: Any, error: BaseException, **_: Any) -> None:
        """Count a call that has failed, or was canceled."""
        self._checks.ended(_key(tool_context), error)

    def _conversation(self, context: Any) -> Conversation:
        return self._checks.conversation(context.invocation_id)


def _key(context: Any) -> tuple[str, str | None]:
    return context.invocation_id, context.function_call_id
