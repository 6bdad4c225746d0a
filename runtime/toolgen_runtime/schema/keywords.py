"""The table of JSON Schema's keywords, which all parts of toolgen use.

The generator extends these entries with the conditions to check. Generated checks load this module when they report
their first issue, so it imports only the shapes.
"""

from __future__ import annotations

from toolgen_runtime.schema import shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Final, Literal, LiteralString

    from toolgen_runtime.schema.shapes import Shape

    Kind = Literal["string", "number", "array", "object", "any"]
    Subject = Literal["value", "member", "any member", "name", "item", "any item"]
    Joins = Literal["all", "any"]


class Measure:
    """What a limit compares: a number itself, or how many characters, items or keys a value has."""

    __slots__ = ("of", "unit", "written")

    def __init__(self, unit: str, written: LiteralString, of: Callable[[Any], Any] | None) -> None:
        self.unit = unit
        """The counted unit in the singular, such as `character`; empty for the number itself."""
        self.written: LiteralString = written
        """The measure of `{v}` as Python source."""
        self.of = of
        """Measures a value; None if the measure depends on more than the value."""


class Comparison:
    """How a limit is compared with what is measured."""

    __slots__ = ("operator", "side", "strict", "words")

    def __init__(
        self, operator: Literal[">=", ">", "<=", "<", "%"], words: str, side: Literal["least", "most", ""]
    ) -> None:
        self.operator: Literal[">=", ">", "<=", "<", "%"] = operator
        self.words = words
        """The comparison in words: `at most`, `a multiple of`."""
        self.side = side
        """Whether the limit is a lower bound (`least`), an upper bound (`most`) or neither (empty)."""
        self.strict = operator in (">", "<")


NUMBER: Final = Measure("", "{v}", lambda value: value)
CHARACTERS: Final = Measure("character", "len({v})", len)
ITEMS: Final = Measure("item", "len({v})", len)
PROPERTIES: Final = Measure("key", "len({v})", len)
MATCHES: Final = Measure("matching item", "", None)

AT_LEAST: Final = Comparison(">=", "at least", "least")
MORE_THAN: Final = Comparison(">", "more than", "least")
AT_MOST: Final = Comparison("<=", "at most", "most")
LESS_THAN: Final = Comparison("<", "less than", "most")
MULTIPLE_OF: Final = Comparison("%", "a multiple of", "")


class Keyword:
    """A keyword of JSON Schema, with its properties that are the same in every schema."""

    __slots__ = (
        "comparison",
        "is_annotation",
        "joins",
        "kind",
        "measure",
        "name",
        "names_key",
        "shape",
        "subject",
    )

    def __init__(
        self,
        name: str,
        shape: Shape,
        kind: Kind = "any",
        *,
        measure: Measure | None = None,
        comparison: Comparison | None = None,
        subject: Subject | None = None,
        joins: Joins | None = None,
        names_key: bool = False,
        is_annotation: bool = False,
    ) -> None:
        self.name = name
        self.shape = shape
        """The form that the keyword's own value must have."""
        self.kind = kind
        """The kind of value that the keyword constrains."""
        self.measure = measure
        self.comparison = comparison
        self.subject = subject
        """The part of a value that its subschemas apply to; None if it has none or they are not applied (`$defs`)."""
        self.joins = joins
        """Whether all subschemas for the same value must be valid, or any."""
        self.names_key = names_key
        """Whether the path of the keyword's issues ends in an unknown key."""
        self.is_annotation = is_annotation

    @property
    def in_place(self) -> bool:
        """Whether the keyword's subschemas apply to the same value as the schema that contains it."""
        return self.subject == "value"

    @property
    def is_union(self) -> bool:
        """Whether the keyword is `anyOf` or `oneOf`."""
        return self.joins == "any"

    @property
    def is_limit(self) -> bool:
        """Whether the keyword limits a number, or the number of characters, items or keys of a value."""
        return self.measure is not None and self.measure.of is not None

    def keeps(self, limit: Any, value: Any) -> bool:
        """Return whether a value, whose type is right, is within a limit."""
        if self.measure is None or self.measure.of is None or self.comparison is None:
            raise TypeError(f"{self.name} is not a limit")
        measured = self.measure.of(value)
        match self.comparison.operator:
            case ">=":
                return bool(measured >= limit)
            case ">":
                return bool(measured > limit)
            case "<=":
                return bool(measured <= limit)
            case "<":
                return bool(measured < limit)
        from toolgen_runtime.validation.multiples import is_multiple

        return is_multiple(measured, limit)

    def said(self, limit: Any) -> str:
        """Return a limit in words, such as `at most 3 characters`, `more than 0` or `a multiple of 5`."""
        if self.comparison is None or self.measure is None:
            return f"{self.name} {limit}"
        unit = self.measure.unit
        text = f"{self.comparison.words} {limit}"
        if unit:
            return f"{text} {unit}{'' if str(limit) == '1' else 's'}"
        return text

    def __repr__(self) -> str:
        return f"Keyword({self.name!r})"


