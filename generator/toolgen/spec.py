"""What the readers produce and every later stage works on: tool specs, their places, diagnostics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from toolgen_runtime.pointer import join

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: a file (or `-`, or `""` for a value in memory) and a JSON pointer in it."""

    file: str
    pointer: str = ""

    def below(self, *steps: str | int) -> Place:
        """The place reached from here by these keys and indices."""
        return Place(self.file, self.pointer + join(*steps))

    def __str__(self) -> str:
        return f"{self.file or '<memory>'}#{self.pointer}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: where, what (`code` is stable, `message` one sentence), and how to mend it (`hint`)."""

    place: Place
    code: str
    message: str
    hint: str = ""
    tool: str = ""
    level: Level = "error"

    def __str__(self) -> str:
        tool = f" tool {self.tool!r}:" if self.tool else ""
        mend = f" ({self.hint})" if self.hint else ""
        return f"{self.place}:{tool} {self.level}[{self.code}]: {self.message}{mend}"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool as a server exports it. `schema` is the input schema exactly as given.

    `schema_place` is where the schema stands in its file; `output_schema`, `annotations`
    and `title` are kept as data only.
    """

    name: str
    description: str
    schema: Mapping[str, Any] | bool
    place: Place
    schema_place: Place
    title: str | None = None
    output_schema: Mapping[str, Any] | None = None
    annotations: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RefDir:
    """A folder of schemas for non-local references: `uri` + path below it, or by `$id` if None."""

    path: Path
    uri: str | None = None


class SpecError(Exception):
    """Specs that cannot be built; `diagnostics` names every problem found."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(map(str, self.diagnostics)))
