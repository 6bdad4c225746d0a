"""The results of an audit for some calls. The results for different calls can be merged.

The summaries of all parts are merged into the summary of the whole.

Every count is exact. Everything else is limited: a sample keeps the entries with the smallest keys (`Smallest`), so it
is the same however the records are split into parts.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import nsmallest
from operator import add
from typing import Any, Final, Generic, NamedTuple, Self, TypeVar

MAX_DISTINCT_VALUES: Final = 64
"""The maximum number of distinct values to count for one constraint."""
MAX_UNREADABLE_LINES: Final = 20
"""The maximum number of unreadable lines to name."""
MAX_UNKNOWN: Final = 200
"""The maximum number of unknown tool names to count."""
DEFAULT_EXAMPLES: Final = 3
MAX_EXAMPLES: Final = 20

Broken = tuple[str, str]
"""A constraint of a tool: the pointer to the keyword in its schema, and the constraint of the issue."""


Key = TypeVar("Key", bound=Any)
Value = TypeVar("Value")


class Smallest(Generic[Key, Value]):
    """A sample of the entries with the smallest keys, at most `limit` of them. Values under the same key are
    combined.

    A key that is among the smallest of all entries is among the smallest of every part that contains it. It is
    therefore never dropped, and its combined value is exact. `merge` is associative and commutative if `combine` is.
    """

    __slots__ = ("_combine", "_entries", "limit", "more")

    def __init__(self, limit: int, combine: Callable[[Value, Value], Value]) -> None:
        """Create an empty sample. `combine` must be a function of a module, so that the sample can be pickled."""
        self.limit = limit
        self.more = False
        """Whether there were more than `limit` keys."""
        self._combine = combine
        self._entries: dict[Key, Value] = {}

    def add(self, key: Key, value: Value) -> None:
        """Add an entry."""
        if key in self._entries:
            value = self._combine(self._entries[key], value)
        self._entries[key] = value
        if len(self._entries) > 2 * self.limit:
            self._prune()

    def merge(self, other: Smallest[Key, Value]) -> None:
        """Add all entries of another sample."""
        self.more = self.more or other.more
        for key, value in other._entries.items():
            self.add(key, value)

    def _prune(self) -> None:
        kept = nsmallest(self.limit, self._entries)
        self.more = self.more or len(kept) < len(self._entries)
        self._entries = {key: self._entries[key] for key in kept}

    def items(self) -> Iterator[tuple[Key, Value]]:
        """Yield the entries in the order of their keys."""
        self._prune()
        yield from self._entries.items()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Smallest):
            return NotImplemented
        return [*self.items()] == [*other.items()] and self.more == other.more

    __hash__ = None  # type: ignore[assignment]  # it changes


def digest(text: str) -> bytes:
    """Return eight bytes that depend only on a text. Sorting by them gives a fixed order that looks random."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


class Place(NamedTuple):
    """Where a record was found.

    It has the file (an empty string if there is none) and the line or row, counted from 1.
    """

    file: str
    line: int

    def __str__(self) -> str:
        if self.file:
            return f"{self.file}:{self.line}"
        return ""


class Example(NamedTuple):
    """An example of a call that broke a constraint.

    It has the call's location, its arguments as text, and the hint that a model would get.
    """

    place: Place
    arguments: str
    hint: str


class _Mergeable:
    """Counts and samples to which those of other calls can be added."""

    def merge(self, other: Self) -> Self:
        """Merge the results for other calls into this object and return it. Do not use the other one
        afterwards.
        """
        for name, mine in vars(self).items():
            setattr(self, name, _merged(mine, getattr(other, name)))
        return self


def _merged(mine: Any, others: Any) -> Any:
    """Return the sum of two counts, or the smaller of two texts; otherwise merge the second value into the first."""
    if isinstance(mine, int):
        return mine + others
    if isinstance(mine, str | tuple):
        return min(mine, others)
    if isinstance(mine, dict):
        for key, each in others.items():
            mine[key] = _merged(mine[key], each) if key in mine else each
    else:
        mine.merge(others)
    return mine


@dataclass
class ProblemSummary(_Mergeable):
    """The results for one broken constraint of one tool."""

    examples: Smallest[tuple[int, str], Example]
    """Examples, ordered by the length of the redacted arguments and by their `repr`. The shortest show the problem
    best.
    """
    calls: int = 0
    issues: int = 0
    repaired: int = 0
    """The number of calls that break the constraint and that `repair` makes valid."""
    shortest: tuple[int, str] = (0, "")
    """The shortest field that broke the constraint, with its length; `[]` means any item, and `*` any unknown key."""
    expected: str = ""
    sent: Smallest[tuple[bytes, str], int] = field(default_factory=lambda: Smallest(MAX_DISTINCT_VALUES, add))
    """The values that were sent instead, by digest, with their counts."""


@dataclass
class ToolSummary(_Mergeable):
    """The results for all calls of one tool."""

    calls: int = 0
    invalid: int = 0
    repaired: int = 0
    """The number of invalid calls that `repair` makes valid."""
    rules: Counter[str] = field(default_factory=Counter)
    """For each rule of `repair`, the number of calls that it helped to repair."""
    problems: dict[Broken, ProblemSummary] = field(default_factory=dict)


@dataclass
class Summary(_Mergeable):
    """The results for some records. Merging an empty one changes nothing."""

    records: int = 0
    """The number of lines or rows that were read, not counting empty ones."""
    malformed: int = 0
    """The number of records that are not JSON or have no known format."""
    malformed_at: Smallest[Place, str] = field(default_factory=lambda: Smallest(MAX_UNREADABLE_LINES, min))
    """The first malformed records, each with the reason."""
    unknown: int = 0
    """The number of calls to tools that are not among the audited tools."""
    unknown_names: Smallest[str, int] = field(default_factory=lambda: Smallest(MAX_UNKNOWN, add))
    tools: dict[tuple[str, bool], ToolSummary] = field(default_factory=dict)
    """The summaries by tool name and by whether the record describes the execution instead of the model's call."""

    def called(self) -> dict[str, ToolSummary]:
        """Return the results for each tool by its name.

        It covers the model's calls or, if there are none, the executions.

        A trace contains both for the same call, in two spans or runs. The call is counted only once.
        """
        return {
            name: tool
            for (name, executed), tool in sorted(self.tools.items())
            if not executed or (name, False) not in self.tools
        }
