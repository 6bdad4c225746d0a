"""Pairs of schemas, old and new, with the truth of each: whether a payload of the old one breaks.

The truth follows from how a pair is made: each edit declares its effect on the payloads that the field accepts.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]
FIELDS: tuple[Schema, ...] = (
    {"type": "string"},
    {"type": "string", "minLength": 2, "maxLength": 20},
    {"type": "string", "enum": ["a", "b", "c"]},
    {"type": "string", "pattern": "^[a-z]+$"},
    {"type": "integer", "minimum": 0, "maximum": 100},
    {"type": "number", "exclusiveMinimum": 0},
    {"type": "integer", "multipleOf": 4},
    {"type": "boolean"},
    {"type": ["string", "null"]},
    {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 5},
    {"type": "array", "items": {"enum": ["x", "y"]}, "uniqueItems": True},
    {
        "type": "object",
        "properties": {"p": {"type": "string"}},
        "required": ["p"],
        "additionalProperties": False,
    },
    {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    {"oneOf": [{"type": "string", "maxLength": 3}, {"type": "boolean"}]},
    {"const": "fixed"},
)


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one field; `breaks` tells whether it makes a valid value invalid."""

    name: str
    fits: Callable[[Schema], bool]
    apply: Callable[[Schema], Schema]
    breaks: bool


def has(*words: str) -> Callable[[Schema], bool]:
    return lambda field: all(word in field for word in words)


def raised(word: str, by: int) -> Callable[[Schema], Schema]:
    return lambda field: {**field, word: field[word] + by}


def becomes(schema: Schema) -> Callable[[Schema], Schema]:
    return lambda _: deepcopy(schema)


def always(_: Schema) -> bool:
    return True


