"""Payload models: the typed, types-only view of a tool's schema as pydantic classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from toolgen.codegen.code import INDENT, Code, fragment, joined_lines, name
from toolgen.codegen.foreign_source import Imports
from toolgen.codegen.literals import docstring
from toolgen.codegen.module import place
from toolgen.python.identifiers import Identifier
from toolgen.python.models.emission import PayloadClass, emit
from toolgen.python.models.projection import project
from toolgen.python.models.views import reachable
from toolgen.schema.ir import Schema

__all__ = ["Models", "payload_models"]

_EMPTY: Final = Code("")
_APART: Final = ((0, _EMPTY), (0, _EMPTY))


@dataclass(frozen=True, slots=True)
class Models:
    """The classes of one tool as source text.

    `source` has the class statements, and `imports` the imports that they need. `classes` maps each class to its
    schema; a class comes after the classes that it uses.
    """

    imports: Imports
    source: Code
    root_class: Identifier
    classes: Mapping[Identifier, Schema]


def payload_models(root: Schema, class_name: Identifier) -> Models:
    """Return one tool's payload models. The payload's class is `class_name`; others are named after their places."""
    imports, classes = emit(reachable(project(root, class_name)))
    statements = [joined_lines([*_lines(one), *_APART], INDENT) for one in classes]
    source = joined_lines([(0, statement) for statement in statements], INDENT)
    return Models(imports, source, class_name, {one.name: one.schema for one in classes})


def _lines(one: PayloadClass) -> Iterator[tuple[int, Code]]:
    """Yield the lines of a class statement with their indents; a field's description stands below the field."""
    parts = {"name": name(one.name), "base": one.base}
    if one.extra is None:
        yield 0, fragment("class {name}({base}, frozen=True):", **parts)
    else:
        yield 0, fragment("class {name}({base}, extra={extra}, frozen=True):", extra=one.extra, **parts)
    where = place(one.schema)
    default = "A payload of this tool." if where == "#" else f"A value under {where}."
    yield 1, docstring(one.about or default)
    if one.fields:
        yield 0, _EMPTY
    for line, about in one.fields:
        yield 1, line
        if about:
            yield 1, docstring(about)
