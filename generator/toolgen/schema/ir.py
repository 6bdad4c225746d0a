"""The resolved schema graph that checks and models are generated from.

Lowering has already dealt with dialects, references and scopes: a `Schema` speaks the vocabulary of
2020-12 whatever it was written in, and every subschema is reached by following an object, never a URI.
The graph may have cycles, through references only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

VOCABULARY: Final = frozenset(
    (
        *("type", "enum", "const"),
        *("multipleOf", "maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"),
        *("maxLength", "minLength", "pattern", "format"),
        *("maxItems", "minItems", "uniqueItems", "prefixItems", "items", "unevaluatedItems"),
        *("contains", "maxContains", "minContains"),
        *("maxProperties", "minProperties", "required", "dependentRequired"),
        *("properties", "patternProperties", "additionalProperties", "propertyNames"),
        *("dependentSchemas", "unevaluatedProperties"),
        *("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"),
    )
)
"""The keywords of the graph: each is enforced by a unit in `toolgen.keywords`, and no other can be filed."""

TypeName = Literal["null", "boolean", "integer", "number", "string", "array", "object"]


@dataclass(slots=True, eq=False)
class Schema:
    """One schema at one place (identity matters: two places with equal text are two schemas).

    `document` is `""` for the tool's own schema, otherwise the URI that a reference led to; `pointer` is
    the JSON pointer in that document. `verdict` is set for what is always valid or never valid by
    construction (a boolean schema). Keywords are filed by what they hold:

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
    assertions: dict[str, Any] = field(default_factory=dict)
    single: dict[str, Schema] = field(default_factory=dict)
    listed: dict[str, tuple[Schema, ...]] = field(default_factory=dict)
    named: dict[str, dict[str, Schema]] = field(default_factory=dict)
    spelling: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, Any] = field(default_factory=dict)
    contains_evaluates: bool = False
    """Whether `contains` counts as evaluation for `unevaluatedItems` (since 2020-12)."""
    whole_floats: bool = True
    """Whether 1.0 is an integer (since draft-06)."""

    @property
    def types(self) -> tuple[TypeName, ...] | None:
        """The names under `type`, None where it does not stand."""
        return self.assertions.get("type")

    @property
    def keywords(self) -> Iterator[str]:
        """The keywords that the schema has."""
        for holder in (self.assertions, self.single, self.listed, self.named):
            yield from holder

    def children(self) -> Iterator[tuple[tuple[str, ...], Schema]]:
        """Every direct subschema with the steps that lead to it (`("properties", "a")`, `("not",)`)."""
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
