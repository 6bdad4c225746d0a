"""`ToolSpec`: one tool as a server exports it, with its places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.diagnostics import Place


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool as a server exports it. `schema` is the input schema exactly as given.

    `schema_place` is the place of the schema in its file; `output_schema`, `annotations`
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
