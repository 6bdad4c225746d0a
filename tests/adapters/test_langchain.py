"""The langchain adapter: agents with a fake chat model, MCP servers over stdio, and tools of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from inspect import signature
from typing import Annotated, Any

import pytest
from cases import MISTAKE, REPORTED, command, environment, example
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.structured_output import ToolStrategy
from langchain.tools import InjectedState, ToolRuntime, tool
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt
from pydantic import BaseModel
from seams.langchain import Scripted

from toolgen_runtime.adapters.langchain import ToolgenMiddleware

Call = tuple[str, Any]


def said(number: int, calls: list[Call]) -> AIMessage:
    """A message with these calls, as LangChain's integrations read it: what is not JSON of an object is set aside."""
    valid: list[Any] = []
    invalid: list[Any] = []
    for index, (name, args) in enumerate(calls):
        call_id = f"call-{number}-{index}"
        if isinstance(args, dict):
            valid.append({"name": name, "args": args, "id": call_id, "type": "tool_call"})
        else:
            invalid.append(
                {"name": name, "args": args, "id": call_id, "error": "not read", "type": "invalid_tool_call"}
            )
    return AIMessage("", tool_calls=valid, invalid_tool_calls=invalid)


def scripted(*rounds: list[Call]) -> Scripted:
    messages = [said(number, calls) for number, calls in enumerate(rounds)]
    return Scripted(messages=iter([*messages, AIMessage("done")]))


@pytest.fixture(scope="module")
def tools(portal: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], list[Any]]]:
    """Gives the tools of a server, which is started once; they are listed anew each time."""

    @asynccontextmanager
    async def session(server: str) -> Any:
        program, arguments = command(server)
        variables = environment(server, tmp_path_factory.mktemp(server))
        connection: Any = {"transport": "stdio", "command": program, "args": arguments, "env": variables}
        async with MultiServerMCPClient({server: connection}).session(server) as opened:
            yield opened

    with ExitStack() as started:
        sessions: dict[str, Any] = {}

        def tools(server: str) -> list[Any]:
            if server not in sessions:
                sessions[server] = started.enter_context(portal.wrap_async_context_manager(session(server)))
            return portal.call(load_mcp_tools, sessions[server])

        yield tools


def answers(portal: Any, agent: Any) -> list[list[ToolMessage]]:
    """What an agent's run says to the calls of each message of the model; the run must come to its end."""

    async def main() -> Any:
        return await agent.ainvoke({"messages": [HumanMessage("go")]})

    messages = portal.call(main)["messages"]
    assert messages[-1].content == "done"
    return answered(messages)


def answered(messages: list[Any]) -> list[list[ToolMessage]]:
    rounds: list[list[ToolMessage]] = []
    for message in messages:
        if isinstance(message, AIMessage):
            rounds.append([])
        elif isinstance(message, ToolMessage):
            rounds[-1].append(message)
    return rounds[:-1]


@pytest.mark.parametrize("wrong", [{"timezone": 5}, '{"timezone": '], ids=["wrong", "cut off"])
def test_parallel_calls_are_answered_each(wrong: Any, portal: Any, tools: Any) -> None:
    right = {"timezone": "Europe/Berlin"}
    model = scripted([("get_current_time", given) for given in (right, wrong, right)])
    (messages,) = answers(portal, create_agent(model, tools("time"), middleware=[ToolgenMiddleware()]))
    statuses = {message.tool_call_id: message.status for message in messages}
    assert statuses == {"call-0-0": "success", "call-0-1": "error", "call-0-2": "success"}
    assert len(messages) == 3


@pytest.mark.parametrize("sent", [MISTAKE[2], '{"timezone": '], ids=["wrong", "cut off"])
def test_the_same_mistake_three_times_is_to_be_given_up(sent: Any, portal: Any, tools: Any) -> None:
    server, name, _ = MISTAKE
    model = scripted(*[[(name, sent)]] * 3)
    agent = create_agent(model, tools(server), middleware=[ToolgenMiddleware()])
    recoveries = [message.artifact["toolgen"]["recovery"] for (message,) in answers(portal, agent)]
    assert recoveries[-1] == "give_up"
    assert "give_up" not in recoveries[:-1]


def test_a_result_that_is_an_error_is_the_frameworks_own_affair(portal: Any, tools: Any) -> None:
    server, name, arguments, says = REPORTED

    def outcome(*middleware: Any) -> str:
        try:
            ((message,),) = answers(
                portal, create_agent(scripted([(name, arguments)]), tools(server), middleware=middleware)
            )
        except Exception as error:  # older versions of LangChain's MCP adapters end the run
            return f"{type(error).__name__}: {error}"
        return f"{message.status}: {message.text}"

    assert outcome(ToolgenMiddleware()) == outcome()
    assert says in outcome(ToolgenMiddleware())


