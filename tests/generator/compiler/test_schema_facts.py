"""What is known of a schema beforehand: one answer, whoever asks."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.support import lowered, tool_of

from toolgen.compiler.schema.facts import (
    conjuncts,
    is_closed,
    label,
    own_types,
    possible_kinds,
    types_of,
    values_of,
)
from toolgen.compiler.schema.kinds import ALL_KINDS, Kind, kinds_of_types
from toolgen.compiler.schema.union_tags import distinct_keys, shared_tag

VALUES: list[tuple[dict[str, Any], list[Any] | None]] = [
    ({}, None),
    ({"type": "string"}, None),
    ({"enum": ["a", "b"]}, ["a", "b"]),
    ({"const": None}, [None]),
    ({"const": "a", "enum": ["a", "b"]}, ["a"]),
    ({"const": "a", "enum": ["b"]}, []),
    ({"const": 1, "enum": [True, "1"]}, []),
    ({"const": 1, "enum": [1.0]}, [1]),
]


@pytest.mark.parametrize(("schema", "values"), VALUES)
def test_the_values_are_those_that_enum_and_const_leave(
    schema: dict[str, Any], values: list[Any] | None
) -> None:
    found = lowered(schema)
    assert values_of(found) == values
    if values is not None:
        types = {{str: "string", type(None): "null", int: "integer"}[type(value)] for value in values}
        assert own_types(found) == types
        assert possible_kinds(found) == kinds_of_types(types)


@pytest.mark.parametrize(
    ("schema", "closed"),
    [
        ({"properties": {"a": {}}}, False),
        ({"properties": {"a": {}}, "additionalProperties": False}, True),
        ({"properties": {"a": {}}, "additionalProperties": {"type": "string"}}, False),
        ({"properties": {"a": {}}, "patternProperties": {}, "additionalProperties": False}, True),
        ({"properties": {"a": {}}, "patternProperties": {"^b": {}}, "additionalProperties": False}, False),
    ],
)
def test_an_object_is_closed_if_no_other_key_is_allowed(schema: dict[str, Any], closed: bool) -> None:
    assert is_closed(lowered(schema)) is closed
    branches = [lowered({**schema, "properties": {key: {}}, "required": [key]}) for key in ("a", "c")]
    assert (distinct_keys(branches) is not None) is closed


REFERENCES: list[dict[str, Any]] = [
    {"$ref": "#/$defs/one"},
    {"$dynamicRef": "#one"},
    {"allOf": [{"$ref": "#/$defs/one"}]},
    {"allOf": [{"allOf": [{"$dynamicRef": "#one"}]}]},
]


@pytest.mark.parametrize("reference", REFERENCES, ids=str)
def test_what_holds_together_is_seen_through_every_reference(reference: dict[str, Any]) -> None:
    one = {"$dynamicAnchor": "one", "required": ["kind"], "properties": {"kind": {"const": "one"}}}
    two = {"required": ["kind"], "properties": {"kind": {"const": "two"}}}
    root = lowered({"$defs": {"one": one}, "anyOf": [{"type": "object", **reference}, two]})
    first, second = root.any_of
    assert [part.properties.keys() for part in conjuncts(first) if part.properties] == [{"kind"}]
    tag = shared_tag([first, second])
    assert tag is not None
    assert list(tag.branches) == ["one", "two"]
    assert label(first) == "one"
    assert types_of(conjuncts(first)) == {"object"}
    tool = tool_of({"$defs": {"one": one}, "type": "object", "anyOf": [{"type": "object", **reference}, two]})
    assert tool.validate({"kind": "one"}) == []
    (issue,) = tool.validate({"kind": "three"})
    assert (issue.field, issue.constraint, issue.expected) == ("kind", "enum", ("one", "two"))


@pytest.mark.parametrize(
    ("schema", "kinds"),
    [
        ({}, ALL_KINDS),
        ({"not": {"type": "string"}}, ALL_KINDS),
        ({"type": ["integer", "null"]}, {Kind.NUMBER, Kind.NULL}),
        ({"allOf": [{"type": ["string", "null"]}, {"type": ["string", "array"]}]}, {Kind.STRING}),
        ({"oneOf": [{"type": "string"}, {"const": 1}]}, {Kind.STRING, Kind.NUMBER}),
        ({"if": {"type": "string"}, "then": {"type": "string"}}, ALL_KINDS),
    ],
)
def test_the_kinds_that_a_schema_can_take(schema: dict[str, Any], kinds: frozenset[Kind]) -> None:
    assert possible_kinds(lowered(schema)) == kinds
