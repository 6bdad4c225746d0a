"""The adapter of LlamaIndex, with a model of scripted answers and tools of real MCP servers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.tools import FunctionTool

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


def test_repairs_and_notes() -> None:
    (result,) = run([PAY], [("pay", {"amount": "3"})], repair=True)
    assert result.content == "paid 3"