def test_a_note_stands_beside_the_result(portal: Any, tools: Any) -> None:
    model = scripted([("echo", {"message": "a", "mesage": "b"})])
    agent = create_agent(model, tools("everything"), middleware=[ToolgenMiddleware(unknown_keys="note")])
    ((message,),) = answers(portal, agent)
    assert message.status == "success"
    assert message.text.startswith("Echo: a")
    assert '"mesage"' in message.text


SEEN: list[Any] = []


@tool
def pay(amount: int, who: Annotated[str, InjectedState("who")], runtime: ToolRuntime) -> str:
    """Pay an amount."""
    SEEN.append((amount, who, runtime.tool_call_id))
    return f"paid {amount}"


@tool(response_format="content_and_artifact", return_direct=True)
def draw(width: int) -> tuple[str, Any]:
    """Draw."""
    return "drawn", {"width": width}


class WithWho(AgentMiddleware[Any, Any]):
    from langchain.agents import AgentState

    class Who(AgentState[Any]):
        who: str

    state_schema = Who


def invoke(agent: Any, **state: Any) -> list[Any]:
    SEEN.clear()
    return agent.invoke({"messages": [HumanMessage("go")], "who": "Ada", **state})["messages"]


def test_injected_arguments_are_not_the_models() -> None:
    model = scripted([("pay", {"amount": "a lot"})], [("pay", {"amount": 3})])
    middleware = [ToolgenMiddleware(unknown_keys="refuse"), WithWho()]
    (refused,), (result,) = answered(invoke(create_agent(model, [pay], middleware=middleware)))
    assert refused.text.startswith("pay was not run")
    assert "who" not in refused.text
    assert result.text == "paid 3"
    assert SEEN == [(3, "Ada", "call-1-0")]


def test_what_langchain_would_coerce_is_refused_or_repaired() -> None:
    for repair, ran in ((False, []), (True, [(3, "Ada", "call-0-0")])):
        model = scripted([("pay", {"amount": "3"})])
        messages = invoke(
            create_agent(model, [pay], middleware=[ToolgenMiddleware(repair=repair), WithWho()])
        )
        assert ran == SEEN
        assert messages[1].tool_calls[0]["args"] == {"amount": "3"}  # the history keeps what the model wrote


def test_artifacts_and_return_direct_are_kept() -> None:
    messages = invoke(
        create_agent(scripted([("draw", {"width": 2})]), [draw], middleware=[ToolgenMiddleware()])
    )
    assert (messages[-1].text, messages[-1].artifact) == ("drawn", {"width": 2})


def test_the_model_is_shown_what_it_was_shown() -> None:
    shown: list[Any] = []

    class Noting(Scripted):
        def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
            shown.append([t.name for t in tools])
            return self

    for middleware in ([], [ToolgenMiddleware([pay])]):
        agent = create_agent(Noting(messages=iter([AIMessage("done")])), [pay, draw], middleware=middleware)
        invoke(agent)
    assert shown[0] == shown[1] == ["pay", "draw"]


def test_a_call_that_cannot_be_answered_ends_the_agent_as_before() -> None:
    broken = said(0, [("draw", "{")])
    broken.invalid_tool_calls[0]["id"] = None
    agent = create_agent(Scripted(messages=iter([broken])), [draw], middleware=[ToolgenMiddleware()])
    assert len(invoke(agent)) == 2


class Answer(BaseModel):
    number: int


def test_structured_output_is_the_frameworks_own() -> None:
    model = Scripted(messages=iter([said(0, [("Answer", {"number": "4"})])]))
    agent = create_agent(
        model, [draw], middleware=[ToolgenMiddleware()], response_format=ToolStrategy(Answer)
    )
    assert agent.invoke({"messages": [HumanMessage("go")]})["structured_response"] == Answer(number=4)


def test_other_middleware_sees_the_refusal() -> None:
    class Other(AgentMiddleware[Any, Any]):
        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            result = handler(request)
            seen.append(result.status)
            return result

    seen: list[str] = []
    model = scripted([("draw", {"width": "x"})])
    invoke(create_agent(model, [draw], middleware=[Other(), ToolgenMiddleware()]))
    assert seen == ["error"]


