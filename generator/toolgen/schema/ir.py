"""The resolved schema graph that checks and models are generated from.

Lowering has already dealt with dialects, references and scopes: a `Schema` speaks the vocabulary of
2020-12 whatever it was written in, and every subschema is reached by following an object, never a URI.
The graph may have cycles, through references only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal

from toolgen.schema.vocabulary import PLACES
from toolgen_runtime.schema.keywords import GRAPH, Keyword

TypeName = Literal["null", "boolean", "integer", "number", "string", "array", "object"]


_NOTHING: Final[dict[str, Any]] = {}
"""What most schemas have under most holders, shared by all; lowering puts a new one in place before it adds to one."""


def _nothing() -> dict[str, Any]:
    return _NOTHING


@dataclass(slots=True, eq=False)
class Schema:
    """One schema at one place (identity matters: two places with equal text are two schemas).

    `document` is `""` for the tool's own schema, otherwise the URI that a reference led to; `pointer` is
    the JSON pointer in that document. `verdict` is set for what is always valid or never valid by
    construction (a boolean schema). Keywords stand by what they hold:

    - `assertions`: limits, `type` (always a tuple of names), `enum`, `const`, `pattern`, `required`, ...
    - `single`: one subschema: `items`, `contains`, `not`, `if`, `then`, `else`, `propertyNames`, `$ref`, ...
    - `listed`: `allOf`, `anyOf`, `oneOf`, `prefixItems`
    - `named`: `properties`, `patternProperties`, `dependentSchemas`

    `$ref` appears as `single["$ref"]`, `$dynamicRef` and `$recursiveRef` as `single["$dynamicRef"]`.
    Array-form `items` appears as `prefixItems` and `items`, `dependencies` as `dependentRequired` and
    `dependentSchemas`; `spelling` keeps the name that an issue should bear where it differs.
    `annotations` are `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`,
    `discriminator`, as data.
    """

    document: str
    pointer: str
    raw: Any = None
    """The schema as it was written."""
    verdict: bool | None = None
    assertions: dict[str, Any] = field(default_factory=_nothing)
    single: dict[str, Schema] = field(default_factory=_nothing)
    listed: dict[str, tuple[Schema, ...]] = field(default_factory=_nothing)
    named: dict[str, dict[str, Schema]] = field(default_factory=_nothing)
    spelling: dict[str, str] = field(default_factory=_nothing)
    annotations: dict[str, Any] = field(default_factory=_nothing)
    contains_evaluates: bool = False
    """Whether `contains` counts as evaluation for `unevaluatedItems` (since 2020-12)."""
    whole_floats: bool = True
    """Whether 1.0 is an integer (since draft-06)."""
    _known: tuple[tuple[str, ...], tuple[Keyword, ...]] | None = None
    """`keywords` and `facts`, once no more keywords are added."""

    @property
    def types(self) -> tuple[TypeName, ...] | None:
        """The names under `type`, None where it does not stand."""
        return self.assertions.get("type")

    @property
    def choices(self) -> list[tuple[str, tuple[Any, ...]]]:
        """(keyword, values) of `enum` and `const`: a value must be in each."""
        found: list[tuple[str, tuple[Any, ...]]] = []
        if "enum" in self.assertions:
            found.append(("enum", tuple(self.assertions["enum"])))
        if "const" in self.assertions:
            found.append(("const", (self.assertions["const"],)))
        return found

    @property
    def required(self) -> tuple[str, ...]:
        """The names under `required`, each once."""
        return tuple(dict.fromkeys(self.assertions.get("required", ())))

    @property
    def properties(self) -> dict[str, Schema]:
        """The schemas of the properties that have one by name."""
        return self.named.get("properties", {})

    @property
    def pattern_properties(self) -> dict[str, Schema]:
        """The schemas of the properties whose names match, by pattern."""
        return self.named.get("patternProperties", {})

    @property
    def additional_properties(self) -> Schema | None:
        """The schema of all other properties."""
        return self.single.get("additionalProperties")

    @property
    def prefix_items(self) -> tuple[Schema, ...]:
        """The schemas of the first items, one by one."""
        return self.listed.get("prefixItems", ())

    @property
    def items(self) -> Schema | None:
        """The schema of the items after the prefix."""
        return self.single.get("items")

    @property
    def ref(self) -> Schema | None:
        """What `$ref` leads to."""
        return self.single.get("$ref")

    @property
    def any_of(self) -> tuple[Schema, ...]:
        """The branches of `anyOf`."""
        return self.listed.get("anyOf", ())

    @property
    def is_plain(self) -> bool:
        """Whether the schema has no subschemas."""
        return not (self.single or self.listed or self.named)

    @property
    def keywords(self) -> Iterator[str]:
        """The keywords that the schema has."""
        return iter(self._names() if self._known is None else self._known[0])

    @property
    def facts(self) -> tuple[Keyword, ...]:
        """The rows of the keywords that the schema has, in the order of the vocabulary."""
        return (_keywords_and_facts(self._names()) if self._known is None else self._known)[1]

    def _names(self) -> tuple[str, ...]:
        return (*self.assertions, *self.single, *self.listed, *self.named)

    def open_holders(self) -> None:
        """Begin to add keywords."""
        self.assertions, self.single, self.listed = {}, {}, {}
        self.named, self.spelling, self.annotations = {}, {}, {}

    def close_holders(self) -> None:
        """End adding keywords: what stayed empty takes no memory."""
        self._known = _keywords_and_facts(self._names())
        self.assertions = self.assertions or _NOTHING
        self.single = self.single or _NOTHING
        self.listed = self.listed or _NOTHING
        self.named = self.named or _NOTHING
        self.spelling = self.spelling or _NOTHING
        self.annotations = self.annotations or _NOTHING

    def below(self, keyword: str) -> tuple[Schema, ...]:
        """Return the subschemas under a keyword; none where it does not stand."""
        if keyword in self.single:
            return (self.single[keyword],)
        return self.listed.get(keyword) or tuple(self.named.get(keyword, {}).values())

    def in_place(self) -> Iterator[tuple[Keyword, tuple[Schema, ...]]]:
        """Return the keywords whose subschemas look at the same value, and these subschemas."""
        if self.is_plain:
            return iter(())
        return ((facts, self.below(facts.name)) for facts in self.facts if facts.in_place)

    def beside(self) -> list[Schema]:
        """Return the subschemas that look at the same value."""
        return [child for _, children in self.in_place() for child in children]

    def conjoined(self) -> tuple[Schema, ...]:
        """Return the subschemas that each must hold of the same value: what is referred to, the parts of `allOf`."""
        return tuple(s for facts, some in self.in_place() if facts.joins == "all" for s in some)

    def children(self) -> Iterator[tuple[tuple[str, ...], Schema]]:
        """Yield every direct subschema with the steps that lead to it (`("properties", "a")`, `("not",)`)."""
        for keyword, schema in self.single.items():
            yield (keyword,), schema
        for keyword, schemas in self.listed.items():
            for index, schema in enumerate(schemas):
                yield (keyword, str(index)), schema
        for keyword, members in self.named.items():
            for name, schema in members.items():
                yield (keyword, name), schema

    def __repr__(self) -> str:
        return f"Schema({self.document}#{self.pointer})"


@lru_cache(maxsize=1_024)  # a few combinations of keywords are nearly all schemas
def _keywords_and_facts(names: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[Keyword, ...]]:
    """Return the names, and the rows of those that are keywords of the graph."""
    return names, tuple(GRAPH[name] for name in sorted(PLACES.keys() & names, key=PLACES.__getitem__))