EDITS = (
    Edit("minimum up", has("minimum"), raised("minimum", 1), True),
    Edit("minimum down", has("minimum"), raised("minimum", -1), False),
    Edit("maximum down", has("maximum"), raised("maximum", -1), True),
    Edit("maximum up", has("maximum"), raised("maximum", 1), False),
    Edit(
        "exclusive to inclusive", has("exclusiveMinimum"), lambda f: {"type": f["type"], "minimum": 0}, False
    ),
    Edit(
        "integer of a number", lambda f: f.get("type") == "number", lambda f: {**f, "type": "integer"}, True
    ),
    Edit(
        "number of an integer",
        lambda f: f.get("type") == "integer" and "multipleOf" not in f,
        lambda f: {**f, "type": "number"},
        False,
    ),
    Edit("coarser multiple", has("multipleOf"), lambda f: {**f, "multipleOf": 8}, True),
    Edit("finer multiple", has("multipleOf"), lambda f: {**f, "multipleOf": 2}, False),
    Edit("longer at least", has("minLength"), raised("minLength", 1), True),
    Edit("shorter at least", has("minLength"), raised("minLength", -1), False),
    Edit("shorter at most", has("maxLength"), raised("maxLength", -1), True),
    Edit("a value less", lambda f: len(f.get("enum", ())) > 1, lambda f: {**f, "enum": f["enum"][1:]}, True),
    Edit("a value more", has("enum"), lambda f: {**f, "enum": [*f["enum"], "more"]}, False),
    Edit("values in another order", has("enum"), lambda f: {**f, "enum": f["enum"][::-1]}, False),
    Edit("any text of an enum", has("enum"), becomes({"type": "string"}), False),
    Edit("a pattern that takes more", has("pattern"), lambda f: {**f, "pattern": "^[a-z]*$"}, False),
    Edit("a pattern that takes less", has("pattern"), lambda f: {**f, "pattern": "^[a-y]+$"}, True),
    Edit("no pattern", has("pattern"), becomes({"type": "string"}), False),
    Edit("no null", lambda f: f.get("type") == ["string", "null"], becomes({"type": "string"}), True),
    Edit("null, too", lambda f: f == {"type": "string"}, becomes({"type": ["string", "null"]}), False),
    Edit(
        "null as a branch",
        lambda f: f == {"type": "string"},
        lambda f: {"anyOf": [f, {"type": "null"}]},
        False,
    ),
    Edit("fewer items", has("maxItems"), raised("maxItems", -1), True),
    Edit("no items, too", has("minItems"), lambda f: {**f, "minItems": 0}, False),
    Edit("items of another type", has("minItems"), lambda f: {**f, "items": {"type": "string"}}, True),
    Edit("items that may repeat", has("uniqueItems"), lambda f: {**f, "uniqueItems": False}, False),
    Edit("items that must differ", has("minItems"), lambda f: {**f, "uniqueItems": True}, True),
    Edit("a key within is optional", has("required"), lambda f: {**f, "required": []}, False),
    Edit(
        "a key within is required",
        has("required"),
        lambda f: {**f, "properties": {**f["properties"], "q": {}}, "required": ["p", "q"]},
        True,
    ),
    Edit("open within", has("additionalProperties"), lambda f: {**f, "additionalProperties": True}, False),
    Edit("a branch less", has("anyOf"), lambda f: {"anyOf": f["anyOf"][:1]}, True),
    Edit("a branch more", has("anyOf"), lambda f: {"anyOf": [*f["anyOf"], {"type": "null"}]}, False),
    Edit("branches in another order", has("anyOf"), lambda f: {"anyOf": f["anyOf"][::-1]}, False),
    Edit("a list of types", has("anyOf"), becomes({"type": ["string", "integer"]}), False),
    Edit("anyOf of oneOf", has("oneOf"), lambda f: {"anyOf": f["oneOf"]}, False),
    Edit(
        "branches that overlap",
        has("oneOf"),
        lambda f: {"oneOf": [*f["oneOf"], {"type": "string", "maxLength": 2}]},
        True,
    ),
    Edit("an enum of a const", has("const"), lambda f: {"enum": [f["const"]]}, False),
    Edit("another const", has("const"), becomes({"const": "other"}), True),
    Edit("another type", lambda f: f.get("type") == "boolean", becomes({"type": "string"}), True),
    Edit(
        "both values of a boolean",
        lambda f: f == {"type": "boolean"},
        becomes({"enum": [True, False]}),
        False,
    ),
    Edit("a definition", always, becomes({"$ref": "#/$defs/field"}), False),
    Edit("a description", always, lambda f: {**f, "description": "New."}, False),
    Edit("a default", always, lambda f: {**f, "default": None}, False),
    Edit("within allOf", always, lambda f: {"allOf": [f]}, False),
    Edit("nothing", always, becomes({"not": {}}), True),
    Edit("anything", always, becomes({}), False),
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two schemas of arguments, whose field `x` differs."""

    name: str
    old: Schema
    new: Schema
    breaks: bool


def pairs(seed: int = 16) -> Iterator[Pair]:
    """Yield every edit of every field that it fits, with other fields, and nested at a random depth."""
    chance = random.Random(seed)
    for edit in EDITS:
        for field in FIELDS:
            if edit.fits(field):
                others = {f"k{i}": deepcopy(chance.choice(FIELDS)) for i in range(chance.randrange(3))}
                depth = chance.randrange(3)
                old = _around(field, others, depth, field)
                yield Pair(
                    edit.name, old, _around(edit.apply(deepcopy(field)), others, depth, field), edit.breaks
                )


def _around(field: Any, others: Schema, depth: int, definition: Schema) -> Schema:
    schema = {
        "type": "object",
        "properties": {"x": field, **others},
        "required": ["x"],
        "additionalProperties": False,
    }
    for _ in range(depth):
        schema = {
            "type": "object",
            "properties": {"in": schema},
            "required": ["in"],
            "additionalProperties": False,
        }
    return {**schema, "$defs": {"field": definition}}
