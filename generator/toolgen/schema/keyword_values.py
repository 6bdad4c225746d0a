"""How to fix the value under a keyword that does not have the shape which the dialect's meta-schema asks for."""

from __future__ import annotations

from typing import Any, Final

from toolgen.schema.vocabulary import Shape
from toolgen_runtime.schema.shapes import TYPES, fits

MAX_CONSTANT_DEPTH: Final = 60
"""Levels of a value that stands in generated code; Python nests about 90 brackets in one expression."""
_FIXES: Final = {
    Shape.NUMBER: "write a JSON number",
    Shape.POSITIVE: "write a number above 0",
    Shape.COUNT: "write a whole number, 0 or more",
    Shape.BOOLEAN: "write true or false",
    **dict.fromkeys((Shape.STRING, Shape.FORMAT, Shape.PATTERN, Shape.REFERENCE), "write a string"),
    Shape.NAMES: "write an array of property names, next to `properties`",
    Shape.TYPE: f"the types are {', '.join(TYPES)}",
    Shape.VALUES: "write an array of the allowed values",
    Shape.NAME_LISTS: "write an array of property names under each name",
    Shape.SCHEMA: "write an object or a boolean",
    Shape.SCHEMAS: "write an array with at least one schema",
    Shape.SCHEMA_MAP: "write a schema under each name",
    Shape.ITEMS: "write a schema, or an array of schemas",
    Shape.DEPENDENCIES: "write a schema or an array of names under each name",
}


def fix_for(shape: Shape, value: Any) -> str | None:
    """Return how to fix a keyword's value that does not have its shape; None if it has."""
    return None if fits(shape.value, value) else _FIXES[shape]
