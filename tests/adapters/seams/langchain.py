"""Agents of LangChain with the middleware, and a chat model of scripted messages."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cases import command, environment
from langchain.agents import create_agent, factory
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware
from langchain.agents.middleware.human_in_the_loop import InterruptOnConfig
from langchain.agents.structured_output import ToolStrategy
from langchain.tools import tool as tool_of
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from seams.common import Answer, Call, Calls, Desk, Told, Tools, parsed
from toolgen_adapters.langchain import ToolgenMiddleware

LACKS = {"handoff": "your graphs connect the agents"}
if "when" not in InterruptOnConfig.__annotations__:
    LACKS["approval"] = "this version asks people about all calls"
TAKES_LATE = "unknown tool names" not in inspect.getsource(factory)
"""Whether a middleware may add tools as such; older versions take only their definitions."""
TAKES_TEXT = True
ENDS_AT_ERRORS = version("langchain-mcp-adapters").startswith("0.1.")


SHARES = True


def shown(tools: list[Any], known: list[Any]) -> list[Any]:
    """Return tools as a middleware may show them to the model."""
    names = {tool.name for tool in known}
    return [tool if TAKES_LATE or tool.name in names else convert_to_openai_tool(tool) for tool in tools]


class Live(AgentMiddleware):
    """Shows the model the tools that there are now, and hands over those that came later."""

    def __init__(self, tools: Tools) -> None:
        super().__init__()
        self._made: dict[str, Any] = {}
        self._given = tools

    def now(self) -> dict[str, Any]:
        for function in self._given:
            self._made.setdefault(function.__name__, None)
            if self._made[function.__name__] is None:
                self._made[function.__name__] = tool_of(function)
        return self._made

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return await handler(request.override(tools=shown(list(self.now().values()), request.tools)))

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        later = None if request.tool else self.now().get(request.tool_call["name"])
        return await handler(request.override(tool=later) if later else request)


class Scripted(GenericFakeChatModel):
    """A fake that takes tools, and says nothing about them."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


def said(number: int, calls: Sequence[tuple[str, Any]]) -> AIMessage:
    """A message with these calls, as LangChain's integrations read it: what is not JSON of an object is set aside."""
    valid: list[Any] = []
    invalid: list[Any] = []
    for index, (name, sent) in enumerate(calls):
        args = parsed(sent) if isinstance(sent, str) and sent else sent
        call = {"name": name, "args": args, "id": f"call-{number}-{index}"}
        if isinstance(args, dict):
            valid.append({**call, "type": "tool_call"})
        else:
            invalid.append({**call, "args": sent, "error": "not read", "type": "invalid_tool_call"})
    return AIMessage("", tool_calls=valid, invalid_tool_calls=invalid)


def scripted(*answers: Calls) -> Scripted:
    messages = [said(number, calls) for number, calls in enumerate(answers)]
    return Scripted(messages=iter([*messages, AIMessage("done")]))


def told(messages: Sequence[Any]) -> list[Told]:
    results = [message for message in messages if isinstance(message, ToolMessage)]
    results.sort(key=lambda message: message.tool_call_id)
    return [Told(str(message.text), message.status == "error") for message in results]


@asynccontextmanager
async def opened(tools: str | Tools, folder: Path, **options: Any) -> AsyncIterator[Any]:
    middleware = ToolgenMiddleware(**options)
    async with AsyncExitStack() as stack:
        session = None
        if isinstance(tools, str):
            program, arguments = command(tools)
            started: Any = {"transport": "stdio", "command": program, "args": arguments}
            started["env"] = environment(tools, folder)
            session = await stack.enter_async_context(MultiServerMCPClient({tools: started}).session(tools))

        server = tools

        async def ask(*answers: Calls, client: int = 0, tools: Any = tools) -> list[Told]:
            listed = await load_mcp_tools(session) if isinstance(server, str) else list(map(tool_of, tools))
            live: list[Any] = [] if isinstance(server, str) else [Live(tools)]
            agent = create_agent(scripted(*answers), listed, middleware=[*live, middleware])
            return told((await agent.ainvoke({"messages": [HumanMessage("go")]}))["messages"])

        yield ask


THREAD: Any = {"configurable": {"thread_id": "1"}}


def with_people(tools: Tools, saved: Any, answers: Sequence[Calls], **options: Any) -> Any:
    made = list(map(tool_of, tools))
    middleware = ToolgenMiddleware(made, **options)
    asks: Any = {"allowed_decisions": ["approve"], "when": middleware.is_right}
    people = HumanInTheLoopMiddleware(interrupt_on={tool.name: asks for tool in made})
    return create_agent(scripted(*answers), made, middleware=[middleware, people], checkpointer=saved)


