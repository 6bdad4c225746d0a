"""Unions speak of the one branch that was meant: its issues, at full paths, and nothing of the others."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.support import cases_of, tool_of

from toolgen_runtime import MISSING

CIRCLE = {
    "title": "Circle",
    "type": "object",
    "properties": {"kind": {"const": "circle"}, "r": {"type": "number", "minimum": 0}},
    "required": ["kind", "r"],
    "additionalProperties": False,
}
SQUARE = {
    "title": "Square",
    "type": "object",
    "properties": {"kind": {"enum": ["square", "box"]}, "side": {"type": "number"}},
    "required": ["kind", "side"],
}
SHAPE = {"oneOf": [CIRCLE, SQUARE]}
TAGS = ("circle", "square", "box")
PYDANTIC = {
    "$defs": {"Circle": CIRCLE, "Square": SQUARE},
    "properties": {
        "shape": {
            "discriminator": {
                "mapping": {"circle": "#/$defs/Circle", "square": "#/$defs/Square"},
                "propertyName": "kind",
            },
            "oneOf": [{"$ref": "#/$defs/Circle"}, {"$ref": "#/$defs/Square"}],
        }
    },
    "type": "object",
}
"""As pydantic writes a discriminated union."""
ZOD = {
    "type": "object",
    "properties": {
        "shape": {"anyOf": [{**CIRCLE, "additionalProperties": False}, {**SQUARE, "type": "object"}]}
    },
    "$schema": "http://json-schema.org/draft-07/schema#",
}
"""As zod writes one."""
INCLUDED = {
    "anyOf": [
        {"allOf": [{"$ref": "#/$defs/base"}, {"$ref": "#/$defs/c"}]},
        {"allOf": [{"$ref": "#/$defs/s"}]},
    ],
    "$defs": {
        "base": {"type": "object", "required": ["kind"]},
        "c": CIRCLE,
        "s": {"$ref": "#/$defs/q"},
        "q": SQUARE,
    },
}
"""The tags stand behind `$ref` and `allOf`."""
TWO_TAGS = {
    "discriminator": {"propertyName": "b"},
    "oneOf": [
        {
            "type": "object",
            "properties": {"a": {"const": f"a{i}"}, "b": {"const": f"b{i}"}, "n": {"type": "integer"}},
            "required": ["a", "b"],
        }
        for i in (1, 2)
    ],
}
"""Two properties could be the tag; the discriminator says which."""
MAYBE = {
    "anyOf": [
        {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
        {"type": "null"},
    ]
}
KINDS = {
    "anyOf": [
        {"type": "string", "minLength": 2},
        {"type": "array", "items": {"type": "integer"}},
        {"type": "object", "required": ["id"]},
    ]
}
LITERALS = {"anyOf": [{"const": "a"}, {"const": "b"}, {"type": "string", "enum": ["c"]}]}
UNTAGGED = {
    "anyOf": [
        {
            "type": "object",
            "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
            "required": ["x", "y"],
        },
        {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    ]
}
DEEPER = {
    "anyOf": [
        {"properties": {"o": {"properties": {"p": {"type": "null"}}}}, "type": "object"},
        {"properties": {"o": {"type": "null"}}, "type": "object"},
    ]
}
CLOSED = {
    "oneOf": [
        {
            "type": "object",
            "properties": {k: {"type": "integer"}},
            "required": [k],
            "additionalProperties": False,
        }
        for k in ("by_id", "by_row")
    ]
}
NESTED = {
    "anyOf": [
        {"type": "string"},
        {"anyOf": [{"type": "integer", "minimum": 5}, {"type": "array", "items": SHAPE}]},
    ]
}
UNTYPED = {
    "anyOf": [
        {"properties": {"kind": {"const": name}, "n": {"type": "integer"}}, "required": ["kind"]}
        for name in ("a", "b")
    ]
}

CASES: list[tuple[str, Any, Any, list[tuple[tuple[str | int, ...], str, Any]]]] = [
    ("a tag decides", SHAPE, {"kind": "circle", "r": -1}, [(("r",), "minimum", 0)]),
    ("a tag of several values decides", SHAPE, {"kind": "box", "side": "x"}, [(("side",), "type", "number")]),
    (
        "all of the branch's issues",
        SHAPE,
        {"kind": "circle", "x": 1},
        [(("r",), "required", True), (("x",), "additionalProperties", False)],
    ),
    ("no tag: the tags", SHAPE, {"r": 1}, [(("kind",), "required", TAGS)]),
    ("a wrong tag: the tags", SHAPE, {"kind": "line"}, [(("kind",), "enum", TAGS)]),
    ("a tag of another type: the tags", SHAPE, {"kind": ["circle"]}, [(("kind",), "enum", TAGS)]),
    ("no object at all", SHAPE, "circle", [((), "type", "object")]),
    ("pydantic's shape", PYDANTIC, {"shape": {"kind": "circle", "r": -1}}, [(("shape", "r"), "minimum", 0)]),
    ("zod's shape", ZOD, {"shape": {"kind": "square"}}, [(("shape", "side"), "required", True)]),
    ("tags behind $ref and allOf", INCLUDED, {"kind": "circle", "r": "1"}, [(("r",), "type", "number")]),
    ("the declared tag of two", TWO_TAGS, {"a": "a1", "b": "b2"}, [(("a",), "const", "a2")]),
    ("the declared tag of two, wrong", TWO_TAGS, {"a": "a1", "b": "x"}, [(("b",), "enum", ("b1", "b2"))]),
    ("X or null speaks of X", MAYBE, {"n": "1"}, [(("n",), "type", "integer")]),
    ("X or null, neither", MAYBE, 5, [((), "type", "object")]),
    ("kinds: a string", KINDS, "a", [((), "minLength", 2)]),
    ("kinds: an array", KINDS, [1, "x"], [((1,), "type", "integer")]),
    ("kinds: none", KINDS, 5, [((), "type", ("string", "array", "object"))]),
    ("literals", LITERALS, "d", [((), "enum", ("a", "b", "c"))]),
    ("literals, no string", LITERALS, 5, [((), "type", "string"), ((), "enum", ("a", "b", "c"))]),
    ("untagged: fewest issues", UNTAGGED, {"x": 1}, [(("y",), "required", True)]),
    ("untagged: shallowest issues", DEEPER, {"o": {"p": 1}}, [(("o",), "type", "null")]),
    (
        "closed branches: the key that is there",
        CLOSED,
        {"by_row": "x", "z": 1},
        [(("by_row",), "type", "integer"), (("z",), "additionalProperties", False)],
    ),
    (
        "closed branches: both keys",
        CLOSED,
        {"by_id": 1, "by_row": 2},
        [(("by_row",), "additionalProperties", False)],
    ),
    (
        "nested: through two unions",
        NESTED,
        [{"kind": "circle", "r": 1}, {"kind": "circle", "r": -1}],
        [((1, "r"), "minimum", 0)],
    ),
    (
        "an array of unions",
        {"items": SHAPE},
        [{"kind": "x"}, {"kind": "box"}],
        [((0, "kind"), "enum", TAGS), ((1, "side"), "required", True)],
    ),
    ("untyped branches: an object", UNTYPED, {"kind": "a", "n": "1"}, [(("n",), "type", "integer")]),
    (
        "oneOf: two take it",
        {"oneOf": [{"title": "Even", "multipleOf": 2}, {"title": "Small", "maximum": 9}]},
        4,
        [((), "oneOf", ("Even", "Small"))],
    ),
    (
        "oneOf: two of three, by position",
        {"oneOf": [{"multipleOf": 2}, {"const": "x"}, {"maximum": 9}]},
        4,
        [((), "oneOf", (0, 2))],
    ),
    (
        "oneOf below",
        {"properties": {"v": {"oneOf": [{"minimum": 1}, {"minimum": 2}]}}},
        {"v": 3},
        [(("v",), "oneOf", (0, 1))],
    ),
    ("no branch takes anything", {"anyOf": [False, False]}, 1, [((), "anyOf", (0, 1))]),
]


def test_unions_speak_of_one_branch(subtests: pytest.Subtests) -> None:
    for case, (schema, payload, issues) in cases_of([c[1:] for c in CASES]):
        with subtests.test(case):
            found = tool_of(schema).validate(payload)
            assert [(i.path, i.constraint, i.expected) for i in found] == issues


VALID: list[tuple[Any, Any]] = [
    (SHAPE, {"kind": "box", "side": 1}),
    (PYDANTIC, {"shape": {"kind": "square", "side": 1}}),
    (INCLUDED, {"kind": "box", "side": 1}),
    (KINDS, "ab"),
    (UNTAGGED, {"name": "n"}),
    (CLOSED, {"by_row": 1}),
    (UNTYPED, {"kind": "b"}),
]


@pytest.mark.parametrize(("schema", "payload"), VALID)
def test_a_valid_branch_has_no_issue(schema: Any, payload: Any) -> None:
    assert tool_of(schema).validate(payload) == []


def test_a_missing_tag_got_nothing() -> None:
    (issue,) = tool_of(SHAPE).validate({})
    assert issue.got is MISSING


def test_paths_name_places_of_the_payload_only() -> None:
    schema = {"properties": {"list": {"type": "array", "items": PYDANTIC}}, "$defs": PYDANTIC["$defs"]}
    payload = {"list": [{}, {"shape": {"kind": "circle", "r": "1", "extra": 2}}]}
    fields = [issue.field for issue in tool_of(schema).validate(payload)]
    assert fields == ["list[1].shape.r", "list[1].shape.extra"]


@pytest.mark.parametrize(
    ("more", "constraint"),
    [({"pattern": "^b"}, "pattern"), ({"maxLength": 1}, "maxLength"), ({"not": {"const": "cd"}}, "not")],
)
def test_a_tag_is_held_to_what_else_its_schema_says(more: dict[str, Any], constraint: str) -> None:
    first = {"properties": {"kind": {"enum": ["a", "b"]}}, "required": ["kind"]}
    kind: dict[str, Any] = {"kind": {"enum": ["cd", "b2"], **more}}
    second = {"properties": kind, "required": ["kind"]}
    tool = tool_of({"properties": {"u": {"type": "object", "oneOf": [first, second]}}})
    assert [(i.field, i.constraint) for i in tool.validate({"u": {"kind": "cd"}})] == [("u.kind", constraint)]
    assert tool.validate({"u": {"kind": "a"}}) == []
    root = tool_of({"type": "object", "oneOf": [{**second, "properties": {**kind, "x": {}}}, first]})
    assert [(i.field, i.constraint) for i in root.validate({"kind": "cd"})] == [("kind", constraint)]
