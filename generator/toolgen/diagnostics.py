"""Problems as data: a place, a code of the closed table, one sentence, and how to fix it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from toolgen.diagnostic_codes import CODES, Level
from toolgen.lint.codes import LINT_CODES
from toolgen_runtime.schema.pointer import join

__all__ = ["CODES", "Diagnostic", "Level", "Place", "Reporter", "SpecError"]


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


Reporter = Callable[[Diagnostic], None]
"""Takes each problem as it comes up."""


class SpecError(Exception):
    """Specs that cannot be built; `diagnostics` holds every problem."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(map(str, self.diagnostics)))

    def __reduce__(self) -> tuple[type[SpecError], tuple[tuple[Diagnostic, ...]]]:
        """Pickle and copy what an error is made of, which is not what it says."""
        return SpecError, (self.diagnostics,)
