"""Problems in specs as data (`Diagnostic`), and the error that contains them (`SpecError`).

Each has a place, a code from the table, a message of one sentence, and a hint that says how to fix it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from toolgen.compiler.diagnostic_codes import CODES, Level
from toolgen.compiler.lint_codes import LINT_CODES
from toolgen_runtime.schema.pointer import join

__all__ = ["CODES", "Diagnostic", "Level", "Place", "Reporter", "SpecError", "with_counts"]

MAX_NAMES: Final = 5
"""The maximum number of tools that one diagnostic names."""
MAX_LINES: Final = 10
"""The maximum number of diagnostics in the text of an error."""


@dataclass(frozen=True, slots=True)
class Place:
    """A location: a file (`-` for standard input, `""` for a value in memory), and a JSON pointer into it
    (RFC 6901).

    A syntax error has no pointer; it has a `line` and a `column`, counted from 1, which are otherwise 0.
    """

    file: str
    pointer: str = ""
    line: int = 0
    column: int = 0

    def below(self, *steps: str | int) -> Place:
        """Return the location that these keys and indexes lead to from here."""
        return Place(self.file, self.pointer + join(*steps))

    def __str__(self) -> str:
        return f"{self.file or '<memory>'}#{self.pointer}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem: where it is, its stable `code`, a `message` of one sentence, and how to fix it (`hint`).

    Raises:
        ValueError: the code is neither in `CODES` nor in `LINT_CODES`, or does not have this level.
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
        """Return the line `file:line:col: level[code] message (hint) #pointer`, which editors and CI turn
        into a link.

        If the place itself has a line and a column, they are used. If neither is known, they are left out.
        """
        line, column = (self.place.line, self.place.column) if self.place.line else (line, column)
        if line:
            position = f":{line}:{column}"
        else:
            position = ""
        if self.tool:
            tool = f" tool {self.tool!r}:"
        else:
            tool = ""
        if self.hint:
            hint = f" ({self.hint})"
        else:
            hint = ""
        if self.place.pointer:
            pointer = f" #{self.place.pointer}"
        else:
            pointer = ""
        head = f"{self.place.file or '<memory>'}{position}: {self.level}[{self.code}]"
        return f"{head}{tool} {self.message}{hint}{pointer}"

    def __str__(self) -> str:
        return self.line()


def with_counts(diagnostics: Iterable[Diagnostic], key: Callable[[Diagnostic], Hashable]) -> list[Diagnostic]:
    """Merge diagnostics that have the same key, and say in the message how many tools they are about.

    Diagnostics whose key is None are not merged.
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
    if len(group) == len(names):
        places = ""
    else:
        places = f"{len(group)} places of "
    if len(names) == 1:
        tools = "1 tool"
    else:
        tools = f"{len(names)} tools"
    listed = ", ".join(map(repr, names[:MAX_NAMES]))
    if len(names) > MAX_NAMES:
        more = f" and {len(names) - MAX_NAMES} more"
    else:
        more = ""
    return replace(first, tool="", message=f"{first.message}, in {places}{tools}: {listed}{more}")


Reporter = Callable[[Diagnostic], None]
"""A function that is called with each problem as it is found."""


class SpecError(Exception):
    """The error for specs that cannot be built. `diagnostics` lists every problem."""

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
        """Create an error that reports a single problem."""
        return cls([Diagnostic(place, code, message, hint, tool)])

    def __reduce__(self) -> tuple[type[SpecError], tuple[tuple[Diagnostic, ...]]]:
        """Pickle and copy the diagnostics instead of the message."""
        return SpecError, (self.diagnostics,)
