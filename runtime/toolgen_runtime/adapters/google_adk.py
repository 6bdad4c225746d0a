"""Google ADK: a plugin that refuses wrong arguments before the tool runs.

    Runner(..., plugins=[ToolgenPlugin()])

The result of a refused call is `{"error": the hint}`, the form that ADK uses for unknown tools. An invocation is a
conversation; each request to the model begins a round.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

from typing import Any, Unpack

from toolgen_runtime.adapters._checks import Checks, Recent
from toolgen_runtime.adapters._framework import framework
from toolgen_runtime.calls.options import Options
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation

with framework("google-adk"):
    from google.adk.plugins import BasePlugin


class ToolgenPlugin(BasePlugin):
    """Checks every call against the schema that the model saw."""

    def __init__(self, name: str = "toolgen", **options: Unpack[Options]) -> None:
        """Take the plugin's name and the options of `toolgen_runtime.Registry`."""
        super().__init__(name=name)
        self._checks = Checks("ToolgenPlugin()", **options)
        self._waiting: Recent[tuple[str, str | None], ToolOutput] = Recent()
        """The verdicts on calls under way, by invocation and call."""

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Record the tools that the model sees, and begin a round."""
        conversation = self._conversation(callback_context)
        specs = [self._spec(tool) for tool in llm_request.tools_dict.values()]
        self._checks.learn(conversation, *(spec for spec in specs if spec is not None))
        conversation.begin_round()

    async def before_tool_callback(
        self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any
    ) -> dict[str, Any] | None:
        """Refuse wrong arguments; with `repair`, correct them in place."""
        conversation = self._conversation(tool_context)
        output = conversation.check(tool.name, tool_args, call_id=tool_context.function_call_id)
        if not output.ok:
            return {"error": conversation.returned(output).text()}
        if output.repairs:
            tool_args.clear()
            tool_args.update(output.payload)
        self._waiting[_key(tool_context)] = output
        return None

    async def after_tool_callback(self, *, tool_context: Any, result: Any, **_: Any) -> dict[str, Any] | None:
        """Count a call that has ended."""
        output = self._waiting.pop(_key(tool_context), None)
        if (
            output is None
            or tool_context.function_call_id in tool_context.actions.requested_tool_confirmations
        ):
            return None  # a call that waits for a person comes again
        notes = self._conversation(tool_context).returned(output, result).notes
        return {**result, "note": "\n".join(notes)} if notes and isinstance(result, dict) else None

    async def on_tool_error_callback(self, *, tool_context: Any, error: BaseException, **_: Any) -> None:
        """Count a call that has failed, or was canceled."""
        output = self._waiting.pop(_key(tool_context), None)
        if output is not None:
            conversation = self._conversation(tool_context)
            if isinstance(error, Exception):
                conversation.returned(output, error)
            else:
                conversation.abandoned(output)

    def _spec(self, tool: Any) -> Any:
        declaration = tool._get_declaration()  # ADK has no public way to it
        if declaration is None:
            return None
        schema = declaration.parameters_json_schema
        if schema is None and declaration.parameters is not None:
            return declaration
        return self._checks.described(tool, tool.name, lambda: schema)

    def _conversation(self, context: Any) -> Conversation:
        return self._checks.conversation(context.invocation_id)


def _key(context: Any) -> tuple[str, str | None]:
    return context.invocation_id, context.function_call_id
