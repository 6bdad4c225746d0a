"""Which branch of a union was meant: what was sent decides, not what counts fewest issues."""

from __future__ import annotations

import json
from typing import Any

from helpers.support import JsonObject, for_each, for_each_at_once, table, tool_of

from toolgen_runtime import Registry, ValidationIssue
from toolgen_runtime.validation.branches import choose, meant


def within(schema: Any) -> Any:
    return {"type": "object", "properties": {"x": schema}}


CASES = table("union_branches.json")
MADE: JsonObject = CASES["of pydantic"]
ROWS = [
    *CASES["rows"].items(),
    *(
        (f"{model}: {name}", (model, *row))
        for model in ("Plain", "Discriminated", "Nullable", "OrText")
        for name, row in CASES["tagged"].items()
    ),
]


@for_each_at_once(dict(ROWS))
def test_what_was_sent_decides(schema: Any, value: Any, issues: Any) -> None:
    tool = tool_of(MADE[schema] if schema in MADE else within(CASES["schemas"][schema]))
    found = tool.validate({"x": value})
    said = [(i.field.removeprefix("x").lstrip("."), i.constraint, i.expected) for i in found]
    assert json.loads(json.dumps(said)) == issues


def test_each_item_of_an_array_has_its_own_branch() -> None:
    items = [{"kind": "get", "id": "1"}, {"kind": "Delete", "id": "1"}, {"kind": "delete"}]
    found = tool_of(MADE["Many"]).validate({"x": items})
    assert [(i.field, i.constraint) for i in found] == [("x[1].kind", "enum"), ("x[2].id", "required")]


@for_each(table("hint_tables.json")["forms"], ids=lambda row: row["name"])
def test_hints_say_the_branch_or_the_forms(row: JsonObject) -> None:
    tool, payload = tool_of(row["schema"]), {"x": row["sent"]}
    registry = Registry().with_tools({tool.name: tool})
    assert registry.hint(tool.name, tool.validate(payload), payload=payload).headline().endswith(row["line"])


def test_a_hint_at_the_root_names_a_field() -> None:
    tool = tool_of({"type": "object", **CASES["schemas"]["equal"]})
    registry = Registry().with_tools({tool.name: tool})
    (field,) = registry.hint(tool.name, tool.validate({}), payload={}).fields
    assert (field.field, field.advice) == ("a", "send a or b.")
    hint = registry.hint(tool.name, tool.validate({"query": "shoe"}), payload={"query": "shoe"})
    assert hint.edits == ()
    assert hint.fields[0].advice == "send a or b; you sent query, which is not a field."


def test_the_choice_does_not_touch_odd_keys_and_values() -> None:
    keys: list[JsonObject] = [{"a": ("x",)}, {"a": ("y",)}]
    for odd in (float("nan"), 10**5000, b"x", ["x"], {"a": 1}, "x" * 10_000):
        assert choose({1: 2, None: 3, "a": odd}, keys, [0, 1])[2] == ("x", "y")


def test_a_branch_of_another_type_is_not_meant() -> None:
    own = [ValidationIssue(("a",), "type"), ValidationIssue(("b",), "type")]
    assert meant(1, [[ValidationIssue((), "type")], own], [], "anyOf") == own
