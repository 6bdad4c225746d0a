"""Problems as data: a place, a code of the closed table, one sentence, and how to fix it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from toolgen.diagnostic_codes import CODES, Level
from toolgen.lint_codes import LINT_CODES
from toolgen_runtime.schema.pointer import join

__all__ = ["CODES", "Diagnostic", "Level", "Place", "Reporter", "SpecError", "with_counts"]

MAX_NAMES: Final = 5
"""Tools that a diagnostic about several names."""
MAX_LINES: Final = 10
"""Diagnostics that the text of an error has."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file (`-` for standard input, `""` for a value in memory) and a JSON pointer in it (RFC 6901).

    `line` and `column`, from 1, are those of an error of syntax, which no pointer leads to; 0 elsewhere.
    """

    file: str
    pointer: str = ""
    line: int = 0
    column: int = 0

    def below(self, *steps: str | int) -> Place:
        """Return the place reached from here by these keys and indices."""
        return Place(self.file, self.pointer + join(*steps))

    def __str__(self) -> str:
        return f"{self.file or '<memory>'}#{self.pointer}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem: where, what (`code` is stable, `message` one sentence), and how to fix it (`hint`).

    Raises:
        ValueError: neither `CODES` nor `LINT_CODES` has the code, or not at this level.
    """

    place: Place
    code: str
    message: str
    hint: str = ""
    tool: str = ""
    level: Level = "error"

    def __post_init__(self) -> None:
        entry = CODES.get(self.code) or LINT_CODES.get(self.code)
        if entry is None:
            raise ValueError(f"not a diagnostic code: {self.code!r}; add it to CODES")
        if self.level not in entry.levels:
            raise ValueError(f"{self.code!r} is not a diagnostic of level {self.level!r}")

    def line(self, line: int = 0, column: int = 0) -> str:
        """Return `file:line:col: level[code] message (hint) #pointer`, the form that editors and CI jump from.

        The line and the column of the place itself win; where neither is known, they are left out.
        """
        line, column = (self.place.line, self.place.column) if self.place.line else (line, column)
        position = f":{line}:{column}" if line else ""
        tool = f" tool {self.tool!r}:" if self.tool else ""
        hint = f" ({self.hint})" if self.hint else ""
        pointer = f" #{self.place.pointer}" if self.place.pointer else ""
        head = f"{self.place.file or '<memory>'}{position}: {self.level}[{self.code}]"
        return f"{head}{tool} {self.message}{hint}{pointer}"

    def __str__(self) -> str:
        return self.line()


def with_counts(diagnostics: Iterable[Diagnostic], key: Callable[[Diagnostic], Hashable]) -> list[Diagnostic]:
    """Return the diagnostics with one for all of a key, at the first, that says in how many tools they are.

    Those whose key is None stay as they are.
    """
    groups: dict[Hashable, list[Diagnostic]] = {}
    for number, diagnostic in enumerate(diagnostics):
        group = key(diagnostic)
        groups.setdefault(number if group is None else (group,), []).append(diagnostic)
    return [_of_all(group) for group in groups.values()]


def _of_all(group: Sequence[Diagnostic]) -> Diagnostic:
    first, names = group[0], list(dict.fromkeys(diagnostic.tool for diagnostic in group))
    if len(group) == 1:
        return first
    places = "" if len(group) == len(names) else f"{len(group)} places of "
    tools = "1 tool" if len(names) == 1 else f"{len(names)} tools"
    listed = ", ".join(map(repr, names[:MAX_NAMES]))
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return replace(first, tool="", message=f"{first.message}, in {places}{tools}: {listed}{more}")


Reporter = Callable[[Diagnostic], None]
"""Takes each problem as it comes up."""


class SpecError(Exception):
    """An error for specs that cannot be built; `diagnostics` lists every problem."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        more = len(self.diagnostics) - MAX_LINES
        lines = [
            *map(str, self.diagnostics[:MAX_LINES]),
            *([f"and {more:,} more, in .diagnostics"] if more > 0 else []),
        ]
        super().__init__("\n".join(lines))

    @classmethod
    def of(cls, place: Place, code: str, message: str, hint: str, tool: str = "") -> SpecError:
        """Return the error of one problem."""
        return cls([Diagnostic(place, code, message, hint, tool)])

    def __reduce__(self) -> tuple[type[SpecError], tuple[tuple[Diagnostic, ...]]]:
        """Pickle and copy what an error is made of, which is not what it says."""
        return SpecError, (self.diagnostics,)