def _limit(name: str, kind: Kind, measure: Measure, comparison: Comparison) -> Keyword:
    shape = shapes.COUNT
    if measure is NUMBER:
        shape = shapes.POSITIVE if comparison is MULTIPLE_OF else shapes.NUMBER
    return Keyword(name, shape, kind, measure=measure, comparison=comparison)


def _schema(
    name: str, kind: Kind = "any", subject: Subject | None = "value", *, names_key: bool = False
) -> Keyword:
    return Keyword(name, shapes.SCHEMA, kind, subject=subject, names_key=names_key)


def _schemas(
    name: str, kind: Kind = "any", subject: Subject = "value", joins: Joins | None = None
) -> Keyword:
    return Keyword(name, shapes.SCHEMAS, kind, subject=subject, joins=joins)


def _schema_map(name: str, kind: Kind = "any", subject: Subject | None = None) -> Keyword:
    return Keyword(name, shapes.SCHEMA_MAP, kind, subject=subject)


def _reference(name: str) -> Keyword:
    return Keyword(name, shapes.REFERENCE, subject="value", joins="all")


def _annotation(name: str, shape: Shape) -> Keyword:
    return Keyword(name, shape, is_annotation=True)


_GRAPH: Final = (
    Keyword("type", shapes.TYPE),
    Keyword("enum", shapes.VALUES),
    Keyword("const", shapes.ANY),
    _limit("minLength", "string", CHARACTERS, AT_LEAST),
    _limit("maxLength", "string", CHARACTERS, AT_MOST),
    Keyword("pattern", shapes.PATTERN, "string"),
    Keyword("format", shapes.FORMAT, "string"),
    _limit("minimum", "number", NUMBER, AT_LEAST),
    _limit("exclusiveMinimum", "number", NUMBER, MORE_THAN),
    _limit("maximum", "number", NUMBER, AT_MOST),
    _limit("exclusiveMaximum", "number", NUMBER, LESS_THAN),
    _limit("multipleOf", "number", NUMBER, MULTIPLE_OF),
    _limit("minItems", "array", ITEMS, AT_LEAST),
    _limit("maxItems", "array", ITEMS, AT_MOST),
    Keyword("uniqueItems", shapes.BOOLEAN, "array"),
    _schemas("prefixItems", "array", "item"),
    _schema("items", "array", "any item"),
    _schema("contains", "array", "any item"),
    _limit("minContains", "array", MATCHES, AT_LEAST),
    _limit("maxContains", "array", MATCHES, AT_MOST),
    _schema("unevaluatedItems", "array", "any item"),
    _schema_map("properties", "object", "member"),
    Keyword("required", shapes.NAMES, "object"),
    _schema_map("patternProperties", "object", "any member"),
    _schema("additionalProperties", "object", "any member", names_key=True),
    _schema("propertyNames", "object", "name", names_key=True),
    _limit("minProperties", "object", PROPERTIES, AT_LEAST),
    _limit("maxProperties", "object", PROPERTIES, AT_MOST),
    Keyword("dependentRequired", shapes.NAME_LISTS, "object"),
    _schema_map("dependentSchemas", "object", "value"),
    _schema("unevaluatedProperties", "object", "any member", names_key=True),
    _reference("$ref"),
    _reference("$dynamicRef"),
    _schemas("allOf", joins="all"),
    _schemas("anyOf", joins="any"),
    _schemas("oneOf", joins="any"),
    _schema("not"),
    _schema("if"),
    _schema("then"),
    _schema("else"),
)
_OLDER: Final = (
    _schema("additionalItems", "array", "any item"),
    Keyword("dependencies", shapes.DEPENDENCIES, "object", subject="value"),
    _reference("$recursiveRef"),
)
_HOLDERS: Final = (
    _schema_map("$defs"),
    _schema_map("definitions"),
    _schema("contentSchema", "string", None),
)
_ANNOTATIONS: Final = (
    _annotation("title", shapes.STRING),
    _annotation("description", shapes.STRING),
    _annotation("default", shapes.ANY),
    _annotation("examples", shapes.VALUES),
    _annotation("deprecated", shapes.BOOLEAN),
    _annotation("readOnly", shapes.BOOLEAN),
    _annotation("writeOnly", shapes.BOOLEAN),
    _annotation("discriminator", shapes.ANY),
    _annotation("$comment", shapes.STRING),
)


