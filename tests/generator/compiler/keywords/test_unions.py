"""Unions speak of the one branch that was meant: its issues, at full paths, and nothing of the others."""

from __future__ import annotations

import json
from typing import Any

from helpers.support import for_each, for_each_at_once, table, tool_of

UNIONS = table("unions.json")


@for_each_at_once(UNIONS["cases"])
def test_unions_speak_of_one_branch(schema: Any, payload: Any, issues: Any) -> None:
    found = tool_of(UNIONS["schemas"].get(str(schema), schema)).validate(payload)
    said = [(issue.path, issue.constraint, issue.expected) for issue in found]
    assert json.loads(json.dumps(said)) == issues


def test_paths_name_places_of_the_payload_only() -> None:
    union = UNIONS["schemas"]["as pydantic writes a discriminated union"]
    schema = {"properties": {"list": {"type": "array", "items": union}}, "$defs": union["$defs"]}
    payload = {"list": [{}, {"shape": {"kind": "circle", "r": "1", "extra": 2}}]}
    fields = [issue.field for issue in tool_of(schema).validate(payload)]
    assert fields == ["list[1].shape.r", "list[1].shape.extra"]


@for_each(
    [({"pattern": "^b"}, "pattern"), ({"maxLength": 1}, "maxLength"), ({"not": {"const": "cd"}}, "not")]
)
def test_a_tag_is_held_to_what_else_its_schema_says(more: dict[str, Any], constraint: str) -> None:
    branches = [
        {"properties": {"kind": kind, "x": {}}, "required": ["kind"]}
        for kind in ({"enum": ["a", "b"]}, {"enum": ["cd", "b2"], **more})
    ]
    root = {"type": "object", "oneOf": branches}
    for schema, payload, field in (
        (root, {"kind": "cd"}, "kind"),
        ({"properties": {"u": root}}, {"u": {"kind": "cd"}}, "u.kind"),
    ):
        assert [(i.field, i.constraint) for i in tool_of(schema).validate(payload)] == [(field, constraint)]
    assert tool_of(root).validate({"kind": "a"}) == []
