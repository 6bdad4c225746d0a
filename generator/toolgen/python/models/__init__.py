"""Payload models: the typed, types-only view of a tool's schema as pydantic classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toolgen.python.models.emission import emit
from toolgen.python.models.projection import project
from toolgen.python.models.views import reachable
from toolgen.python.names import Identifier
from toolgen.schema.ir import Schema

__all__ = ["Models", "payload_models"]


@dataclass(frozen=True, slots=True)
class Models:
    """The classes of one tool as source text.

    `imports` are the import lines that `source`, the class statements, needs; both end without a newline.
    `classes` gives for every class the schema that it shows, each class after those that it names.
    """

    imports: str
    source: str
    root_class: Identifier
    classes: Mapping[Identifier, Schema]


def payload_models(root: Schema, class_name: Identifier) -> Models:
    """The payload models of one tool: `class_name` for the payload itself, other names from places below it."""
    top = project(root, class_name)
    views = reachable(top)
    imports, source = emit(views)
    return Models(imports, source, class_name, {view.name: view.schema for view in views})
