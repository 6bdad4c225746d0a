"""The adapter of LlamaIndex, with a model of scripted answers and tools of real MCP servers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import MISTAKE
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.tools import FunctionTool
from sessions import connected

from toolgen_runtime.adapters.llama_index import checked

Call = tuple[str, dict[str, Any]]


def scripted(*turns: list[Call]) -> MockFunctionCallingLLM:
    left = list(turns)

    def answer(messages: Any, **options: Any) -> ChatMessage:
        calls = left.pop(0) if left else []
        made = [
            ToolCallBlock(tool_call_id=f"{len(left)}-{i}", tool_name=name, tool_kwargs=args)
            for i, (name, args) in enumerate(calls)
        ]
        return ChatMessage(role="assistant", blocks=made or [TextBlock(text="done")])

    return MockFunctionCallingLLM(response_generator=answer)


def run(
    tools: list[Any], *turns: list[Call], make: Callable[[Any], Any] = lambda agent: agent, **options: Any
) -> Any:
    """Run an agent with these turns; return the results of its calls."""

    async def main() -> list[Any]:
        agent = make(FunctionAgent(tools=tools, llm=scripted(*turns), streaming=False))
        handler = checked(agent, **options).run(user_msg=ChatMessage(role="user", content="go"))
        results = [event async for event in handler.stream_events() if isinstance(event, ToolCallResult)]
        await handler
        return [event.tool_output for event in results]

    return asyncio.run(main())


def pay(amount: int) -> str:
    """Pay."""
    if amount == 0:
        raise KeyError("no such account")
    return f"paid {amount}"


PAY = FunctionTool.from_defaults(pay)


def workflow(agent: Any) -> Any:
    return AgentWorkflow(agents=[agent])


@pytest.mark.parametrize("make", [lambda agent: agent, workflow], ids=["agent", "workflow"])
def test_a_wrong_call_is_answered_and_the_next_one_runs(make: Any) -> None:
    ended: list[Any] = []
    turns: list[list[Call]] = [[("pay", {"amount": "x"})], [("pay", {"amount": 0})], [("pay", {"amount": 3})]]
    wrong, failed, right = run([PAY], *turns, make=make, on_call=lambda call: ended.append)
    assert (wrong.is_error, failed.is_error, right.is_error) == (True, True, False)
    assert wrong.content == 'pay was not run. amount: send an integer, not "x"'
    assert right.content == "paid 3"
    assert [(output.kind, output.executed) for output in ended] == [
        ("invalid_parameters", False),
        ("internal_error", True),
        (None, True),
    ]


def test_answers_are_compared_and_the_calls_of_one_are_not() -> None:
    wrong: Call = ("pay", {"amount": "x"})
    assert len({result.content for result in run([PAY], [wrong] * 3)}) == 1
    assert "It failed 3 times in the same way" in run([PAY], [wrong], [wrong], [wrong])[2].content


def test_repairs_and_notes() -> None:
    (result,) = run([PAY], [("pay", {"amount": "3"})], repair=True)
    assert result.content == "paid 3"


def test_a_tool_of_a_real_server(tmp_path: Path) -> None:
    server, name, arguments = MISTAKE

    async def main() -> list[str]:
        async with connected(server, tmp_path) as session:

            async def get_current_time(timezone: str) -> str:
                """Tell the time."""
                result = await session.call_tool(name, {"timezone": timezone})
                return str(result.content[0].text)

            tool = FunctionTool.from_defaults(async_fn=get_current_time)
            agent = checked(
                FunctionAgent(
                    tools=[tool],
                    llm=scripted([(name, arguments)], [(name, {"timezone": "Europe/Berlin"})]),
                    streaming=False,
                )
            )
            handler = agent.run(user_msg="go")
            results = [e async for e in handler.stream_events() if isinstance(e, ToolCallResult)]
            return [event.tool_output.content for event in results]

    wrong, right = asyncio.run(main())
    assert "get_current_time was not run" in wrong
    assert "Europe/Berlin" in right