def _of_shape(*some: Shape) -> frozenset[str]:
    return frozenset(row.name for row in KEYWORDS.values() if row.shape in some)


def _by_name(*rows: Iterable[Keyword]) -> Mapping[str, Keyword]:
    return {row.name: row for some in rows for row in some}


GRAPH: Final = _by_name(_GRAPH)
"""The constraints of draft 2020-12, in the order of their issues. The generator converts every dialect to these."""
KEYWORDS: Final = _by_name(_GRAPH, _OLDER, _HOLDERS, _ANNOTATIONS)
"""All keywords, including those of older drafts and the annotations."""
LIMITS: Final = _by_name(row for row in _GRAPH if row.is_limit)
UNIONS: Final = tuple(row.name for row in _GRAPH if row.is_union)
ANNOTATIONS: Final = frozenset(row.name for row in _ANNOTATIONS)
"""Keywords that describe a value without restricting it."""
UNKNOWN_KEY: Final = "unknownKey"
"""The constraint of a key that a schema neither names nor forbids (`unknown_keys.py`). It is not a JSON Schema keyword.
"""
UNKNOWN_KEYS: Final = frozenset((UNKNOWN_KEY, *(row.name for row in _GRAPH if row.names_key)))
"""The constraints whose issues have a path that ends in an unknown key."""
OTHER_KEYS: Final = tuple(row.name for row in _GRAPH if row.names_key and row.subject == "any member")
"""Keywords for the values of keys that a schema does not name."""
_MAPS: Final = (shapes.SCHEMA_MAP, shapes.DEPENDENCIES)
_WITHOUT_ISSUES: Final = frozenset(("prefixItems", "if", "then", "else"))
CONSTRAINTS: Final = frozenset((
    *(row.name for row in _GRAPH if row.shape not in _MAPS and row.joins != "all" and row.name not in _WITHOUT_ISSUES),
    *(row.name for row in _OLDER if row.joins is None),
    "json", "truncated", "duplicate_key",
))  # fmt: skip
"""The values that `ValidationIssue.constraint` can have: JSON Schema keywords, and constraints of JSON text.

If a call is checked for keys that the schema does not name, its issues may also have the constraint `unknownKey`.
"""
SINGLE: Final = _of_shape(shapes.SCHEMA)
LISTED: Final = _of_shape(shapes.SCHEMAS)
NAMED: Final = _of_shape(*_MAPS)
"""`SINGLE`, `LISTED` and `NAMED` are the keywords with one subschema, a list or a map. Up to 2019-09, `items` may be a
list.
"""


def limits_of(kind: Kind) -> list[Keyword]:
    """Return the keywords that can limit values of a type."""
    return [row for row in LIMITS.values() if row.kind == kind]
