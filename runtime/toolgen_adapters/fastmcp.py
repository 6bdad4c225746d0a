"""FastMCP: a middleware that checks calls before FastMCP converts their arguments.

    mcp.add_middleware(ToolgenMiddleware())

The result of a rejected call is a `ToolResult` with `is_error`, like FastMCP's own errors. Its `meta` contains data for
your application under `toolgen`. FastMCP accepts `"5"` for an integer, but the schema does not. With `repair=True`,
such a call runs with 5.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from toolgen_adapters.call import Asking, Call
from toolgen_adapters.checks import (
    HAS_QUESTIONS,
    AdapterOptions,
    Checks,
    HostRounds,
    client_of,
    framework,
    noted,
)
from toolgen_adapters.questions import KEY, can_ask, elicit
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.calls.recent import Recent
from toolgen_runtime.conversation import Conversation

with framework("fastmcp", "fastmcp", "3.4"):
    from fastmcp.exceptions import NotFoundError
    from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
    from fastmcp.tools import Tool, ToolResult
    from mcp.types import TextContent

__all__ = ["ToolgenMiddleware"]


class ToolgenMiddleware(HostRounds, Middleware):
    """Checks every `tools/call` against the schema that the client has seen. Each connection is a
    conversation.

    A server does not see model responses or user messages, so each call is checked on its own, unless another
    middleware calls `begin_round` and `begin_turn`.
    """

    def __init__(self, **options: Unpack[AdapterOptions]) -> None:
        """Take the options of `toolgen_runtime.Registry`."""
        self._checks = Checks("ToolgenMiddleware()", options, cannot=HAS_QUESTIONS)
        self._seen: Recent[str, Tool] = Recent()
        """The tools that were listed last, by name, for calls that are accepted without a search."""

    async def on_list_tools(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Sequence[Tool]]
    ) -> Sequence[Tool]:
        """Pass on the list of tools, and record it."""
        tools = await call_next(context)
        self._seen.update((tool.name, tool) for tool in tools)
        return tools

    async def on_call_tool(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, ToolResult]
    ) -> ToolResult:
        """Reject a call that has wrong arguments, with a hint, and pass on any other."""
        message, conversation = context.message, self._conversation(context)
        name, arguments = message.name, message.arguments
        tool = self._seen.get(name)  # faster than FastMCP's own search
        if tool is not None:
            self._checks.learn(conversation, {name: tool})
        if tool is None or (name in conversation.registry and not conversation.accepts(name, arguments)):
            # A hint names only what this client may see, by the server's present tools.
            shown = await _shown(context)
            server = context.fastmcp_context
            if server and name in shown:
                tool = await server.fastmcp.get_tool(name)
            else:
                tool = None
            if tool is None:
                return await self._unknown(context, call_next, conversation, shown)
            self._seen[name] = tool
            self._checks.learn(conversation, {name: tool})
        request = _request_of(context)
        responses = getattr(context.fastmcp_context, "input_responses", None) or {}
        asking: Asking = {"can_ask": can_ask(request), "is_repeated": KEY in responses}
        call = self._checks.check(conversation, name, arguments, **asking)
        if call is None:
            return await call_next(context)
        if call.question is not None:
            asks = await elicit(call, call.question, request, responses)
            if asks is not None:
                from fastmcp.tools.base import InputRequiredToolResult

                return InputRequiredToolResult(asks)
        if not call.output.ok:
            return _refusal(call.output)
        if call.is_changed:
            context = context.copy(message=message.model_copy(update={"arguments": call.output.payload}))
        made: ToolResult = noted(*await call.result_of(call_next(context)), TextContent)
        return made

    async def _unknown(
        self,
        context: MiddlewareContext[Any],
        call_next: CallNext[Any, ToolResult],
        conversation: Conversation,
        shown: dict[str, Tool],
    ) -> ToolResult:
        """Let FastMCP respond.

        If it does not know the tool either, suggest similar names that the client sees.
        """
        try:
            return await call_next(context)
        except NotFoundError:
            if not shown:
                raise
            conversation.update(self._checks.compiled(list(shown.values())))
            return _refusal(Call(conversation, context.message.name, context.message.arguments).output)

    def _conversation(self, context: Any) -> Conversation:
        client = client_of(_request_of(context), is_alone=self._checks.asks)
        return self._checks.conversation(client)


def _request_of(context: MiddlewareContext[Any]) -> Any:
    """Return the MCP server's context of the request, if there is a request."""
    known = context.fastmcp_context
    return known and known.request_context


async def _shown(context: MiddlewareContext[Any]) -> dict[str, Tool]:
    """Return the tools that the server lists for this client after all middleware."""
    if context.fastmcp_context is None:
        return {}
    try:
        listed = await context.fastmcp_context.fastmcp.list_tools(run_middleware=True)
    except Exception:  # the call will show the server's error
        return {}
    return {tool.name: tool for tool in listed}


def _refusal(output: ToolOutput) -> ToolResult:
    return ToolResult(content=output.text(), is_error=True, meta={"toolgen": output.facts()})
