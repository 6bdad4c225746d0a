"""The lines of the section "Other frameworks", with livekit-agents and deepagents themselves."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "frameworks" / "loop.md"
SECTION = PAGE.read_text("utf-8").partition("## Other frameworks")[2]
BLOCKS = re.findall(r"^```python\n(.*?)^```$", SECTION, re.M | re.S)
WRONG, RIGHT, CUT = '{"amount": "x"}', '{"amount": 3}', '{"amount": '
HINT = 'pay was not run. amount: change "x" to an integer'


def block(word: str, names: dict[str, Any]) -> dict[str, Any]:
    (code,) = (each for each in BLOCKS if word in each)
    exec(compile(code, str(PAGE), "exec"), names)
    return names


def test_whatever_calls_a_function_with_a_dict() -> None:
    schema = {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]}
    names: dict[str, Any] = {"tools": [{"name": "pay", "inputSchema": schema}]}
    names["handlers"] = {"pay": lambda payload: f"paid {payload['amount']}"}
    block("def run(name", names)
    block("def before", names)
    for function in (names["run"], names["before"]):
        names["conversation"].begin_turn()
        assert [function("pay", text) for text in (WRONG, RIGHT)] == [HINT, "paid 3"]
        assert "cut off" in function("pay", CUT)


def test_livekit_agents() -> None:
    pytest.importorskip("livekit.agents")
    from livekit.agents.llm import FunctionToolCall, ToolContext
    from livekit.agents.llm.utils import execute_function_call

    tool = block("livekit", {})["tool"]

    async def told(text: str) -> tuple[bool, str]:
        call = FunctionToolCall(name="pay", arguments=text, call_id="c")
        output = (await execute_function_call(call, ToolContext([tool]))).fnc_call_out
        return output.is_error, output.output

    async def main() -> list[tuple[bool, str]]:
        return [await told(text) for text in (WRONG, RIGHT)]

    assert asyncio.run(main()) == [(True, HINT), (False, "paid 3")]


def test_deepagents_and_its_subagents() -> None:
    pytest.importorskip("deepagents")
    from langchain.tools import tool
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, ToolMessage

    class Scripted(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
            return self

    seen: list[str] = []

    def pay(amount: int) -> str:
        """Pay."""
        seen.append(f"paid {amount}")
        return seen[-1]

    def calling(name: str, **arguments: Any) -> AIMessage:
        return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"{name}{len(arguments)}"}])

    task = {"description": "pay", "subagent_type": "payer"}
    model = Scripted(
        messages=iter(
            [
                calling("pay", amount="x"),
                calling("task", **task),
                calling("pay", amount="y"),
                calling("pay", amount=3),
                AIMessage("the subagent is done"),
                AIMessage("done"),
            ]
        )
    )
    agent = block("deepagents", {"model": model, "pay": tool(pay)})["agent"]
    messages = agent.invoke({"messages": [("user", "go")]})["messages"]
    told = [message.text for message in messages if isinstance(message, ToolMessage)]
    assert told == [HINT, "the subagent is done"]
    assert seen == ["paid 3"]
