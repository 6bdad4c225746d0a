"""Hostile payloads: depth, size, subclasses and what is no JSON value never make `validate` raise or hang."""

from __future__ import annotations

import sys
from collections import OrderedDict, defaultdict
from enum import IntEnum
from itertools import product
from typing import Any

from helpers.nests import TREES, WRAPS, arrays, objects
from helpers.support import TEXT, WHOLE, bounded, for_each, no_collection, tool_of


@for_each(product(TREES, [150, 1_000]))
@no_collection()
def test_deep_payloads_take_time_in_proportion_and_no_stack(tree: str, depth: int) -> None:
    tool = tool_of(TREES[tree])
    limit = sys.getrecursionlimit()
    make, end = (arrays, []) if tree in ("array", "contains") else (objects, {})
    with bounded(5):
        if tree != "contains":
            assert tool.validate(make(depth, end)) == []
        wrong = tool.validate(make(depth, 5))
    assert sys.getrecursionlimit() == limit
    if tree in ("object", "array", "union by kind", "allOf twice", "patterns"):
        assert [(len(i.path), i.constraint, i.got) for i in wrong] == [(depth, "type", 5)]


class Colour(IntEnum):
    RED = 1


class Text(str):
    __slots__ = ()


class Whole(int):
    pass


class Real(float):
    pass


class Rows(list[Any]):
    pass


EVERYTHING = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "minimum": 0, "multipleOf": 3},
        "x": {"type": "number", "exclusiveMaximum": 1e308, "multipleOf": 0.5},
        "t": {"type": "string", "minLength": 1, "pattern": "^a", "format": "date"},
        "l": {
            "type": "array",
            "uniqueItems": True,
            "contains": {"const": 1},
            "items": {"enum": [1, "a", None]},
        },
        "o": {"patternProperties": {"^a": {"type": "null"}}, "propertyNames": {"minLength": 1}},
        "u": {"oneOf": [TEXT, {"type": "object", "required": ["z"]}, {"type": "object"}]},
        "e": {"enum": [1, {"a": [1]}, [1, {"b": None}], "a", True, None]},
        "c": {"const": {"a": [1, {"b": 2}]}},
    },
    "dependentRequired": {"n": ["x"]},
    "unevaluatedProperties": TEXT,
}
ODD: tuple[Any, ...] = (
    *(float("nan"), float("inf"), -float("inf"), 10**400, -(10**400), 10**10_000, 1e308, 5e-324, -0.0),
    *((), (1, 2), {1, 2}, frozenset(), b"a", bytearray(b"a"), object(), object, len, ..., 1j, range(3)),
    *(Colour.RED, Text("a"), Whole(3), Real(1.5), Rows([1]), defaultdict(list), OrderedDict(a=1), True, None),
    *(
        {1: 2, None: 3, "a": 4, (1,): 5},
        {"a": {1, 2}},
        [set(), set()],
        [{1: 1, "a": 1}, {"a": 1, 1: 1}],
        "\ud800",
    ),
)


@for_each(ODD, ids=lambda v: ascii(type(v)))
def test_no_value_makes_validate_raise(odd: Any) -> None:
    tool = tool_of(EVERYTHING)
    for payload in (odd, [odd, odd], *({name: odd} for name in EVERYTHING["properties"]), {"zz": odd}):
        tool.validate(payload)
    for keyword, wrap in WRAPS.items():
        tool_of(wrap({"uniqueItems": True, "enum": [1, "a", [1], {"a": 1}]})).validate(odd), keyword


SUBCLASSES: list[tuple[Any, Any]] = [
    ({"type": "integer", "minimum": 1}, Colour.RED),
    ({"type": "integer", "enum": [3]}, Whole(3)),
    ({"type": "number", "const": 1.5}, Real(1.5)),
    ({"type": "string", "enum": ["a"], "pattern": "a"}, Text("a")),
    ({"type": "array", "items": WHOLE, "const": [1]}, Rows([1])),
    (
        {"type": "object", "required": ["a"], "additionalProperties": False, "properties": {"a": {}}},
        OrderedDict(a=1),
    ),
]


@for_each(SUBCLASSES)
def test_subclasses_are_what_they_are_made_from(schema: Any, payload: Any) -> None:
    assert tool_of(schema).validate(payload) == []
    assert tool_of({"not": schema}).validate(payload) != []


def test_asking_for_a_key_never_makes_it() -> None:
    payload = defaultdict(list)
    inner = {"properties": {"a": {"type": "array"}}, "required": ["a"]}
    assert tool_of({**inner, "anyOf": [inner, {"required": ["a"]}]}).validate(payload) != []
    assert payload == {}
