"""Print the time that the adapters add to a right call, for the frameworks that are installed.

`python benchmarks/adapters/run.py`: a table of the time without the adapter, with it, and their ratio; each is the
best of many short rounds, which take turns. The tool does nothing and mcp's session is in the process, so real calls
have a much smaller ratio.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from types import SimpleNamespace
from typing import Any

from toolgen import compile_tools
from toolgen_runtime import Conversation
from toolgen_runtime.adapters import loop

Side = Callable[[], Awaitable[Any]]
ROUNDS, CALLS = 100, 15
"""Many short rounds: on a shared machine some of them are not interrupted."""
ARGUMENTS = {"title": "Login is broken", "priority": "high"}
SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "priority": {"enum": ["low", "high"]}},
    "required": ["title"],
}
TOOL = {"name": "create_issue", "inputSchema": SCHEMA}


def create_issue(title: str, priority: str = "low") -> str:
    """Create an issue."""
    return f"{title}: {priority}"


@asynccontextmanager
async def of_loop() -> AsyncIterator[tuple[Side, Side]]:
    """A response of Chat Completions."""
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": "create_issue", "arguments": json.dumps(ARGUMENTS)},
    }
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    response = {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}
    conversation = Conversation(compile_tools([TOOL]))
    handlers = {"create_issue": lambda payload: create_issue(**payload)}

    async def plain() -> Any:
        return handlers["create_issue"](json.loads(call["function"]["arguments"]))  # type: ignore[index]

    async def checked() -> Any:
        return loop.results(response, conversation, handlers, provider="openai")

    yield plain, checked


@asynccontextmanager
async def of_mcp() -> AsyncIterator[tuple[Side, Side]]:
    """A session that answers at once."""
    from mcp.types import CallToolResult, ListToolsResult, TextContent

    from toolgen_runtime.adapters.mcp import checked

    async def list_tools() -> Any:
        return ListToolsResult.model_validate(
            {"tools": [TOOL], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        )

    async def call_tool(_name: str, arguments: Any) -> Any:
        return CallToolResult(content=[TextContent(type="text", text=create_issue(**arguments))])

    session = SimpleNamespace(list_tools=list_tools, call_tool=call_tool)
    guarded = checked(session)
    yield (
        lambda: session.call_tool("create_issue", ARGUMENTS),
        lambda: guarded.call_tool("create_issue", ARGUMENTS),
    )


@asynccontextmanager
async def of_fastmcp() -> AsyncIterator[tuple[Side, Side]]:
    """Clients in the process of their servers."""
    from fastmcp import Client, FastMCP

    from toolgen_runtime.adapters.fastmcp import ToolgenMiddleware

    async with AsyncExitStack() as stack:
        clients: list[Any] = []
        for middleware in ([], [ToolgenMiddleware()]):
            server: Any = FastMCP("issues", middleware=middleware)
            server.tool(create_issue)
            clients.append(await stack.enter_async_context(Client(server)))
        plain, checked = clients
        yield (
            lambda: plain.call_tool("create_issue", ARGUMENTS),
            lambda: checked.call_tool("create_issue", ARGUMENTS),
        )


@asynccontextmanager
async def of_llama_index() -> AsyncIterator[tuple[Side, Side]]:
    """Agents, where they call a tool."""
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.core.llms.mock import MockFunctionCallingLLM
    from llama_index.core.tools import FunctionTool

    from toolgen_runtime.adapters.llama_index import checked

    class Store:
        pass

    tool, context = FunctionTool.from_defaults(create_issue), SimpleNamespace(store=Store())
    plain, guarded = (FunctionAgent(tools=[tool], llm=MockFunctionCallingLLM()) for _ in range(2))
    checked(guarded)
    yield (
        lambda: plain._call_tool(context, tool, ARGUMENTS),  # type: ignore[arg-type]
        lambda: guarded._call_tool(context, tool, ARGUMENTS),  # type: ignore[arg-type]
    )


@asynccontextmanager
async def of_google_adk() -> AsyncIterator[tuple[Side, Side]]:
    """The plugin's callbacks around a tool."""
    from google.adk.tools import FunctionTool

    from toolgen_runtime.adapters.google_adk import ToolgenPlugin

    tool, plugin = FunctionTool(create_issue), ToolgenPlugin()
    context: Any = SimpleNamespace(
        invocation_id="1", function_call_id="1", actions=SimpleNamespace(requested_tool_confirmations={})
    )
    request = SimpleNamespace(tools_dict={tool.name: tool})
    await plugin.before_model_callback(callback_context=context, llm_request=request)

    async def plain() -> Any:
        return await tool.run_async(args=ARGUMENTS, tool_context=context)

    async def checked() -> Any:
        await plugin.before_tool_callback(tool=tool, tool_args=ARGUMENTS, tool_context=context)
        return await plugin.after_tool_callback(tool_context=context, result=await plain())

    yield plain, checked


FRAMEWORKS = {
    each.__name__[3:]: each for each in (of_loop, of_mcp, of_fastmcp, of_llama_index, of_google_adk)
}


async def seconds(side: Side) -> float:
    """Return the time of one call."""
    begun = time.perf_counter()
    for _ in range(CALLS):
        await side()
    return (time.perf_counter() - begun) / CALLS


async def row(name: str) -> str | None:
    """Return the row of a framework; None if it is not installed."""
    best = [float("inf"), float("inf")]
    try:
        async with FRAMEWORKS[name]() as sides:
            for _ in range(ROUNDS):
                for i, side in enumerate(sides):
                    best[i] = min(best[i], await seconds(side))
    except ImportError:
        return None
    without, with_it = (each * 1e6 for each in best)
    return f"| {name} | {without:.0f} µs | {with_it:.0f} µs | {with_it - without:.0f} µs | {with_it / without:.2f} |"


def main() -> None:
    print("| adapter | without | with | difference | ratio |\n| --- | --- | --- | --- | --- |")
    for name in FRAMEWORKS:
        if found := asyncio.run(row(name)):
            print(found)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    main()
