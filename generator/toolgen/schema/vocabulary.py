"""The keywords of the schema graph: one row a keyword says everything that is known of it without its check.

The dialects take the shapes from here, the graph and its analyses ask here what a keyword does, and each row has
its `Keyword` in `toolgen.keywords`, which adds what must hold and how the check is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from toolgen.schema.kinds import Kind


class Shape(Enum):
    """What stands under a keyword; lowering checks it and puts the keyword where it belongs by it."""

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

    IN_PLACE = "the same value as the schema itself"
    MEMBER = "the property of that name"
    ANY_MEMBER = "properties that are not named one by one"
    NAME = "the names of properties"
    ITEM = "the item at that index"
    ANY_ITEM = "items that are not numbered one by one"


class Joins(Enum):
    """How subschemas that look at the same value decide together, whatever else is known of the value."""

    ALL = "each must hold"
    ANY = "one or more must hold"


@dataclass(frozen=True, slots=True)
class KeywordFacts:
    """What is known of one keyword of the graph."""

    name: str
    shape: Shape
    kind: Kind | None = None
    """The kind of value that it looks at; None: any value."""
    target: Target | None = None
    """What its subschemas look at; None where it has none."""
    joins: Joins | None = None
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


_STRING, _NUMBER, _ARRAY, _OBJECT = Kind.STRING, Kind.NUMBER, Kind.ARRAY, Kind.OBJECT
_SCHEMA, _SCHEMAS, _SCHEMA_MAP = Shape.SCHEMA, Shape.SCHEMAS, Shape.SCHEMA_MAP
_IN_PLACE: Final = Target.IN_PLACE
_ROWS: Final = (
    KeywordFacts("type", Shape.TYPE),
    KeywordFacts("enum", Shape.VALUES),
    KeywordFacts("const", Shape.ANY),
    KeywordFacts("minLength", Shape.COUNT, _STRING),
    KeywordFacts("maxLength", Shape.COUNT, _STRING),
    KeywordFacts("pattern", Shape.PATTERN, _STRING),
    KeywordFacts("format", Shape.FORMAT, _STRING),
    KeywordFacts("minimum", Shape.NUMBER, _NUMBER),
    KeywordFacts("exclusiveMinimum", Shape.NUMBER, _NUMBER),
    KeywordFacts("maximum", Shape.NUMBER, _NUMBER),
    KeywordFacts("exclusiveMaximum", Shape.NUMBER, _NUMBER),
    KeywordFacts("multipleOf", Shape.POSITIVE, _NUMBER),
    KeywordFacts("minItems", Shape.COUNT, _ARRAY),
    KeywordFacts("maxItems", Shape.COUNT, _ARRAY),
    KeywordFacts("uniqueItems", Shape.BOOLEAN, _ARRAY),
    KeywordFacts("prefixItems", _SCHEMAS, _ARRAY, Target.ITEM, apart=True),
    KeywordFacts("items", _SCHEMA, _ARRAY, Target.ANY_ITEM, apart=True, evaluates_rest=True),
    KeywordFacts("contains", _SCHEMA, _ARRAY, Target.ANY_ITEM, flips=True),
    KeywordFacts("minContains", Shape.COUNT, _ARRAY, needs="contains"),
    KeywordFacts("maxContains", Shape.COUNT, _ARRAY, needs="contains"),
    KeywordFacts(
        "unevaluatedItems", _SCHEMA, _ARRAY, Target.ANY_ITEM, evaluates_rest=True, asks_evaluated=True
    ),
    KeywordFacts("properties", _SCHEMA_MAP, _OBJECT, Target.MEMBER, apart=True),
    KeywordFacts("required", Shape.NAMES, _OBJECT),
    KeywordFacts("patternProperties", _SCHEMA_MAP, _OBJECT, Target.ANY_MEMBER),
    KeywordFacts(
        "additionalProperties", _SCHEMA, _OBJECT, Target.ANY_MEMBER, apart=True, evaluates_rest=True
    ),
    KeywordFacts("propertyNames", _SCHEMA, _OBJECT, Target.NAME),
    KeywordFacts("minProperties", Shape.COUNT, _OBJECT),
    KeywordFacts("maxProperties", Shape.COUNT, _OBJECT),
    KeywordFacts("dependentRequired", Shape.NAME_LISTS, _OBJECT),
    KeywordFacts("dependentSchemas", _SCHEMA_MAP, _OBJECT, _IN_PLACE),
    KeywordFacts(
        "unevaluatedProperties", _SCHEMA, _OBJECT, Target.ANY_MEMBER, evaluates_rest=True, asks_evaluated=True
    ),
    KeywordFacts("$ref", Shape.REFERENCE, None, _IN_PLACE, Joins.ALL),
    KeywordFacts("$dynamicRef", Shape.REFERENCE, None, _IN_PLACE, Joins.ALL),
    KeywordFacts("allOf", _SCHEMAS, None, _IN_PLACE, Joins.ALL),
    KeywordFacts("anyOf", _SCHEMAS, None, _IN_PLACE, Joins.ANY),
    KeywordFacts("oneOf", _SCHEMAS, None, _IN_PLACE, Joins.ANY, flips=True),
    KeywordFacts("not", _SCHEMA, None, _IN_PLACE, flips=True),
    KeywordFacts("if", _SCHEMA, None, _IN_PLACE, flips=True),
    KeywordFacts("then", _SCHEMA, None, _IN_PLACE, needs="if"),
    KeywordFacts("else", _SCHEMA, None, _IN_PLACE, needs="if"),
)
KEYWORDS: Final[Mapping[str, KeywordFacts]] = {row.name: row for row in _ROWS}
"""The keywords of the graph, by name; dialects have a few more, which lowering says in these."""
PLACES: Final[Mapping[str, int]] = {row.name: at for at, row in enumerate(_ROWS)}
"""Where each keyword stands in the order of the vocabulary."""
