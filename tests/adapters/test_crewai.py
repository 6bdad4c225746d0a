"""The hooks of CrewAI, with a model of scripted answers, beyond the scenarios of all frameworks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from crewai import Agent, Crew, Task
from crewai.tools import tool
from seams.common import Told
from seams.crewai import Script, opened  # sets the variables of CrewAI first

from toolgen_adapters.crewai import install


def pay(amount: int) -> str:
    """Pay."""
    if amount == 0:
        raise KeyError("no such account")
    return f"paid {amount}"


def test_repairs_reach_the_tool_and_failures_are_counted() -> None:
    ended: list[Any] = []

    async def main() -> list[Told]:
        options: Any = {"on_call": lambda call: ended.append, "repair": True}
        async with opened([pay], Path(), **options) as ask:
            return list(await ask(*([("pay", f'{{"amount": {given}}}')] for given in ('"x"', '"3"', 0, 4))))

    wrong, repaired, _, right = (told.text for told in asyncio.run(main()))
    assert wrong == 'pay was not run. amount: change "x" to an integer'
    assert (repaired.splitlines()[0], right) == ("paid 3", "paid 4")
    assert '"amount" is now 3' in repaired
    assert [output.kind for output in ended] == ["invalid_parameters", None, "execution_error", None]


def test_a_rejected_call_is_not_the_crews_answer() -> None:
    @tool(result_as_answer=True)
    def report(year: int) -> str:
        """Report."""
        return f"the report of {year}"

    installed = install()
    try:
        for sent in (['{"year": "this"}', '{"year": 2026}'], ['{"year": 2026}']):
            script = Script(model="script", turns=[[("report", text)] for text in sent])
            agent = Agent(role="r", goal="g", backstory="b", llm=script, tools=[report], verbose=False)
            task = Task(description="d", expected_output="e", agent=agent)
            answer = asyncio.run(Crew(agents=[agent], tasks=[task], verbose=False).kickoff_async())
            assert answer.raw == "the report of 2026"
    finally:
        installed.uninstall()
    assert report.result_as_answer
