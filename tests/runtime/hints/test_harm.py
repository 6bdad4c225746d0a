"""Calls whose hints once did harm: what is said, what is only asked, and where the edits lead."""

from __future__ import annotations

from functools import partial
from typing import Any

from helpers.support import TEXT, JsonObject, for_each, hint_of, obj, tool_of

from toolgen_runtime import repair

TASKS = {
    "type": "object",
    "oneOf": [
        {"properties": {"op": {"const": op}, **own}, "required": ["op", *own], "additionalProperties": False}
        for op, own in (("create", {"name": TEXT}), ("delete", {"id": TEXT}), ("list", {}))
    ],
}


fields = partial(obj, closed=True)


@for_each(
    [
        (TASKS, {"kind": 5}, 'add the key "op" (one of: create, delete, list)'),
        (
            fields(d={**TEXT, "format": "uuid", "description": "An id from list_pages."}),
            {"d": "my page"},
            "list_pages",
        ),
        (fields(d={**TEXT, "format": "date"}), {"d": "soon"}, "send YYYY-MM-DD"),
        (
            fields(m={"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}}),
            {"m": {"app2": 1}},
            "^[a-z]+$",
        ),
    ]
)
def test_it_is_said(schema: JsonObject, sent: Any, words: str) -> None:
    tool = tool_of(schema)
    hint = hint_of(tool, sent)
    assert words in hint.render()
    assert "e.g." not in hint.render()


def test_a_guess_under_a_certain_new_name_is_asked() -> None:
    tool = tool_of(fields("content", content=TEXT))
    sent = {"Content": {"url": "x"}}
    hint = hint_of(tool, sent)
    assert [(edit.op, edit.certain) for edit in hint.edits] == [("rename", True), ("set", False)]
    assert hint.render().endswith('instead of "Content"?')


def test_a_missing_field_with_a_default_gets_it() -> None:
    tool = tool_of(fields("scale", "name", scale={"enum": ["css", "device"], "default": "css"}, name=TEXT))
    sent = {"name": "a"}
    hint = hint_of(tool, sent)
    assert 'send "css" (the default)' in hint.render()
    assert repair(tool, sent).payload == {"name": "a", "scale": "css"}
    with_key = {"name": "a", "Scales": "device"}
    assert repair(tool, with_key).payload is with_key


def test_an_example_that_needs_nothing_filled_in_is_not_shown() -> None:
    tool = tool_of(fields("scale", "name", scale={"default": "css"}, name=TEXT))
    assert hint_of(tool, {"name": "a"}).example_input is None
    both = hint_of(tool, {}).example_input
    assert both == {"scale": "css", "name": "<name>"}
