"""The hooks of CrewAI, with a model of scripted answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from crewai import Agent, Crew, Task
from crewai.tools import tool
from seams.crewai import Script

from toolgen_runtime.adapters.crewai import install

Call = tuple[str, str]


@tool("pay")
def pay(amount: int) -> str:
    """Pay."""
    if amount == 0:
        raise KeyError("no such account")
    return f"paid {amount}"


@pytest.fixture
def ended() -> Iterator[list[Any]]:
    outputs: list[Any] = []
    installed = install(on_call=lambda call: outputs.append, repair=True)
    yield outputs
    installed.uninstall()


def run(*turns: list[Call]) -> list[str]:
    model = Script(model="script", turns=list(turns))
    agent = Agent(role="clerk", goal="pay", backstory="pays", llm=model, tools=[pay], verbose=False)
    Crew(
        agents=[agent], tasks=[Task(description="pay", expected_output="paid", agent=agent)], verbose=False
    ).kickoff()
    return model.told


def test_a_wrong_call_is_answered_and_the_next_one_runs(ended: list[Any]) -> None:
    turns: list[list[Call]] = [
        [("pay", '{"amount": "x"}')],
        [("pay", '{"amount": "3"}')],
        [("pay", '{"amount": 0}')],
        [("pay", '{"amount": 4}')],
    ]
    wrong, repaired, _, right = run(*turns)
    assert wrong == 'pay was not run. amount: send an integer, not "x"'
    assert (repaired, right) == ("paid 3", "paid 4")
    assert [output.kind for output in ended] == ["invalid_parameters", None, "execution_error", None]
