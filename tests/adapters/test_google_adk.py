"""The plugin of Google ADK, with a model of scripted answers, beyond the scenarios of all frameworks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from seams.common import Call, Told
from seams.google_adk import LACKS, opened


def run(tool: Any, *calls: Call, seconds: float = 60, **options: Any) -> list[Told]:
    """Run an agent whose model makes these calls, one an answer; return what it is told."""

    async def main() -> list[Told]:
        async with opened([tool], Path(), **options) as ask:
            return list(await asyncio.wait_for(ask(*([call] for call in calls)), seconds))

    return asyncio.run(main())


def pay(amount: int, memo: str = "") -> dict[str, Any]:
    """Pay."""
    return {"paid": amount}


def test_repairs_and_notes_of_function_tools() -> None:
    ended: list[Any] = []
    options: Any = {"repair": True, "on_call": lambda call: ended.append}
    repaired, noted = run(pay, ("pay", '{"amount": "3"}'), ("pay", '{"amount": 3, "memmo": "x"}'), **options)
    assert repaired.text.startswith("3\nNote: ")
    assert '"amount" is now 3' in repaired.text
    assert noted.text.startswith("3\nNote: ")
    assert '"memmo"' in noted.text
    assert all(output.ok for output in ended)


CANCELED = pytest.param(
    2.0, None, marks=pytest.mark.skipif("cancelled" in LACKS, reason=LACKS.get("cancelled", ""))
)


@pytest.mark.parametrize(("seconds", "ends"), [(60, "internal_error"), CANCELED])
def test_failures_and_cancellations_are_counted(seconds: float, ends: str | None) -> None:
    ended: list[Any] = []

    async def act(amount: int) -> str:
        """Act."""
        if ends is None:
            await asyncio.sleep(30)
        raise KeyError("no such account")

    with pytest.raises((KeyError, TimeoutError, asyncio.TimeoutError)):
        run(act, ("act", '{"amount": 1}'), seconds=seconds, on_call=lambda call: ended.append)
    assert [output and output.kind for output in ended] == [ends]
