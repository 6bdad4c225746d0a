"""One tool as a server exports it, and where each part of it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolgen.compiler.diagnostics import Place


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool as a server exports it. `schema` is its input schema, unchanged.

    `schema_place` is the place of the schema in its file. `output_schema`, `annotations`, `title`, `icons` and
    `execution` are kept only as data.
    """

    name: str
    description: str
    schema: Mapping[str, Any] | bool
    place: Place
    schema_place: Place
    title: str | None = None
    output_schema: Mapping[str, Any] | bool | None = None
    annotations: Mapping[str, Any] = field(default_factory=dict)
    icons: Sequence[Any] = ()
    execution: Mapping[str, Any] = field(default_factory=dict)

    @property
    def metadata(self) -> dict[str, Any]:
        """Everything else in the spec, under the protocol's keys."""
        data = {
            "title": self.title,
            "annotations": dict(self.annotations),
            "icons": list(self.icons),
            "execution": dict(self.execution),
        }
        given: dict[str, Any] = {key: value for key, value in data.items() if value}
        if self.output_schema is None:
            return given
        return {**given, "outputSchema": self.output_schema}
