"""Hostile specs build in bounded time or give one clear diagnostic."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from helpers.nests import TEXT, WRAPS, arrays, closed, nested, objects
from helpers.support import JsonObject, bounded, for_each, for_each_at_once, no_collection, tool_of

from toolgen import SpecError

QUICK = 12.0
"""Seconds that no hostile spec may take; most take a tenth of one."""


DEEP = 80
"""Schemas in one another; in most keywords that is 160 levels of JSON, of which 256 are read."""
FITTING: JsonObject = {
    **dict.fromkeys(("items", "prefixItems", "contains"), arrays(DEEP, "x")),
    **dict.fromkeys(
        ("properties", "additionalProperties", "patternProperties", "unevaluatedProperties"),
        objects(DEEP, "x"),
    ),
    "propertyNames": {},
    "dependentSchemas": {},
}


@pytest.mark.parametrize("keyword", WRAPS)
def test_deep_schemas_build(keyword: str) -> None:
    tool = tool_of(nested(DEEP, WRAPS[keyword], TEXT))
    assert tool.validate(FITTING.get(keyword, "x")) == []
    if keyword in ("properties", "items", "contains", "prefixItems"):
        assert tool.validate(json.loads(json.dumps(FITTING[keyword]).replace('"x"', "5"))) != []


@for_each(WRAPS)
def test_schemas_too_deep_to_read_are_one_diagnostic(keyword: Any) -> None:
    for depth in (900, 20_000):
        with pytest.raises(SpecError) as failure:
            tool_of(nested(depth, keyword, TEXT))
        assert [d.code for d in failure.value.diagnostics] == ["too-deep"]


def chain(length: int, link: Callable[[str], Any]) -> JsonObject:
    """`d0` refers to `d1` and so on; every definition is used twice, so that each has its own function."""
    links = {f"d{i}": link(f"#/$defs/d{i + 1}") for i in range(length)}
    every = {"allOf": [{"$ref": f"#/$defs/d{i}"} for i in range(length)]}
    return {
        "$ref": "#/$defs/d0",
        "properties": {"every": every},
        "$defs": {**links, f"d{length}": {"type": "string", "maxLength": 5}},
    }


def tagged(i: int) -> JsonObject:
    members = {"k": {"const": f"t{i}"}, "v": TEXT}
    return {"type": "object", "properties": members, "required": ["k", "v"]}


NAMES = [f"p{i}" for i in range(1000)]
WIDE: dict[str, tuple[Any, Any, Any]] = {
    "1,000 properties": (
        {"properties": dict.fromkeys(NAMES, TEXT), "additionalProperties": False},
        dict.fromkeys(NAMES, "x"),
        {"p1": 1},
    ),
    "1,000 required": (
        {"required": NAMES, "properties": dict.fromkeys(NAMES, TEXT)},
        dict.fromkeys(NAMES, "x"),
        {},
    ),
    "500 objects": ({"anyOf": [closed([f"p{i}"]) for i in range(500)]}, {"p499": "x"}, {}),
    "90 keyed objects": ({"anyOf": [closed([f"p{i}"]) for i in range(90)]}, {"p89": "x"}, {}),
    "500 patterns": ({"patternProperties": {f"^a{i}$": TEXT for i in range(500)}}, {"a1": "x"}, {"a2": 1}),
    "500 tagged": ({"oneOf": [tagged(i) for i in range(500)]}, {"k": "t499", "v": "x"}, {"k": "t500"}),
    "2,000 objects": ({"enum": [{"a": i} for i in range(2000)]}, {"a": 1999}, {"a": 2000}),
    "chain of 1,200 with limits": (chain(1200, lambda ref: {"$ref": ref, "minLength": 1}), "x", 5),
    "ways through anyOf": (chain(18, lambda ref: {"anyOf": [{"$ref": ref}, {"$ref": ref}]}), "x", 5),
    "ways through allOf": (chain(12, lambda ref: {"allOf": [{"$ref": ref}] * 2}), "x", 5),
    "200 times not": (nested(200, lambda s: {"not": s}, TEXT), "x", 5),
    "constant": ({"const": objects(57, 1)}, objects(57, 1), objects(57, 2)),
}


@for_each(WIDE)
@no_collection()
def test_wide_specs_build_quickly(schema: Any, valid: Any, invalid: Any) -> None:
    with bounded(QUICK):
        tool = tool_of(schema)
        assert tool.validate(valid) == []
        assert tool.validate(invalid) != []


BAD: list[tuple[Any, str, str]] = [
    *(({k: 10**5000}, f"/{k}", "bad-number") for k in ("minimum", "minLength", "default")),
    *(({k: float("inf")}, f"/{k}", "bad-number") for k in ("minimum", "const")),
    ({"multipleOf": -(10**4000)}, "/multipleOf", "invalid-keyword"),
    ({"minLength": 1e-300}, "/minLength", "invalid-keyword"),
    ({"const": objects(100, 1)}, "/const", "constant-too-deep"),
    ({"enum": [1, arrays(100, 1)]}, "/enum", "constant-too-deep"),
    *(
        ({"allOf": [True], "$ref": ref}, "/$ref", "unresolvable-reference")
        for ref in (
            *(
                "file:///etc/passwd",
                "http://localhost:1/x",
                "../../etc/passwd",
                "http://[::1",
                "http://a\0b/",
            ),
            *("#/nope", "#nope", "#/%zz", "#/title", "urn:x:y", "x" * 100_000, "#" + "/a" * 50_000),
            *("#/allOf/-1", "#/allOf/00", "#/allOf/1", "#/allOf/ 0"),
        )
    ),
    ({"$ref": "#"}, "", "endless-reference"),
    (
        {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}},
        "/$defs/a",
        "endless-reference",
    ),
    ({"$id": "http://[::1"}, "/$id", "invalid-keyword"),
    ({"$id": 5, "items": {"$ref": "#/$defs/a"}, "$defs": {"a": {}}}, "/$id", "invalid-keyword"),
    ({"$schema": "http://evil.test/x"}, "/$schema", "unknown-dialect"),
    ({"$schema": "http://a.test/x", "$id": "http://a.test/x"}, "/$schema", "unknown-dialect"),
    ({"pattern": "(" * 3000 + ")" * 3000}, "/pattern", "invalid-pattern"),
]


@for_each_at_once(BAD)
def test_what_cannot_be_built_is_one_clear_diagnostic(schema: Any, pointer: Any, code: Any) -> None:
    with bounded(QUICK), pytest.raises(SpecError) as failure:
        tool_of(schema)
    (diagnostic,) = failure.value.diagnostics
    assert diagnostic.code == code
    assert pointer in diagnostic.place.pointer
    assert len(str(diagnostic).split("cannot be resolved")[0]) < 400
