"""The hooks of CrewAI, with a model of scripted answers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

os.environ |= {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "OTEL_SDK_DISABLED": "true",
}

import pytest
from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool
from pydantic import Field

from toolgen_runtime.adapters.crewai import install

Call = tuple[str, str]


class Script(BaseLLM):
    """A model that makes these calls, a list of them an answer, and then is done; `told` is what it is answered."""

    turns: list[list[Call]] = Field(default_factory=list)
    told: list[str] = Field(default_factory=list)

    def call(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self.told = [message["content"] for message in messages if message["role"] == "tool"]
        if not self.turns:
            return "done"
        calls = enumerate(self.turns.pop(0))
        return [
            {
                "id": f"{len(self.turns)}-{i}",
                "type": "function",
                "function": {"name": name, "arguments": text},
            }
            for i, (name, text) in calls
        ]

    def supports_function_calling(self) -> bool:
        return True


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


def test_answers_are_compared_and_the_calls_of_one_are_not(ended: list[Any]) -> None:
    wrong: Call = ("pay", '{"amount": "x"}')
    assert len(set(run([wrong] * 3))) == 1
    assert "It failed 3 times in the same way" in run([wrong], [wrong], [wrong])[2]
