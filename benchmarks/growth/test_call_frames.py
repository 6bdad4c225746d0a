"""What a valid call costs, in Python functions that it enters."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import pytest
from helpers.handler_kinds import Clerk, coroutine, plain
from helpers.two_tools import GOOD, registry

MAX_FRAMES = 26
"""Python functions that one valid call may enter."""


def frames_of(run: Callable[[], Any]) -> list[str]:
    """The Python functions that a call enters, the handler's among them."""
    names: list[str] = []

    def see(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            names.append(frame.f_code.co_qualname)

    sys.setprofile(see)
    try:
        run()
    finally:
        sys.setprofile(None)
    return names[1:]


def sides() -> dict[str, Callable[[], Any]]:
    target = registry()
    conversation = target.conversation()
    clerk = Clerk()
    return {
        "registry": lambda: target.call("create_ticket", GOOD, plain),
        "conversation": lambda: conversation.call("create_ticket", GOOD, plain),
        "a method": lambda: target.call("create_ticket", GOOD, clerk.method),
    }


@pytest.mark.parametrize("side", sides())
def test_a_valid_call_enters_few_functions(side: str) -> None:
    run = sides()[side]
    for _ in range(3):
        run()
    names = frames_of(run)
    assert "validate" in names
    assert len(names) <= MAX_FRAMES, names


def test_a_valid_async_call_enters_few_functions() -> None:
    target = registry()

    async def main() -> int:
        for _ in range(3):
            await target.acall("create_ticket", GOOD, coroutine)
        names: list[str] = []
        sys.setprofile(lambda frame, event, _: names.append(event) if event == "call" else None)
        await target.acall("create_ticket", GOOD, coroutine)
        sys.setprofile(None)
        return len(names)

    assert asyncio.run(main()) <= MAX_FRAMES
