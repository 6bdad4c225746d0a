"""`Summary`: the results for some calls; summaries of parts are merged into that of the whole.

Every count is exact. Everything else is limited: samples have the smallest entries by some key (`Smallest`), so
they are also the same for every partitioning.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import Any, Final, Generic, NamedTuple, Self, TypeVar

MAX_VALUES: Final = 64
"""The maximum number of distinct values that are counted for one constraint."""
MAX_PLACES: Final = 20
"""The maximum number of unreadable lines that are named."""
MAX_UNKNOWN: Final = 200
"""The maximum number of names of unknown tools that are counted."""
DEFAULT_EXAMPLES: Final = 3
MAX_EXAMPLES: Final = 20

Broken = tuple[str, str]
"""A constraint of a tool: the pointer of the keyword in its schema, and the constraint of the issue."""


Key = TypeVar("Key", bound=Any)
Value = TypeVar("Value")


class Smallest(Generic[Key, Value]):
    """The entries with the `limit` smallest keys; the values of one key are combined.

    A key among the smallest of all entries is among the smallest of every part that contains it, so it is never
    dropped, and its combined value is exact. `merge` is associative and commutative if `combine` is.
    """

    __slots__ = ("_combine", "_cutoff", "_entries", "limit", "more")

    def __init__(self, limit: int, combine: Callable[[Value, Value], Value]) -> None:
        """Create an empty sample; `combine` must be a function of a module, so that the sample can be pickled."""
        self.limit = limit
        self.more = False
        """Whether there were more than `limit` keys."""
        self._combine = combine
        self._entries: dict[Key, Value] = {}
        self._cutoff: Key | None = None

    def add(self, key: Key, value: Value) -> None:
        """Add an entry."""
        if not self.limit or (self._cutoff is not None and self._cutoff < key):
            self.more = True
        elif key in self._entries:
            self._entries[key] = self._combine(self._entries[key], value)
        else:
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
        if len(kept) == self.limit:
            self._cutoff = kept[-1]
        else:
            self._cutoff = None

    def items(self) -> Iterator[tuple[Key, Value]]:
        """Yield the entries in the order of their keys."""
        if self.limit:
            self._prune()
        yield from self._entries.items()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Smallest):
            return NotImplemented
        return [*self.items()] == [*other.items()] and self.more == other.more

    __hash__ = None  # type: ignore[assignment]  # it changes


def added(left: int, right: int) -> int:
    """Return the sum; a function that combines counts."""
    return left + right


def digest(text: str) -> bytes:
    """Return eight bytes for sampling texts as if at random, but the same ones everywhere."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


class Place(NamedTuple):
    """The place of a record: file (`""` if it is not from a file) and line, or row, from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        if self.file:
            return f"{self.file}:{self.line}"
        return ""


class Example(NamedTuple):
    """One call that broke a constraint: its place, its arguments as text, and the hint that a model would get."""

    place: Place
    arguments: str
    hint: str


class _Mergeable:
    """Counts and samples that can be added to those of other calls."""

    def merge(self, other: Self) -> Self:
        """Add the summary of other calls; return this one. Do not use the other one afterwards."""
        for name, mine in vars(self).items():
            setattr(self, name, _merged(mine, getattr(other, name)))
        return self


def _merged(mine: Any, others: Any) -> Any:
    """Return the sum of two counts, the lesser of two texts, or otherwise the first with the second merged in."""
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
    """One constraint of one tool, over all calls that break it."""

    examples: Smallest[tuple[int, str], Example]
    """Examples by the length of the redacted arguments and their `repr`: the shortest show the problem best."""
    calls: int = 0
    issues: int = 0
    repaired: int = 0
    """The number of calls that break it and that `repair` makes valid."""
    shortest: tuple[int, str] = (0, "")
    """The shortest field that broke it, `[]` for any item and `*` for any undeclared key, with its length."""
    expected: str = ""
    sent: Smallest[tuple[bytes, str], int] = field(default_factory=lambda: Smallest(MAX_VALUES, added))
    """The values that were sent instead, by a digest, with their counts."""


@dataclass
class ToolSummary(_Mergeable):
    """One tool, over all of its calls."""

    calls: int = 0
    invalid: int = 0
    repaired: int = 0
    """The number of invalid calls that `repair` makes valid."""
    rules: Counter[str] = field(default_factory=Counter)
    """The number of calls that each rule of `repair` contributed to."""
    problems: dict[Broken, ProblemSummary] = field(default_factory=dict)


@dataclass
class Summary(_Mergeable):
    """The results for some records; without records, it is the identity of `merge`."""

    records: int = 0
    """The number of lines or rows that were read, without empty ones."""
    malformed: int = 0
    """The number of records that are not JSON, or have no known format."""
    malformed_at: Smallest[Place, str] = field(default_factory=lambda: Smallest(MAX_PLACES, min))
    """The first of them, each with the reason."""
    unknown: int = 0
    """The number of calls of tools that are not among the audited tools."""
    unknown_names: Smallest[str, int] = field(default_factory=lambda: Smallest(MAX_UNKNOWN, added))
    tools: dict[tuple[str, bool], ToolSummary] = field(default_factory=dict)
    """By the tool's name, and by whether the record is of the execution instead of the model's call."""

    def called(self) -> dict[str, ToolSummary]:
        """Return the summary of each tool, by name: of the model's calls, or if there are none, of the executions.

        Traces have both for one call, in two spans or runs; the call counts once.
        """
        return {
            name: tool
            for (name, executed), tool in sorted(self.tools.items())
            if not executed or (name, False) not in self.tools
        }
