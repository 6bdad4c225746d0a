"""The adapter of LlamaIndex, with a model of scripted answers, beyond the scenarios of all frameworks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent
from seams.common import Call, Told
from seams.llama_index import results_of, scripted

from toolgen_adapters.llama_index import checked


def pay(amount: int) -> str:
    """Pay."""
    if amount == 0:
        raise KeyError("no such account")
    return f"paid {amount}"


def run(*calls: Call, in_workflow: bool = False, **options: Any) -> list[Told]:
    """Run an agent whose model makes these calls, one an answer; return what it is told."""

    async def main() -> list[Told]:
        model = scripted(*([call] for call in calls))
        agent: Any = FunctionAgent(tools=[FunctionTool.from_defaults(pay)], llm=model, streaming=False)
        return await results_of(checked(AgentWorkflow(agents=[agent]) if in_workflow else agent, **options))

    return asyncio.run(main())


@pytest.mark.parametrize("in_workflow", [False, True], ids=["agent", "workflow"])
def test_a_wrong_call_is_answered_and_the_next_one_runs(in_workflow: bool) -> None:
    ended: list[Any] = []
    calls = [("pay", f'{{"amount": {amount}}}') for amount in ('"x"', 0, 3)]
    wrong, failed, right = run(*calls, in_workflow=in_workflow, on_call=lambda call: ended.append)
    assert (wrong.is_error, failed.is_error, right.is_error) == (True, True, False)
    assert wrong.text == 'pay was not run. amount: change "x" to an integer'
    assert right.text == "paid 3"
    assert [(output.kind, output.executed) for output in ended] == [
        ("invalid_parameters", False),
        ("internal_error", True),
        (None, True),
    ]


async def ask_person(ctx: Context, question: str) -> str:
    """Ask."""
    answer = await ctx.wait_for_event(
        HumanResponseEvent, waiter_id=question, waiter_event=InputRequiredEvent(prefix=question)
    )
    return f"the person says {answer.response}"


ask_person.__annotations__ = {"ctx": Context, "question": str}  # LlamaIndex does not read names


def test_a_call_that_waits_for_a_person_counts_once() -> None:
    ended: list[Any] = []

    async def main() -> None:
        script = scripted([("ask_person", '{"question": "1"}')])
        agent = checked(
            FunctionAgent(tools=[FunctionTool.from_defaults(async_fn=ask_person)], llm=script),
            on_call=lambda call: ended.append,
        )
        running = agent.run(user_msg="go")
        async for event in running.stream_events():
            if isinstance(event, InputRequiredEvent):
                running.ctx.send_event(HumanResponseEvent(response="yes"))
        await running

    asyncio.run(main())
    assert [output.kind for output in ended] == [None]
