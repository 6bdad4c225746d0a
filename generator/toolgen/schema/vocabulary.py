"""The keywords of the schema graph: the rows of `toolgen_runtime.schema.keywords`, and what analyses of graphs ask.

The dialects take the shapes from here, the graph and its analyses ask here what a keyword does, and each row has
its `Keyword` in `toolgen.keywords`, which adds what must hold and how the check is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from toolgen.schema.kinds import Kind
from toolgen_runtime.schema.keywords import GRAPH, Keyword
from toolgen_runtime.schema.shapes import TYPES, fits


class Shape(Enum):
    """The value of a keyword; lowering checks it and puts the keyword where it belongs by it."""

    NUMBER = "a number"
    POSITIVE = "a number above 0"
    COUNT = "a non-negative integer"
    BOOLEAN = "true or false"
    STRING = "a string"
    FORMAT = "the name of a format"
    PATTERN = "a regular expression"
    NAMES = "an array of strings"
    TYPE = "a type name or an array of type names"
    VALUES = "an array"
    ANY = "any value"
    NAME_LISTS = "an object whose values are arrays of strings"
    SCHEMA = "a schema"
    SCHEMAS = "a non-empty array of schemas"
    SCHEMA_MAP = "an object whose values are schemas"
    ITEMS = "a schema or an array of schemas"
    DEPENDENCIES = "an object whose values are schemas or arrays of strings"
    REFERENCE = "a URI reference"

    __hash__ = object.__hash__  # each is one object; `Enum` hashes names, in Python


class Target(Enum):
    """What the subschemas of a keyword look at (2020-12 core, sections 10.2 and 10.3)."""

    IN_PLACE = "value"
    """The same value as the schema itself."""
    MEMBER = "member"
    """The property of that name."""
    ANY_MEMBER = "any member"
    NAME = "name"
    """The names of properties."""
    ITEM = "item"
    """The item at that index."""
    ANY_ITEM = "any item"


class Joins(Enum):
    """How subschemas that look at the same value decide together, whatever else is known of the value."""

    ALL = "all"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class KeywordFacts:
    """What is known of one keyword of the graph."""

    name: str
    shape: Shape
    kind: Kind | None
    """The kind of value that it looks at; None: any value."""
    target: Target | None
    """What its subschemas look at; None where it has none."""
    joins: Joins | None
    row: Keyword
    flips: bool = False
    """Whether it can take a value because a subschema does not."""
    apart: bool = False
    """Whether its subschemas never look at the same part of a value twice."""
    evaluates_rest: bool = False
    """Whether it evaluates whatever no keyword beside it does (2020-12 core, section 11)."""
    asks_evaluated: bool = False
    """Whether it looks at what no other keyword has evaluated, those in subschemas included."""
    needs: str = ""
    """The keyword without which it must be ignored (2020-12 core, section 10.2.2; validation, section 6.4.4)."""

    @property
    def in_place(self) -> bool:
        """Whether its subschemas look at the same value as the schema itself."""
        return self.target is Target.IN_PLACE


_FOR_GRAPHS: Final[dict[str, dict[str, Any]]] = {
    "prefixItems": {"apart": True},
    "items": {"apart": True, "evaluates_rest": True},
    "contains": {"flips": True},
    "minContains": {"needs": "contains"},
    "maxContains": {"needs": "contains"},
    "unevaluatedItems": {"evaluates_rest": True, "asks_evaluated": True},
    "properties": {"apart": True},
    "additionalProperties": {"apart": True, "evaluates_rest": True},
    "unevaluatedProperties": {"evaluates_rest": True, "asks_evaluated": True},
    "oneOf": {"flips": True},
    "not": {"flips": True},
    "if": {"flips": True},
    "then": {"needs": "if"},
    "else": {"needs": "if"},
}


def _facts(row: Keyword) -> KeywordFacts:
    return KeywordFacts(
        row.name,
        Shape(row.shape),
        None if row.kind == "any" else Kind(row.kind),
        None if row.subject is None else Target(row.subject),
        None if row.joins is None else Joins(row.joins),
        row,
        **_FOR_GRAPHS.get(row.name, {}),
    )


KEYWORDS: Final[Mapping[str, KeywordFacts]] = {name: _facts(row) for name, row in GRAPH.items()}
"""The keywords of the graph, by name; dialects have a few more, which lowering says in these."""
PLACES: Final[Mapping[str, int]] = {name: at for at, name in enumerate(KEYWORDS)}
"""Where each keyword stands in the order of the vocabulary."""


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
