"""`Summary`: what is known of some calls; summaries of parts are merged into that of the whole.

Every count is exact. What is not a count is bounded: samples are the smallest by some key (`Smallest`), so that
they too are the same whatever the partitioning.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from toolgen.audit.bounded_sample import Smallest, added

MAX_VALUES: Final = 64
"""Distinct values that are counted for one constraint."""
MAX_PLACES: Final = 20
"""Lines that are named, of those that could not be read."""
MAX_UNKNOWN: Final = 200
"""Names of unknown tools that are counted."""
DEFAULT_EXAMPLES: Final = 3
MAX_EXAMPLES: Final = 20

Broken = tuple[str, str]
"""A constraint of a tool: the pointer of the keyword in its schema, and the constraint of the issue."""


class Place(NamedTuple):
    """Where a record stands: file (`""` where it came otherwise) and line, or row, from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.file else ""


class Example(NamedTuple):
    """One call that broke a constraint: its place, its arguments as text, and what the model would be told."""

    place: Place
    arguments: str
    hint: str


@dataclass
class ProblemSummary:
    """One constraint of one tool, over all calls that break it."""

    examples: Smallest[tuple[int, str], Example]
    """By the length of the redacted arguments and their `repr`: the shortest show best what is wrong."""
    calls: int = 0
    issues: int = 0
    repaired: int = 0
    """Calls that break it and that `repair` makes valid."""
    shortest: tuple[int, str] = (0, "")
    """The shortest field that broke it, `[]` for any item and `*` for any undeclared key, with its length."""
    expected: str = ""
    sent: Smallest[tuple[bytes, str], int] = field(default_factory=lambda: Smallest(MAX_VALUES, added))
    """What was sent instead, with how often, by a digest."""

    def merge(self, other: ProblemSummary) -> None:
        """Add what another summary of the same constraint says."""
        self.calls += other.calls
        self.issues += other.issues
        self.repaired += other.repaired
        self.shortest = min(self.shortest, other.shortest)
        self.expected = min(self.expected, other.expected)
        self.sent.merge(other.sent)
        self.examples.merge(other.examples)


@dataclass
class ToolSummary:
    """One tool, over all of its calls."""

    calls: int = 0
    invalid: int = 0
    repaired: int = 0
    """Invalid calls that `repair` makes valid."""
    rules: Counter[str] = field(default_factory=Counter)
    """How many calls each rule of `repair` had a part in."""
    problems: dict[Broken, ProblemSummary] = field(default_factory=dict)

    def merge(self, other: ToolSummary) -> None:
        """Add what another summary of the same tool says."""
        self.calls += other.calls
        self.invalid += other.invalid
        self.repaired += other.repaired
        self.rules.update(other.rules)
        for key, problem in other.problems.items():
            mine = self.problems.setdefault(key, problem)
            if mine is not problem:
                mine.merge(problem)


@dataclass
class Summary:
    """What is known of some records: the identity of `merge` where there were none."""

    records: int = 0
    """Lines or rows that were read, without empty ones."""
    malformed: int = 0
    """Records that are not JSON, or not like anything that holds calls."""
    malformed_at: Smallest[Place, str] = field(default_factory=lambda: Smallest(MAX_PLACES, min))
    """The first of them, each with the reason."""
    unknown: int = 0
    """Calls of tools that are not among the tools."""
    unknown_names: Smallest[str, int] = field(default_factory=lambda: Smallest(MAX_UNKNOWN, added))
    tools: dict[tuple[str, bool], ToolSummary] = field(default_factory=dict)
    """By the tool's name, and by whether the record is of the execution, not of what the model sent."""

    def merge(self, other: Summary) -> Summary:
        """Add what a summary of other records says; return this one. The other one is not to be used again."""
        self.records += other.records
        self.malformed += other.malformed
        self.malformed_at.merge(other.malformed_at)
        self.unknown += other.unknown
        self.unknown_names.merge(other.unknown_names)
        for key, tool in other.tools.items():
            mine = self.tools.setdefault(key, tool)
            if mine is not tool:
                mine.merge(tool)
        return self

    def called(self) -> dict[str, ToolSummary]:
        """Return the summary of each tool, by name: of what the model sent, else of what was executed.

        Traces have both of one call, in two spans or runs; it counts once.
        """
        return {
            name: tool
            for (name, executed), tool in sorted(self.tools.items())
            if not executed or (name, False) not in self.tools
        }
