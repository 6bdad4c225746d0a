"""Hostile specs by size: schemas whose cost may grow faster than they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]


def linked(link: Callable[[Schema], Any]) -> Callable[[int], Schema]:
    """A chain of definitions, each of which uses the next one in some way."""

    def made(size: int) -> Schema:
        definitions: Schema = {f"d{i}": link({"$ref": f"#/$defs/d{i + 1}"}) for i in range(size)}
        definitions[f"d{size}"] = {
            "type": "object",
            "required": ["a"],
            "properties": {"a": {"type": "string"}},
        }
        return {"$ref": "#/$defs/d0", "$defs": definitions}

    return made


def inline(size: int) -> Schema:
    """Unions within unions, each with `unevaluatedProperties`, without a definition."""
    schema: Schema = {"properties": {"a": {"type": "string"}}, "required": ["a"]}
    for _ in range(size):
        schema = {"anyOf": [schema, {"type": "null"}], "unevaluatedProperties": False}
    return schema


DOUBLING: dict[str, Callable[[int], Schema]] = {
    "allOf": linked(lambda r: {"allOf": [r, r]}),
    "anyOf": linked(lambda r: {"anyOf": [r, r]}),
    "oneOf": linked(lambda r: {"oneOf": [r, r]}),
    "oneOf and null": linked(lambda r: {"oneOf": [r, {"allOf": [r], "type": "null"}]}),
    "not": linked(lambda r: {"not": {"anyOf": [r, {"not": r}]}}),
    "if": linked(lambda r: {"if": r, "then": r, "else": r}),
    "dependentSchemas": linked(lambda r: {"dependentSchemas": {"a": r, "b": r}}),
    "items": linked(lambda r: {"allOf": [{"items": r}, {"contains": r}]}),
    "properties": linked(lambda r: {"properties": {"a": r}, "patternProperties": {"^a": r}}),
    "propertyNames": linked(lambda r: {"propertyNames": {"anyOf": [r, r]}}),
    "unevaluatedProperties": linked(lambda r: {"anyOf": [r, r], "unevaluatedProperties": r}),
    "unevaluatedItems": linked(lambda r: {"allOf": [r, r], "unevaluatedItems": r}),
    "unevaluatedProperties, closed": linked(lambda r: {"oneOf": [r, r], "unevaluatedProperties": False}),
    "unevaluatedItems, in branches": linked(
        lambda r: {"anyOf": [r, {"prefixItems": [r]}], "unevaluatedItems": r}
    ),
    "contains and unevaluatedItems": linked(
        lambda r: {"contains": r, "anyOf": [r, r], "unevaluatedItems": False}
    ),
    "properties and branches": linked(
        lambda r: {"properties": {"a": r}, "anyOf": [{"properties": {"a": r}}, {"properties": {"b": r}}]}
    ),
    "items and branches": linked(lambda r: {"items": r, "anyOf": [{"items": r}, {"prefixItems": [r]}]}),
    "additionalProperties": linked(lambda r: {"properties": {"b": r}, "additionalProperties": r}),
    "unevaluatedProperties, inline": inline,
}
"""Definitions that use the next one twice, in each way that a schema can use another."""


WIDE: dict[str, Callable[[int], Schema]] = {
    "properties": lambda n: {"properties": {f"p{i}": {"type": "string"} for i in range(n)}},
    "objects": lambda n: {"properties": {f"p{i}": {"properties": {"a": {"minLength": i}}} for i in range(n)}},
    "definitions": lambda n: {
        "properties": {f"p{i}": {"$ref": f"#/$defs/d{i}"} for i in range(n)},
        "$defs": {f"d{i}": {"type": "object", "properties": {"a": {"minLength": i}}} for i in range(n)},
    },
    "required": lambda n: {"required": [f"p{i}" for i in range(n)]},
    "values": lambda n: {"enum": [f"v{i}" for i in range(n)]},
    "branches": lambda n: {"anyOf": [{"properties": {f"p{i}": {"type": "string"}}} for i in range(n)]},
    "closed branches": lambda n: {
        "anyOf": [
            {"type": "object", "properties": {f"p{i}": {"type": "string"}}, "required": [f"p{i}"]}
            for i in range(n)
        ]
    },
    "recursive branches": lambda n: {
        "$ref": "#/$defs/t",
        "$defs": {"t": {"anyOf": [{"properties": {f"k{i}": {"$ref": "#/$defs/t"}}} for i in range(n)]}},
    },
    "chain": lambda n: {
        "$ref": "#/$defs/d0",
        "$defs": {**{f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(n)}, f"d{n}": {"minLength": 1}},
    },
    "anchors": lambda n: {
        "properties": {f"p{i}": {"$ref": f"#a{i}"} for i in range(n)},
        "$defs": {f"d{i}": {"$anchor": f"a{i}", "type": "string"} for i in range(n)},
    },
    "properties in allOf": lambda n: {
        "allOf": [{"properties": {f"p{i}": {"minLength": 1}}} for i in range(n)]
    },
    "other keys in allOf": lambda n: {
        "allOf": [
            {"properties": {f"p{i}": {"minLength": 1}}, "additionalProperties": {"title": "t"}}
            for i in range(n)
        ]
    },
    "patterns": lambda n: {"patternProperties": {f"^a{i}$": {"type": "string"} for i in range(n)}},
}
"""Schemas with very many of one thing."""


def referring(size: int, reference: str, definitions: Schema) -> Schema:
    """As many references as there are definitions; `{}` is the number of each."""
    keyword = "$dynamicRef" if "#a" in reference else "$ref"
    return {
        "properties": {f"p{i}": {keyword: reference.format(i)} for i in range(size)},
        "$defs": definitions,
    }


REFERENCES: dict[str, Callable[[int], Schema]] = {
    "dynamic anchors": lambda n: referring(
        n, "#a{}", {f"d{i}": {"$dynamicAnchor": f"a{i}", "type": "string"} for i in range(n)}
    ),
    "dynamic anchors of resources in a chain": lambda n: {
        "$ref": "http://x.test/0",
        "$defs": {
            f"d{i}": {
                "$id": f"http://x.test/{i}",
                "$dynamicAnchor": f"a{i}",
                "properties": {"p": {"$ref": f"http://x.test/{(i + 1) % n}"}},
            }
            for i in range(n)
        },
    },
    "anchors of one name": lambda n: referring(
        n, "#x", {f"d{i}": {"$anchor": "x", "type": "string"} for i in range(n)}
    ),
    "resources of one URI": lambda n: referring(
        n, "http://x.test/", {f"d{i}": {"$id": "http://x.test/", "type": "string"} for i in range(n)}
    ),
    "URIs of resources that differ": lambda n: referring(
        n, "http://x.test/", {f"d{i}": {"$id": "http://x.test/", "maxLength": i // n} for i in range(n + 1)}
    ),
}
"""Schemas with as many references as names."""
