"""FastMCP: a middleware that checks calls before FastMCP coerces their arguments.

    mcp.add_middleware(ToolgenMiddleware())

A refused call gets a `ToolResult` with `is_error`, like FastMCP's own errors; its `meta` has data for the host under
`toolgen`. FastMCP accepts `"5"` for an integer, but the schema does not. With `repair=True` such a call runs with 5.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from toolgen_adapters.checks import Call, Checks, HostRounds, client_of, framework, is_right, noted
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.calls.recent import Recent
from toolgen_runtime.conversation import Conversation, Options

with framework("fastmcp"):
    from fastmcp.exceptions import NotFoundError
    from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
    from fastmcp.tools import Tool, ToolResult
    from mcp.types import TextContent


class ToolgenMiddleware(HostRounds, Middleware):
    """Checks every `tools/call` against the schema that the client saw; a connection is a conversation.

    A server does not see the model's answers or the user's questions, so each call is checked without regard to
    earlier calls, unless another middleware calls `begin_round` and `begin_turn`.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        """Take the options of `toolgen_runtime.Registry`."""
        self._checks = Checks("ToolgenMiddleware()", **options)
        self._seen: Recent[str, Tool] = Recent()
        """The tools that clients saw last, by name."""

    async def on_list_tools(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Sequence[Tool]]
    ) -> Sequence[Tool]:
        """Record the tools that a client sees."""
        tools = await call_next(context)
        self._seen.update((tool.name, tool) for tool in tools)
        return tools

    async def on_call_tool(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, ToolResult]
    ) -> ToolResult:
        """Refuse wrong arguments; pass all other calls on."""
        message, conversation = context.message, self._conversation(context)
        tool = self._seen.get(message.name)  # faster than FastMCP's own search
        if tool is not None:
            self._checks.learn(conversation, {tool.name: tool})
        if tool is None or not is_right(conversation.registry, message.name, message.arguments):
            server = context.fastmcp_context
            tool = await server.fastmcp.get_tool(message.name) if server else None
            if tool is None:
                return await self._unknown(context, call_next, conversation)
            self._seen[tool.name] = tool
            self._checks.learn(conversation, {message.name: tool})
        call = self._checks.check(conversation, message.name, message.arguments)
        if call is None:
            return await call_next(context)
        if not call.output.ok:
            return _refusal(call.output)
        if call.output.repairs:
            context = context.copy(message=message.model_copy(update={"arguments": call.output.payload}))
        made: ToolResult = noted(*await call.result_of(call_next(context)), TextContent)
        return made

    async def _unknown(
        self,
        context: MiddlewareContext[Any],
        call_next: CallNext[Any, ToolResult],
        conversation: Conversation,
    ) -> ToolResult:
        """Let FastMCP answer; if it does not know the tool either, suggest similar names."""
        try:
            return await call_next(context)
        except NotFoundError:
            if context.fastmcp_context is None:
                raise
            listed = await context.fastmcp_context.fastmcp.list_tools(run_middleware=False)
            conversation.update(self._checks.compiled(list(listed)))
            return _refusal(Call(conversation, context.message.name, context.message.arguments).output)

    def _conversation(self, context: Any) -> Conversation:
        known = context.fastmcp_context
        return self._checks.conversation(client_of(known and known.request_context))


def _refusal(output: ToolOutput) -> ToolResult:
    return ToolResult(content=output.text(), is_error=True, meta={"toolgen": output.facts()})
