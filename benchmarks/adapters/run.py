"""Print the time that the adapters add to a valid call, for the installed frameworks.

`python benchmarks/adapters/run.py` prints a table of the time without the adapter, with it, and their ratio; each is
the best of many short rounds, in turns, in processor time. The tool returns at once and mcp's session is in the
process, so real calls have a much smaller ratio.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

from toolgen import compile_tools
from toolgen_adapters import loop
from toolgen_runtime import Conversation, spread

Side = Callable[[], Awaitable[Any]]
ROUNDS, CALLS = 100, 15
"""Many short rounds, because on a shared machine only some of them are not interrupted."""
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


async def create_issue_async(title: str, priority: str = "low") -> str:
    """Create an issue, for frameworks that run a sync function in a thread."""
    return create_issue(title, priority)


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

    from toolgen_adapters.mcp import checked

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
    """The middleware around a function, all calls on one connection."""
    from fastmcp import FastMCP
    from fastmcp.server.middleware import MiddlewareContext
    from fastmcp.tools import ToolResult
    from mcp.types import CallToolRequestParams

    from toolgen_adapters.fastmcp import ToolgenMiddleware

    server: Any = FastMCP("issues")
    server.tool(create_issue)
    middleware = ToolgenMiddleware()
    request = CallToolRequestParams(name="create_issue", arguments=ARGUMENTS)
    connection = SimpleNamespace(session=server)
    context: Any = MiddlewareContext(
        message=request,
        fastmcp_context=SimpleNamespace(fastmcp=server, request_context=connection),
    )

    async def run(_: Any) -> ToolResult:
        return ToolResult(content=await create_issue_async(**ARGUMENTS))

    yield lambda: run(context), lambda: middleware.on_call_tool(context, run)


@asynccontextmanager
async def of_llama_index() -> AsyncIterator[tuple[Side, Side]]:
    """Agents, at the point at which they call a tool."""
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.core.llms.mock import MockFunctionCallingLLM
    from llama_index.core.tools import FunctionTool

    from toolgen_adapters.llama_index import checked

    class Store:
        pass

    tool = FunctionTool.from_defaults(async_fn=create_issue_async, name="create_issue")
    context = SimpleNamespace(store=Store())
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

    from toolgen_adapters.google_adk import ToolgenPlugin

    tool, plugin = FunctionTool(create_issue), ToolgenPlugin()
    context: Any = SimpleNamespace(
        invocation_id="1",
        agent_name="a",
        function_call_id="1",
        actions=SimpleNamespace(requested_tool_confirmations={}),
    )
    request = SimpleNamespace(tools_dict={tool.name: tool})
    await plugin.before_model_callback(callback_context=context, llm_request=request)

    async def plain() -> Any:
        return await tool.run_async(args=ARGUMENTS, tool_context=context)

    async def checked() -> Any:
        await plugin.before_tool_callback(tool=tool, tool_args=ARGUMENTS, tool_context=context)
        return await plugin.after_tool_callback(tool_context=context, result=await plain())

    yield plain, checked


@asynccontextmanager
async def of_pydantic_ai() -> AsyncIterator[tuple[Side, Side]]:
    """The capability's hooks around a function."""
    from pydantic_ai.messages import ToolCallPart
    from pydantic_ai.tools import ToolDefinition

    from toolgen_adapters.pydantic_ai import ToolgenCheck

    check, text = ToolgenCheck(), json.dumps(ARGUMENTS)
    call = ToolCallPart("create_issue", text, "1")
    tool = ToolDefinition(name="create_issue", parameters_json_schema=SCHEMA)
    context: Any = SimpleNamespace(run_id="1", run_step=1, partial_output=False, retry=0, max_retries=1)

    async def plain(arguments: Any = text) -> Any:
        return create_issue(**json.loads(arguments))

    async def checked() -> Any:
        args = await check.before_tool_validate(context, call=call, tool_def=tool, args=text)
        return await check.wrap_tool_execute(context, call=call, tool_def=tool, args=args, handler=plain)

    yield plain, checked


@asynccontextmanager
async def of_langchain() -> AsyncIterator[tuple[Side, Side]]:
    """The middleware around a function."""
    from langchain.tools import tool
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    from toolgen_adapters.langchain import ToolgenMiddleware

    call = {"name": "create_issue", "args": ARGUMENTS, "id": "1", "type": "tool_call"}
    messages = [HumanMessage("go", id="h"), AIMessage("", id="a", tool_calls=[call])]
    request: Any = SimpleNamespace(tool_call=call, tool=tool(create_issue), state={"messages": messages})
    middleware = ToolgenMiddleware()

    async def run(request: Any) -> Any:
        return ToolMessage(create_issue(**request.tool_call["args"]), tool_call_id="1")

    yield lambda: run(request), lambda: middleware.awrap_tool_call(request, run)


@asynccontextmanager
async def of_openai_agents() -> AsyncIterator[tuple[Side, Side]]:
    """A function tool, called as in a run."""
    from agents import Agent, RunContextWrapper, function_tool
    from agents.tool_context import ToolContext

    from toolgen_adapters.openai_agents import guarded

    text = json.dumps(ARGUMENTS)
    named: Any = {"tool_name": "create_issue", "tool_call_id": "1", "tool_arguments": text}
    context: Any = ToolContext(context=None, **named)
    tool = function_tool(create_issue_async, name_override="create_issue", strict_mode=False)
    agent = guarded(Agent(name="agent", tools=[tool]))
    (twin,) = await agent.get_all_tools(RunContextWrapper(None))
    yield (
        lambda: tool.on_invoke_tool(context, text),
        lambda: twin.on_invoke_tool(context, text),  # type: ignore[union-attr]
    )


