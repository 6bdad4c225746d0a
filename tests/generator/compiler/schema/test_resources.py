"""Schema resources: two places with one `$id` each have their own schema; only a reference can be ambiguous."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.support import JsonObject, for_each, found, same_json, shown, table, tool_of

from toolgen import SpecError, compile_tools

D4, D6, D7 = (f"http://json-schema.org/draft-0{n}/schema#" for n in (4, 6, 7))
ROOT = "http://x.test/root"


def problems(schema: Any) -> list[tuple[str, str]]:
    """(code, JSON pointer in the schema) of the diagnostics of a schema that is refused."""
    with pytest.raises(SpecError) as failure:
        compile_tools([{"name": "t", "schema": schema}])
    return [(d.code, d.place.pointer.removeprefix("/0/schema")) for d in failure.value.diagnostics]


def twins(a: Any, b: Any, **beside: Any) -> JsonObject:
    """Two properties whose schemas have one URI."""
    return {"properties": {"a": {"$id": "/x", **a}, "b": {"$id": "/x", **b}, **beside}}


def held(kind: str, **words: Any) -> JsonObject:
    """A schema that refers to a definition of its own."""
    return {"$defs": {"d": {"type": kind, **words}}, "properties": {"c": {"$ref": "#/$defs/d"}}}


STRING, INTEGER = {"type": "string"}, {"type": "integer"}


def test_resources_in_memory_are_referred_to_by_uri() -> None:
    resources: JsonObject = {
        "https://x.test/user": {"properties": {"id": {"$ref": "ids#/$defs/id"}}, "required": ["id"]},
        "https://x.test/ids#": {"$defs": {"id": {"type": "integer", "minimum": 1}}},
    }
    schema = {"properties": {"user": {"$ref": "https://x.test/user"}}}
    spec = {"name": "t", "schema": schema}
    tool = compile_tools([spec], resources=resources)["t"]
    assert [issue.path for issue in tool.validate({"user": {"id": 0}})] == [("user", "id")]
    assert [code for code, _ in problems(schema)] == ["unresolvable-reference"]
    resources["https://x.test/ids#"]["$defs"]["id"]["minimum"] = 0
    assert compile_tools([spec], resources=resources)["t"].validate({"user": {"id": 0}}) == []


def test_a_dynamic_reference_of_v1_needs_no_target_where_it_stands() -> None:
    schema = {
        "$ref": "list",
        "$defs": {
            "text": {"$dynamicAnchor": "item", "type": "string"},
            "list": {"$id": "list", "items": {"$dynamicRef": "#item"}},
        },
    }
    for year in ("", "/2026", "/2026#"):
        v1 = {"$schema": f"https://json-schema.org/v1{year}", **schema}
        assert [issue.path for issue in tool_of(v1).validate(["a", 1])] == [(1,)]
    assert problems({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}) == [
        ("unresolvable-reference", "/$defs/list/items/$dynamicRef")
    ]


def test_format_is_a_constraint_in_v1() -> None:
    schema = {"$schema": "https://json-schema.org/v1", "format": "ipv4"}
    tool = tool_of(schema, formats="annotate")
    assert [issue.constraint for issue in tool.validate("1.2.3")] == ["format"]


BY_PLACE = table("resources.json")
"""By what is checked: the schema, a valid payload, and the paths at which text in place of 1 is wrong."""


def with_text(value: Any) -> Any:
    """The value with text for every number."""
    if isinstance(value, dict):
        return {key: with_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [with_text(item) for item in value]
    return "x" if value == 1 else value


@for_each(BY_PLACE)
def test_a_subschema_is_what_stands_at_its_place(schema: Any, payload: Any, paths: list[Any]) -> None:
    assert found(schema, payload) == []
    assert [[*path] for path, _ in found(schema, with_text(payload))] == paths
    assert same_json(shown(tool_of(schema), payload), payload)


@for_each([(D4, "id"), (D6, "$id"), (D7, "$id")])
def test_older_drafts_have_places_too(draft: str, name: str) -> None:
    a, b = ({name: "/x", "properties": {"c": kind}} for kind in (STRING, INTEGER))
    schema = {"$schema": draft, "properties": {"a": a, "b": b}}
    assert found(schema, {"a": {"c": "x"}, "b": {"c": "x"}}) == [(("b", "c"), "type")]
    schema["properties"]["c"] = {"$ref": "/x"}
    assert problems(schema) == [("ambiguous-reference", "/properties/c/$ref")]
    fragments = {"a": {name: "#x", **STRING}, "b": {name: "#x", **INTEGER}}
    assert found({"$schema": draft, "properties": fragments}, {"a": "x", "b": 1}) == []


AMBIGUOUS: list[tuple[Any, str]] = [
    (twins(STRING, INTEGER, c={"$ref": "/x"}), "/properties/c/$ref"),
    (twins(held("string"), held("integer"), c={"$ref": "/x#/$defs/d"}), "/properties/c/$ref"),
    (twins({"items": {"$ref": "/x"}}, INTEGER), "/properties/a/items/$ref"),
    ({"$id": ROOT, "items": {"$id": ROOT, "items": {"$ref": ROOT}}}, "/items/items/$ref"),
    (
        {"items": {"$ref": "#x"}, "$defs": {"a": {"$anchor": "x", **STRING}, "b": {"$anchor": "x"}}},
        "/items/$ref",
    ),
    (twins({"$dynamicAnchor": "n"}, INTEGER, c={"$dynamicRef": "/x#n"}), "/properties/c/$dynamicRef"),
    (twins({"const": 1}, {"const": True}, c={"$ref": "/x"}), "/properties/c/$ref"),
]


@for_each(AMBIGUOUS)
def test_a_reference_to_a_repeated_uri_is_ambiguous(schema: Any, pointer: str) -> None:
    assert problems(schema) == [("ambiguous-reference", pointer)]
