"""Checked agents of LlamaIndex, with a model of scripted answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.tools import FunctionTool, ToolMetadata

from seams.common import Call, Calls, Told, Tools, parsed, texts
from seams.mcp import on_stdio, told
from toolgen_adapters.llama_index import checked

LACKS = {
    "changed": "an agent's tools are listed when a run begins",
    "approval": "tools ask for approval themselves",
    "structured": "LlamaIndex makes a separate request for it, without a call",
    "cut off": "arguments come as objects",
    "cut off, streamed": "arguments come as objects",
}
OWN_NAMES = True
RESERVED = True
"""`self` is a parameter of its tools."""


def scripted(*answers: Calls) -> MockFunctionCallingLLM:
    left = list(answers)

    def answer(messages: Any, **options: Any) -> ChatMessage:
        calls = left.pop(0) if left else []
        made = [
            ToolCallBlock(tool_call_id=f"{len(left)}-{i}", tool_name=name, tool_kwargs=parsed(sent))
            for i, (name, sent) in enumerate(calls)
        ]
        return ChatMessage(role="assistant", blocks=made or [TextBlock(text="done")])

    return MockFunctionCallingLLM(response_generator=answer)


async def results_of(agent: Any) -> list[Told]:
    handler = agent.run(user_msg=ChatMessage(role="user", content="go"))
    results = [event async for event in handler.stream_events() if isinstance(event, ToolCallResult)]
    await handler
    results.sort(key=lambda event: (-int(event.tool_id.split("-")[0]), event.tool_id))
    return [Told(event.tool_output.content, event.tool_output.is_error) for event in results]


class Listed(ToolMetadata):
    """The metadata of a tool that a server lists."""

    def __init__(self, tool: Any) -> None:
        super().__init__(tool.description or "", tool.name)
        self.schema = tool.inputSchema if hasattr(tool, "inputSchema") else tool.input_schema

    def get_parameters_dict(self) -> Any:
        return self.schema


def of_server(session: Any, tool: Any) -> FunctionTool:
    async def call(**arguments: Any) -> str:
        result = await session.call_tool(tool.name, arguments)
        if told(result).is_error:
            raise RuntimeError(texts(result.content))
        return texts(result.content)

    return FunctionTool(async_fn=call, metadata=Listed(tool))


@asynccontextmanager
async def opened(tools: str | Tools, folder: Path, **options: Any) -> AsyncIterator[Any]:
    async with AsyncExitStack() as stack:
        session: Any = None
        if isinstance(tools, str):
            session = await stack.enter_async_context(on_stdio(tools, folder))
        agents: dict[tuple[int, int], Any] = {}

        async def ask(*answers: Calls, client: int = 0) -> list[Told]:
            if session is not None:
                made = [of_server(session, tool) for tool in (await session.list_tools()).tools]
            else:
                made = [FunctionTool.from_defaults(tool) for tool in tools if callable(tool)]
            if client not in agents:
                agent = FunctionAgent(tools=made, llm=scripted(), streaming=False)
                agents[client] = checked(agent, **options)
            agents[client].tools = made
            agents[client].llm = scripted(*answers)
            return await results_of(agents[client])

        yield ask


async def handed_off(tools: Tools, call: Call, **options: Any) -> list[Told]:
    made: list[Any] = [FunctionTool.from_defaults(tool) for tool in tools]
    to_b, to_a = (
        ("handoff", '{"to_agent": "b", "reason": "r"}'),
        ("handoff", '{"to_agent": "a", "reason": "r"}'),
    )
    a = FunctionAgent(
        name="a", description="a", tools=made, llm=scripted([call], [to_b], [call]), streaming=False
    )
    b = FunctionAgent(name="b", description="b", tools=made, llm=scripted([call], [to_a]), streaming=False)
    flow = checked(AgentWorkflow(agents=[a, b], root_agent="a"), **options)
    return [one for one in await results_of(flow) if "was not run" in one.text]