@pytest.mark.skipif(
    "wrap_tool_call" not in signature(ToolNode).parameters, reason="LangGraph's node has no seam yet"
)
def test_a_node_of_tools_without_an_agent() -> None:
    checks = ToolgenMiddleware([draw])
    node = ToolNode([draw], wrap_tool_call=checks.wrap_tool_call, awrap_tool_call=checks.awrap_tool_call)
    graph = StateGraph(MessagesState).add_node("tools", node).set_entry_point("tools").compile()
    messages = graph.invoke(
        {"messages": [HumanMessage("go"), said(0, [("draw", {"width": "x"}), ("drew", {"width": 1})])]}
    )
    wrong, unknown = messages["messages"][-2:]
    assert (wrong.status, unknown.status) == ("error", "error")
    assert '"draw"' in unknown.text

    @tool
    async def later() -> str:
        """Run in the event loop alone."""
        return "ran"

    checks = ToolgenMiddleware([later])
    node = ToolNode([later], wrap_tool_call=checks.wrap_tool_call, awrap_tool_call=checks.awrap_tool_call)
    graph = StateGraph(MessagesState).add_node("tools", node).set_entry_point("tools").compile()
    sent: Any = {"messages": [HumanMessage("go"), said(0, [("later", {})])]}
    assert asyncio.run(graph.ainvoke(sent))["messages"][-1].text == "ran"


def test_an_interrupted_call_goes_on_later(caplog: pytest.LogCaptureFixture) -> None:
    @tool
    def ask(question: str) -> str:
        """Ask the user."""
        return f"the user says {interrupt(question)}"

    model = scripted([("ask", {"question": "really?"})])
    agent = create_agent(model, [ask], middleware=[ToolgenMiddleware()], checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    asked = agent.invoke({"messages": [HumanMessage("go")]}, thread)
    assert asked["__interrupt__"][0].value == "really?"
    messages = agent.invoke(Command(resume="yes"), thread)["messages"]
    assert [message.text for message in messages[2:]] == ["the user says yes", "done"]
    assert "toolgen" not in caplog.text


WRITTEN: list[str] = []


@tool
def write(path: str = "", content: str = "") -> str:
    """Write a file."""
    WRITTEN.append(content)
    return "written"


class Streamed(Scripted):
    """Streams one message with calls, and stops for a reason; then it is done."""

    texts: list[str]
    metadata: dict[str, Any]

    def _stream(self, messages: Any, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        if isinstance(messages[-1], ToolMessage):
            yield ChatGenerationChunk(message=AIMessageChunk("done"))
            return
        for index, text in enumerate(self.texts):
            chunk = {"name": "write", "args": text, "id": f"call-{index}", "index": index}
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[tool_call_chunk(**chunk)]))
        yield ChatGenerationChunk(message=AIMessageChunk("", response_metadata=self.metadata))


@pytest.mark.parametrize(
    ("metadata", "ran"),
    [
        ({"finish_reason": "length"}, ["whole"]),
        ({"stop_reason": "max_tokens"}, ["whole"]),
        ({"stopReason": "max_tokens"}, ["whole"]),
        ({"finish_reason": "MAX_TOKENS"}, ["whole"]),
        ({"finish_reason": "tool_calls"}, ["line one\nline tw", "whole"]),
    ],
)
def test_a_streamed_call_that_was_cut_off_is_not_run(metadata: dict[str, Any], ran: list[str]) -> None:
    WRITTEN.clear()
    texts = ['{"path": "a", "content": "whole"}', '{"path": "b", "content": "line one\\nline tw']
    model = Streamed(messages=iter(()), texts=texts, metadata=metadata)
    agent = create_agent(model, [write], middleware=[ToolgenMiddleware()])
    for _ in agent.stream({"messages": [HumanMessage("go")]}, stream_mode="messages"):
        pass
    assert ran == sorted(WRITTEN)


def test_a_cut_off_call_without_arguments_is_not_run() -> None:
    WRITTEN.clear()
    message = said(0, [("write", "")])
    message.response_metadata = {"finish_reason": "length"}
    agent = create_agent(
        Scripted(messages=iter([message, AIMessage("done")])), [write], middleware=[ToolgenMiddleware()]
    )
    ((refused,),) = answered(invoke(agent))
    assert WRITTEN == []
    assert "cut off" in refused.text


def test_malformed_structured_output_is_asked_for_again() -> None:
    messages = iter([said(0, [("Answer", '{"number": 4')]), said(1, [("Answer", {"number": 4})])])
    agent = create_agent(
        Scripted(messages=messages),
        [draw],
        middleware=[ToolgenMiddleware()],
        response_format=ToolStrategy(Answer),
    )
    state = agent.invoke({"messages": [HumanMessage("go")]})
    assert state["structured_response"] == Answer(number=4)
    (refused,) = (m for m in state["messages"] if isinstance(m, ToolMessage) and m.status == "error")
    assert "cut off" in refused.text


def test_hooks_see_the_issues() -> None:
    seen: list[Any] = []
    model = scripted([("pay", {"amount": "x"})], [("pay", '{"amount": ')])
    invoke(create_agent(model, [pay], middleware=[ToolgenMiddleware(on_issue=seen.append), WithWho()]))
    assert len(seen) == 2


def test_the_example_runs() -> None:
    lines = example("langchain_agent")
    assert 'rename "Title" to "title"' in "\n".join(lines)
    assert lines[-2].startswith("created")
