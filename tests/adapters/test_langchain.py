"""The langchain adapter: agents with a fake chat model, MCP servers over stdio, and tools of their own."""

from __future__ import annotations

import asyncio
from inspect import signature
from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.structured_output import ToolStrategy
from langchain.tools import InjectedState, InjectedToolCallId, ToolRuntime, tool
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt
from pydantic import BaseModel
from seams.langchain import Scripted, Streamed, said, scripted, shown

from toolgen_adapters.langchain import ToolgenMiddleware


def answered(messages: list[Any]) -> list[list[ToolMessage]]:
    rounds: list[list[ToolMessage]] = []
    for message in messages:
        if isinstance(message, AIMessage):
            rounds.append([])
        elif isinstance(message, ToolMessage):
            rounds[-1].append(message)
    return rounds[:-1]


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
    middleware = [ToolgenMiddleware(unknown_keys="reject"), WithWho()]
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
    def graph_of(given: Any) -> Any:
        checks = ToolgenMiddleware([given])
        node = ToolNode([given], wrap_tool_call=checks.wrap_tool_call, awrap_tool_call=checks.awrap_tool_call)
        return StateGraph(MessagesState).add_node("tools", node).set_entry_point("tools").compile()

    messages = graph_of(draw).invoke(
        {"messages": [HumanMessage("go"), said(0, [("draw", {"width": "x"}), ("drew", {"width": 1})])]}
    )
    wrong, unknown = messages["messages"][-2:]
    assert (wrong.status, unknown.status) == ("error", "error")
    assert '"draw"' in unknown.text

    @tool
    async def later() -> str:
        """Run in the event loop alone."""
        return "ran"

    sent: Any = {"messages": [HumanMessage("go"), said(0, [("later", {})])]}
    assert asyncio.run(graph_of(later).ainvoke(sent))["messages"][-1].text == "ran"


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
    calls = [("write", text) for text in texts]
    model = Streamed(messages=iter(()), calls=calls, metadata=metadata)
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


@tool
def late(count: int) -> str:
    """Count."""
    return f"late {count}"


class AddsLate(AgentMiddleware[Any, Any]):
    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return handler(request.override(tools=shown([*request.tools, late], request.tools)))

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return handler(request.override(tool=late) if request.tool_call["name"] == "late" else request)


@pytest.mark.parametrize("place", [0, 1])
def test_a_tool_that_another_middleware_adds_runs_in_any_order(place: int) -> None:
    middleware: list[Any] = [AddsLate()]
    middleware.insert(place, ToolgenMiddleware())
    agent = create_agent(
        scripted([("late", {"count": 3})], [("lat", {})]), [late_free], middleware=middleware
    )
    (ran,), (unknown,) = answered(invoke(agent))
    assert (ran.text, ran.status) == ("late 3", "success")
    assert "there is no such tool" in unknown.text


@tool
def late_free() -> str:
    """Do nothing."""
    return ""


@tool
def told_by_command(limit: int, tool_call_id: Annotated[str, InjectedToolCallId], memo: str = "") -> Any:
    """Do it."""
    return Command(update={"messages": [ToolMessage("did it", tool_call_id=tool_call_id)]})


def test_the_message_of_a_command_has_the_note() -> None:
    model = scripted([("told_by_command", {"limit": "3"})])
    agent = create_agent(model, [told_by_command], middleware=[ToolgenMiddleware(repair=True)])
    ((message,),) = answered(invoke(agent))
    assert message.text.splitlines()[0] == "did it"
    assert '"limit" is now 3' in message.text


def test_runs_that_share_a_message_have_separate_conversations() -> None:
    middleware, shared = ToolgenMiddleware(), HumanMessage("go", id="shared")
    texts = []
    for _ in range(3):
        agent = create_agent(scripted([("late", {"count": "x"})]), [late], middleware=[middleware])
        result = agent.invoke({"messages": [shared]})
        texts += [message.text for message in result["messages"] if isinstance(message, ToolMessage)]
    assert texts == ['late was not run. count: change "x" to an integer'] * 3
