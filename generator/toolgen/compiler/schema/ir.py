"""The schema graph, with all references resolved, from which checks and models are generated.

Dialects, references and scopes are already resolved: a `Schema` uses the vocabulary of 2020-12, whatever its dialect,
and refers to subschemas as objects, never by URI. The graph may have cycles, but only through references.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from toolgen.compiler.schema.vocabulary import PLACES
from toolgen_runtime.schema.keywords import GRAPH, Keyword

TypeName = Literal["null", "boolean", "integer", "number", "string", "array", "object"]


@dataclass(slots=True, eq=False)
class Schema:
    """One schema at one location. Schemas are compared by identity, so equal schemas at two locations are
    different.

    `document` is `""` for the tool's own schema, and otherwise the URI in a reference. `pointer` is the JSON pointer in
    that document. `verdict` is set if the schema accepts every value or no value (a boolean schema). Keywords are
    grouped by their values:

    - `assertions`: limits, `type` (always a tuple of names), `enum`, `const`, `pattern`, `required`, ...
    - `single`: one subschema: `items`, `contains`, `not`, `if`, `then`, `else`, `propertyNames`, `$ref`, ...
    - `listed`: `allOf`, `anyOf`, `oneOf`, `prefixItems`
    - `named`: `properties`, `patternProperties`, `dependentSchemas`

    `$ref` appears as `single["$ref"]`, `$dynamicRef` and `$recursiveRef` as `single["$dynamicRef"]`.
    Array-form `items` appears as `prefixItems` and `items`, `dependencies` as `dependentRequired` and
    `dependentSchemas`; `spelling` has the name for issues if it differs.
    `annotations` are `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`,
    `discriminator`, as data.
    """

    document: str
    pointer: str
    raw: Any = None
    """The schema as it is written."""
    verdict: bool | None = None
    assertions: dict[str, Any] = field(default_factory=dict)
    single: dict[str, Schema] = field(default_factory=dict)
    listed: dict[str, tuple[Schema, ...]] = field(default_factory=dict)
    named: dict[str, dict[str, Schema]] = field(default_factory=dict)
    spelling: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, Any] = field(default_factory=dict)
    contains_evaluates: bool = False
    """Whether items that match `contains` count as evaluated for `unevaluatedItems` (since 2020-12)."""
    whole_floats: bool = True
    """Whether 1.0 is an integer (since draft-06)."""

    @property
    def types(self) -> tuple[TypeName, ...] | None:
        """The type names under `type`; None if there is no `type`."""
        return self.assertions.get("type")

    @property
    def choices(self) -> list[tuple[str, tuple[Any, ...]]]:
        """The values of `enum` and `const`, as pairs of keyword and values. A value must be listed in each."""
        found: list[tuple[str, tuple[Any, ...]]] = []
        if "enum" in self.assertions:
            found.append(("enum", tuple(self.assertions["enum"])))
        if "const" in self.assertions:
            found.append(("const", (self.assertions["const"],)))
        return found

    @property
    def required(self) -> tuple[str, ...]:
        """The names under `required`, without duplicates."""
        return tuple(dict.fromkeys(self.assertions.get("required", ())))

    @property
    def properties(self) -> dict[str, Schema]:
        """The schemas under `properties`, by name."""
        return self.named.get("properties", {})

    @property
    def pattern_properties(self) -> dict[str, Schema]:
        """The schemas under `patternProperties`, by pattern."""
        return self.named.get("patternProperties", {})

    @property
    def additional_properties(self) -> Schema | None:
        """The schema under `additionalProperties`, for properties that are not declared."""
        return self.single.get("additionalProperties")

    @property
    def prefix_items(self) -> tuple[Schema, ...]:
        """The schemas under `prefixItems`, one for each of the first items."""
        return self.listed.get("prefixItems", ())

    @property
    def items(self) -> Schema | None:
        """The schema under `items`, for the items after the prefix."""
        return self.single.get("items")

    @property
    def ref(self) -> Schema | None:
        """The schema that `$ref` refers to."""
        return self.single.get("$ref")

    @property
    def any_of(self) -> tuple[Schema, ...]:
        """The branches under `anyOf`."""
        return self.listed.get("anyOf", ())

    @property
    def is_plain(self) -> bool:
        """Whether the schema contains no other schemas."""
        return not (self.single or self.listed or self.named)

    @property
    def keywords(self) -> Iterator[str]:
        """The keywords that the schema has."""
        return iter(self._names())

    @property
    def facts(self) -> tuple[Keyword, ...]:
        """The entries in the table of keywords for the schema's keywords, in the order of the vocabulary."""
        return _facts_of(self._names())

    def _names(self) -> tuple[str, ...]:
        return (*self.assertions, *self.single, *self.listed, *self.named)

    def below(self, keyword: str) -> tuple[Schema, ...]:
        """Return the subschemas under a keyword; an empty tuple if the schema does not have it."""
        if keyword in self.single:
            return (self.single[keyword],)
        return self.listed.get(keyword) or tuple(self.named.get(keyword, {}).values())

    def in_place(self) -> Iterator[tuple[Keyword, tuple[Schema, ...]]]:
        """Return the keywords whose subschemas apply to the same value, together with these subschemas."""
        if self.is_plain:
            return iter(())
        return ((facts, self.below(facts.name)) for facts in self.facts if facts.in_place)

    def in_place_children(self) -> list[Schema]:
        """Return the subschemas that apply to the same value."""
        return [child for _, children in self.in_place() for child in children]

    def conjoined(self) -> tuple[Schema, ...]:
        """Return the subschemas that must all accept the same value: the target of `$ref`, and the parts of
        `allOf`.
        """
        return tuple(s for facts, some in self.in_place() if facts.joins == "all" for s in some)

    def children(self) -> Iterator[tuple[tuple[str, ...], Schema]]:
        """Yield every direct subschema, with the steps that lead to it (`("properties", "a")`, `("not",)`)."""
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


@lru_cache(maxsize=1_024)  # most schemas have one of a few combinations
def _facts_of(names: tuple[str, ...]) -> tuple[Keyword, ...]:
    """Return the table entries of the names that are keywords of the graph."""
    return tuple(GRAPH[name] for name in sorted(PLACES.keys() & names, key=PLACES.__getitem__))