@asynccontextmanager
async def of_strands() -> AsyncIterator[tuple[Side, Side]]:
    """The hooks around a function."""
    from strands import tool
    from strands.hooks import AfterToolCallEvent, BeforeToolCallEvent, HookRegistry

    from toolgen_adapters.strands import ToolgenHooks

    class FakeAgent:
        """An agent that supports weak references."""

    use = {"toolUseId": "1", "name": "create_issue", "input": ARGUMENTS}
    selected, agent, hooks = tool(create_issue), FakeAgent(), HookRegistry()
    tools = SimpleNamespace(dynamic_tools={}, registry={"create_issue": selected})
    messages = [{"role": "assistant", "content": [{"toolUse": use}]}]
    vars(agent).update(messages=messages, tool_registry=tools)
    ToolgenHooks().register_hooks(hooks)
    given: Any = {"agent": agent, "selected_tool": selected, "tool_use": use, "invocation_state": {}}

    async def plain() -> Any:
        content = [{"text": create_issue(**ARGUMENTS)}]
        return {"toolUseId": "1", "status": "success", "content": content}

    async def checked() -> Any:
        await hooks.invoke_callbacks_async(BeforeToolCallEvent(**given))
        await hooks.invoke_callbacks_async(AfterToolCallEvent(**given, result=await plain()))

    yield plain, checked


@asynccontextmanager
async def of_anthropic() -> AsyncIterator[tuple[Side, Side]]:
    """A tool, called as in the runner."""
    from anthropic import beta_async_tool

    from toolgen_adapters.anthropic import beta_async_tools

    tool: Any = beta_async_tool(create_issue_async)
    (checked,) = beta_async_tools([TOOL], {"create_issue": spread(create_issue_async)})
    yield lambda: tool.call(ARGUMENTS), lambda: checked.call(ARGUMENTS)


@asynccontextmanager
async def of_crewai() -> AsyncIterator[tuple[Side, Side]]:
    """The hooks around a tool."""
    from crewai.tools import tool

    from toolgen_adapters.crewai import install

    installed, made = install(), tool("create_issue")(create_issue)
    task = SimpleNamespace(id="1")

    async def plain() -> Any:
        return made.run(**ARGUMENTS)

    async def checked() -> Any:
        context = SimpleNamespace(tool_name="create_issue", tool=made, tool_input=ARGUMENTS, task=task)
        installed.before_tool(context)
        context.tool_result = await plain()
        return installed.after_tool(context)

    yield plain, checked
    installed.uninstall()


@asynccontextmanager
async def of_claude_agent() -> AsyncIterator[tuple[Side, Side]]:
    """The hooks around a function."""
    from toolgen_adapters.claude_agent import hooks

    (matcher,) = hooks({"issues": [TOOL]})["PreToolUse"]
    (answer,) = matcher.hooks
    call = {"session_id": "1", "tool_use_id": "1", "tool_name": "mcp__issues__create_issue"}
    before: Any = {**call, "hook_event_name": "PreToolUse", "tool_input": ARGUMENTS}
    context: Any = None

    async def plain() -> Any:
        return [{"type": "text", "text": create_issue(**ARGUMENTS)}]

    async def checked() -> Any:
        await answer(before, "1", context)
        after: Any = {**call, "hook_event_name": "PostToolUse", "tool_response": await plain()}
        return await answer(after, "1", context)

    yield plain, checked


@asynccontextmanager
async def of_agent_framework() -> AsyncIterator[tuple[Side, Side]]:
    """The function middleware around a function."""
    from agent_framework import FunctionInvocationContext, tool

    from toolgen_adapters.agent_framework import toolgen_middleware

    made = tool(create_issue, approval_mode="never_require")
    middleware: Any = toolgen_middleware()[0]
    context: Any = FunctionInvocationContext(made, ARGUMENTS, metadata={"call_id": "1"}, tools=[made])

    async def plain() -> None:
        context.result = create_issue(**ARGUMENTS)

    yield plain, lambda: middleware.process(context, plain)


@asynccontextmanager
async def of_agno() -> AsyncIterator[tuple[Side, Side]]:
    """A call of a function, as agno makes it."""
    from agno.run.base import RunContext
    from agno.tools.function import Function, FunctionCall

    from toolgen_adapters.agno import tool_hook

    calls = []
    for hooks in ([], [tool_hook()]):
        function = Function.from_callable(create_issue_async, name="create_issue")
        function.process_entrypoint()
        function.tool_hooks = hooks
        function._run_context = RunContext(run_id="1", session_id="1")
        calls.append(FunctionCall(function=function, arguments=ARGUMENTS, call_id="1"))
    yield calls[0].aexecute, calls[1].aexecute


FRAMEWORKS = {
    each.__name__[3:]: each
    for each in (
        of_loop,
        of_mcp,
        of_fastmcp,
        of_pydantic_ai,
        of_langchain,
        of_openai_agents,
        of_strands,
        of_anthropic,
        of_google_adk,
        of_llama_index,
        of_crewai,
        of_claude_agent,
        of_agent_framework,
        of_agno,
    )
}


async def seconds(side: Side) -> float:
    """Return the time of one call."""
    begun = time.process_time()
    for _ in range(CALLS):
        await side()
    return (time.process_time() - begun) / CALLS


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
