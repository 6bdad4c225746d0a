"""Google ADK: a plugin that rejects wrong arguments before the tool runs.

    Runner(..., plugins=[ToolgenPlugin()])

The result of a rejected call is `{"error": the hint}`, the form that ADK itself uses for unknown tools. Each agent in
an invocation has its own conversation, and each request to the model begins a round.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from typing import Any, Unpack

from toolgen_adapters.call import Call
from toolgen_adapters.checks import LIST_SECONDS, AdapterOptions, Checks, framework, reported
from toolgen_runtime.calls.recent import Recent, Same
from toolgen_runtime.conversation import Conversation

with framework("google-adk", "google-adk", "2.12"):
    from google.adk.plugins import BasePlugin
    from google.adk.tools import BaseTool, FunctionTool
    from google.adk.tools.base_toolset import BaseToolset

__all__ = ["ToolgenPlugin"]


class ToolgenPlugin(BasePlugin):
    """Checks every call against the schema of the tool that ADK is about to run."""

    def __init__(self, name: str = "toolgen", **options: Unpack[AdapterOptions]) -> None:
        """Take the plugin's name and the options of `toolgen_runtime.Registry`."""
        super().__init__(name=name)
        self._checks = Checks("ToolgenPlugin()", options)
        self._shown: Recent[Hashable, dict[str, Any]] = Recent()
        """The tools that each agent's model saw last, for the hint about an unknown name."""

    async def before_agent_callback(self, *, callback_context: Any, **_: Any) -> None:
        """Begin a turn before the agent runs.

        The same agent may run again after earlier mistakes, in a loop or for another agent.
        """
        self._conversation(callback_context).begin_turn()

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Begin a round, and record the tools that the model sees."""
        self._shown[_run(callback_context)] = dict(llm_request.tools_dict)
        self._conversation(callback_context).begin_round()

    async def before_tool_callback(
        self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any
    ) -> dict[str, Any] | None:
        """Reject wrong arguments, with a hint. With `repair`, correct them in place instead."""
        conversation, call_id = self._conversation(tool_context), tool_context.function_call_id
        if type(tool) is BaseTool:  # ADK's stand-in for a tool that does not exist
            self._checks.learn(conversation, self._shown.get(_run(tool_context), {}), _same)
            return {"error": Call(conversation, tool.name, tool_args, call_id).output.text()}
        self._checks.learn(conversation, {tool.name: tool}, _same)
        if tool.name in conversation.registry and not conversation.accepts(tool.name, tool_args):
            now = await _listed_now(tool, tool_context)
            if now is not None:
                self._checks.learn(conversation, {tool.name: now})
        call = self._checks.check(conversation, tool.name, tool_args, call_id=call_id)
        if call is None:
            return None
        if not call.output.ok:
            return {"error": call.output.text()}
        call.repair(tool_args)
        self._checks.running[_run(tool_context), call_id] = call
        return None

    async def after_tool_callback(self, *, tool_context: Any, result: Any, **_: Any) -> dict[str, Any] | None:
        """Count a call that has ended."""
        call_id = tool_context.function_call_id
        if call_id in tool_context.actions.requested_tool_confirmations:
            return None  # the call waits for a person and is made again
        is_error = isinstance(result, dict) and result.keys() == {"error"}
        if is_error:
            ended = reported(str(result["error"]), True)
        else:
            ended = result
        note = self._checks.ended((_run(tool_context), call_id), ended)
        if not note:
            return None
        return {**(result if isinstance(result, dict) else {"result": result}), "note": note}

    async def on_tool_error_callback(self, *, tool_context: Any, error: BaseException, **_: Any) -> None:
        """Count a call that has failed or was canceled."""
        self._checks.ended((_run(tool_context), tool_context.function_call_id), error)

    def _conversation(self, context: Any) -> Conversation:
        return self._checks.conversation(_run(context))


def _run(context: Any) -> Hashable:
    """Return an identifier for the run of an agent. Parallel agents share the invocation, but not the branch."""
    branch = getattr(getattr(context, "_invocation_context", None), "branch", None)
    return context.invocation_id, branch, context.agent_name


def _same(tool: Any) -> Hashable:
    """Return the function of a tool, because ADK wraps functions in new tools at each request to the model."""
    return Same(tool.func if type(tool) is FunctionTool else tool)


async def _listed_now(tool: BaseTool, context: Any) -> BaseTool | None:
    """Return the present tool of a toolset, such as an MCP server. ADK lists the tools once for each invocation."""
    try:
        async with asyncio.timeout(LIST_SECONDS):
            for toolset in context._invocation_context.agent.tools:
                if isinstance(toolset, BaseToolset) and tool in await toolset.get_tools_with_prefix(context):
                    prefix = toolset.tool_name_prefix
                    own_name = tool.name.removeprefix(f"{prefix}_")
                    return next((t for t in await toolset.get_tools(context) if t.name == own_name), None)
    except Exception:  # the call is checked against the tool that the model saw
        pass
    return None
