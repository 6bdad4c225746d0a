"""What the seams share: the tools of the scenarios, and what a model is told.

A seam is a module with `opened(tools, folder, **options)`, an async context manager that gives an `Ask`. `LACKS` says
why a scenario cannot apply; `approval`, `handoff`, `structured` and `cut_off` are the scenarios that each framework
has in its own way. Where the host can ask the user for a value, `asking(given, calls, **options)` lets the user give
these answers, and returns the questions, what the model is told, and the bookings; `ASKS` lists its own options.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel, TypeAdapter

Call = tuple[str, str]
"""A tool's name, and the arguments as the model wrote them."""
Calls = Sequence[Call]
Function = Callable[..., Any]
SLOW = 0.2
"""Seconds after which the tool `slow` gives up; a framework's own limit is half of it."""


@dataclass(frozen=True)
class Told:
    """What a call was answered; `is_error` is None where the framework has no flag for it."""

    text: str
    is_error: bool | None = None


class Answer(BaseModel):
    """Structured output."""

    number: int


class Ask(Protocol):
    """A question of the user, to which a model makes these calls, a list of them an answer, and then is done."""

    async def __call__(self, *answers: Calls, client: int = 0) -> list[Told]: ...


class Tools(list[Function]):
    """The tools that there are now; `listeners` are told of each that is added, by seams that must pass it on."""

    def __init__(self, *tools: Function) -> None:
        super().__init__(tools)
        self.listeners: list[Callable[[Function], Any]] = []

    def append(self, tool: Function) -> None:
        super().append(tool)
        for listener in self.listeners:
            listener(tool)


@dataclass
class Desk:
    """Functions for tools; `ran` has what they were called with, `tools` those that there are."""

    ran: list[Any] = field(default_factory=list)
    tools: list[Function] = field(default_factory=list)
    elsewhere: list[dict[str, Any]] = field(default_factory=list)
    """What was seen in other processes."""

    def __post_init__(self) -> None:
        def pay(amount: int) -> str:
            """Pay an amount."""
            self.ran.append(amount)
            return f"paid {amount}"

        def write(path: str, content: str) -> str:
            """Write a file."""
            self.ran.append(content)
            return "written"

        async def slow() -> str:
            """Ask another machine."""
            self.ran.append("slow")
            await asyncio.sleep(SLOW)
            raise TimeoutError("no answer")

        async def wait() -> str:
            """Wait."""
            self.ran.append("wait")
            await asyncio.sleep(30)
            return "waited"

        def late(count: int) -> str:
            """Count."""
            self.ran.append(count)
            return f"late {count}"

        def grow() -> str:
            """Add a tool."""
            self.tools.append(late)
            return "grown"

        def book(guest_name: str, day: str) -> str:
            """Book a table."""
            self.ran.append({"guest_name": guest_name, "day": day})
            return "booked"

        def login(password: str) -> str:
            """Log in."""
            raise AssertionError(password)

        self.book, self.login = book, login
        self.pay, self.write, self.slow, self.wait, self.late = pay, write, slow, wait, late
        self.grow = grow
        self.tools = Tools(pay)

    def add(self, count: int) -> None:
        """Have so many tools more."""
        for number in range(count):

            def other(text: str = "") -> str:
                """Do another thing."""
                return text

            other.__name__ = other.__qualname__ = f"other_{number}"
            self.tools.append(other)


async def called(function: Function, payload: dict[str, Any]) -> Any:
    """Call a function, sync or async."""
    result = function(**payload)
    return await result if inspect.isawaitable(result) else result


def spec(function: Function) -> dict[str, Any]:
    """Return a function as a tool of MCP."""
    schema = TypeAdapter(function).json_schema()
    return {"name": function.__name__, "description": function.__doc__, "inputSchema": schema}


def parsed(sent: str) -> Any:
    """Return what the text of a call stands for; the text itself if it is not JSON."""
    try:
        return json.loads(sent or "{}")
    except ValueError:
        return sent


def texts(content: Any) -> str:
    """Return the texts of a result's content."""
    if isinstance(content, str):
        return content
    found = (block if isinstance(block, dict) else block.model_dump() for block in content)
    return "\n".join(block["text"] for block in found if "text" in block)


class Rounds:
    """What a server is told of its clients' models, which it cannot see: each call that comes alone is a round."""

    def __init__(self) -> None:
        self._asked: set[int] = set()
        self._turns = 0
        self._alone = True

    def begin(self, client: int, answers: Sequence[Calls]) -> None:
        """Note that a client's user asks, and how its model is going to answer."""
        self._alone = all(len(answer) == 1 for answer in answers)
        self._turns += client in self._asked
        self._asked.add(client)

    def tell(self, begin_turn: Function, begin_round: Function) -> None:
        """Tell a server, before it handles a call."""
        if self._turns:
            self._turns -= 1
            begin_turn()
        if self._alone:
            begin_round()