def asked_about(state: Any) -> int:
    return sum(len(each.value["action_requests"]) for each in state.get("__interrupt__", ()))


async def approve(agent: Any, count: int) -> Any:
    return await agent.ainvoke(Command(resume={"decisions": [{"type": "approve"}] * count}), THREAD)


async def approval(tools: Tools, *answers: Calls, **options: Any) -> tuple[list[Told], int]:
    agent, asked = with_people(tools, InMemorySaver(), answers, **options), 0
    state = await agent.ainvoke({"messages": [HumanMessage("go")]}, THREAD)
    while count := asked_about(state):
        asked += count
        state = await approve(agent, count)
    return told(state["messages"]), asked


async def begun(tools: Tools, folder: Path, *answers: Calls, **options: Any) -> int:
    async with AsyncSqliteSaver.from_conn_string(str(folder / "saved")) as saved:
        agent = with_people(tools, saved, answers, **options)
        return asked_about(await agent.ainvoke({"messages": [HumanMessage("go")]}, THREAD))


async def resumed(tools: Tools, folder: Path, *answers: Calls, **options: Any) -> list[Told]:
    async with AsyncSqliteSaver.from_conn_string(str(folder / "saved")) as saved:
        agent = with_people(tools, saved, answers, **options)
        return told((await approve(agent, 1))["messages"])


ASKS: list[dict[str, Any]] = [{}, {"elsewhere": True}, {"in_thread": True}]


async def asking(
    given: list[Any], calls: Calls, elsewhere: bool = False, in_thread: bool = False, **options: Any
) -> Any:
    desk, saver, questions = Desk(), InMemorySaver(), list[Any]()

    def made() -> Any:
        middleware = [ToolgenMiddleware(**options)]
        model = scripted(*([call] for call in calls[len(questions) :]))
        return create_agent(
            model, [tool_of(desk.book), tool_of(desk.login)], middleware=middleware, checkpointer=saver
        )

    async def invoke(sent: Any) -> Any:
        return await (
            asyncio.to_thread(agent.invoke, sent, THREAD) if in_thread else agent.ainvoke(sent, THREAD)
        )

    agent = made()
    state = await invoke({"messages": [HumanMessage("go")]})
    while stops := state.get("__interrupt__"):
        questions.append(json.loads(json.dumps(stops[0].value))["toolgen"])
        agent = made() if elsewhere else agent
        state = await invoke(Command(resume=given.pop(0)))
    return questions, told(state["messages"]), desk.ran


async def structured(tools: Tools, call: Call, sent: str, **options: Any) -> Any:
    messages = iter([said(0, [call]), said(1, [("Answer", sent)])])
    agent = create_agent(
        Scripted(messages=messages),
        list(map(tool_of, tools)),
        middleware=[ToolgenMiddleware(**options)],
        response_format=ToolStrategy(Answer),
    )
    return (await agent.ainvoke({"messages": [HumanMessage("go")]}))["structured_response"].number


class Streamed(Scripted):
    """Streams one message with calls, and stops for a reason; then it is done."""

    calls: list[Call]
    metadata: dict[str, Any]

    def _stream(self, messages: Any, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        if isinstance(messages[-1], ToolMessage):
            yield ChatGenerationChunk(message=AIMessageChunk("done"))
            return
        for index, (name, text) in enumerate(self.calls):
            chunk: Any = {"name": name, "args": text, "id": f"call-{index}", "index": index}
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[tool_call_chunk(**chunk)]))
        yield ChatGenerationChunk(message=AIMessageChunk("", response_metadata=self.metadata))


async def cut_off(tools: Tools, call: Call, streamed: bool, **options: Any) -> list[Told]:
    metadata = {"finish_reason": "length"}
    model: Any = Streamed(messages=iter(()), calls=[call], metadata=metadata)
    if not streamed:
        message = said(0, [call])
        message.response_metadata = metadata
        model = Scripted(messages=iter([message, AIMessage("done")]))
    agent = create_agent(model, list(map(tool_of, tools)), middleware=[ToolgenMiddleware(**options)])
    sent: Any = {"messages": [HumanMessage("go")]}
    if not streamed:
        return told((await agent.ainvoke(sent))["messages"])
    found = [message async for message, _ in agent.astream(sent, stream_mode="messages")]
    return told(found)
