"""The hooks of CrewAI, with a model of scripted answers, beyond the scenarios of all frameworks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from seams.common import Told
from seams.crewai import opened


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
    assert wrong == 'pay was not run. amount: send an integer, not "x"'
    assert (repaired.splitlines()[0], right) == ("paid 3", "paid 4")
    assert '"amount" is now 3' in repaired
    assert [output.kind for output in ended] == ["invalid_parameters", None, "execution_error", None]
