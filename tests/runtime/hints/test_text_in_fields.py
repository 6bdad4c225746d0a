"""Texts in fields that take an array or an object: what they hold, what is said, and what is certain."""

from __future__ import annotations

import json
from typing import Any

from helpers.support import for_each_at_once, tool_of

from toolgen_runtime import MISSING, apply_edits, build_hint, repair
from toolgen_runtime.hints.malformed.json_in_fields import describe_field, read_field

ITEMS = [{"name": "a", "role": "x"}, {"name": "b", "role": "y"}]
TEXT = json.dumps(ITEMS)
ONE = json.dumps(ITEMS[0])
NAMED = {"type": "object", "properties": {"name": {"type": "string"}, "role": {"type": "string"}}}
ITEM = {**NAMED, "required": ["name"], "additionalProperties": False}
TOOL = tool_of({
    "type": "object",
    "properties": {"rows": {"type": "array", "items": ITEM}, "row": ITEM},
    "additionalProperties": False,
})  # fmt: skip
CERTAIN = [
    TEXT,
    f"{TEXT}\n</parameter>",
    f"{TEXT}</rows></invoke>",
    f"<rows>{TEXT}</rows>",
    f"{TEXT}<|im_end|>",
    f"```json\n{TEXT}\n```",
    f"{TEXT}]",
    str(ITEMS),
    TEXT.replace('"', '\\"'),
    TEXT.replace("}]", ",}]"),
    json.dumps({"rows": ITEMS}),
]
ASKED = [
    f"{TEXT}\n\nI will now start.",
    f"rows: {TEXT}",
    f"<delete>{TEXT}</delete>",
    json.dumps(TEXT),
    TEXT.replace("}, {", "} {"),
    TEXT[1:-1],
    TEXT[1:-1].replace("}, {", "}\n{"),
]
UNREAD = [
    (TEXT[:-1], 'it is cut off inside "[2]" after 55 characters'),
    (TEXT[:-12], 'it is cut off inside "[1]" after 44 characters'),
    ('[{"name": "say "hi""}]', 'a double quote ends a string too early in [0].name, before `hi""}]`'),
    ('[{"name": "a\\d"}]', 'there is a backslash that begins no escape in [0].name: `\\d"}]`'),
    (f"{TEXT} {TEXT}", "it contains several arrays"),
]


def hint_of(sent: Any) -> Any:
    return build_hint(TOOL, TOOL.validate(sent), payload=sent)


@for_each_at_once(CERTAIN)
def test_a_text_with_one_reading_is_put_right(text: Any) -> None:
    sent = {"rows": text}
    assert apply_edits(sent, [edit for edit in hint_of(sent).edits if edit.certain]) == {"rows": ITEMS}
    assert repair(TOOL, sent).payload == {"rows": ITEMS}


@for_each_at_once(ASKED)
def test_a_text_with_other_words_is_asked_about(text: Any) -> None:
    sent = {"rows": text}
    hint = hint_of(sent)
    assert apply_edits(sent, hint.edits) == {"rows": ITEMS}
    assert not any(edit.certain for edit in hint.edits)
    assert repair(TOOL, sent).payload is sent


@for_each_at_once(UNREAD)
def test_a_text_without_a_reading_is_described(text: Any, said: Any) -> None:
    assert read_field(text, ["array"]).value is MISSING
    assert describe_field(text, "array") == said
    assert said in hint_of({"rows": text}).render()
    assert hint_of({"rows": text}).edits == ()


def test_the_text_of_one_object_is_one_item_if_both_steps_are_certain() -> None:
    assert repair(TOOL, {"rows": ONE}).payload == {"rows": [ITEMS[0]]}
    assert repair(TOOL, {"rows": '{"name": "a"}'}).payload == {
        "rows": '{"name": "a"}'
    }  # one key may be a wrapper
    assert repair(TOOL, {"rows": '{"name": "a", "x": 1}'}).changes == ()
    records = {**NAMED, "properties": {**NAMED["properties"], "id": {"type": "string"}}}
    tool = tool_of({"type": "object", "properties": {"rows": {"type": "array", "items": records}}})
    assert repair(tool, {"rows": '{"id": "1", "name": "a"}'}).changes == ()  # others may be lacking


def test_a_value_is_shown_only_if_the_check_takes_it() -> None:
    right, wrong = ({"row": json.dumps(row)} for row in (ITEMS[0], {"name": 1}))
    assert hint_of(right).fields[0].advice == f"send the object itself, not a JSON string: {ONE}."
    assert hint_of(wrong).fields[0].advice == 'send the object itself, not a JSON string: {"name": …}.'
    assert hint_of(wrong).fields[1].field == "row.name"


def test_an_object_is_not_taken_out_of_a_list_of_text() -> None:
    assert repair(TOOL, {"row": TEXT}).changes == ()
    assert repair(TOOL, {"row": ONE + ONE}).changes == ()
    assert apply_edits({"rows": ONE + ONE}, hint_of({"rows": ONE + ONE}).edits) == {"rows": [ITEMS[0]] * 2}


def test_text_for_a_field_that_takes_text_is_left_alone() -> None:
    tool = tool_of({"type": "object", "properties": {"content": {"type": ["string", "array"]}}})
    assert tool.validate({"content": f"{TEXT}</parameter>"}) == []


def test_a_uuid_is_one_id_and_no_range() -> None:
    ids = {"type": "array", "items": {"type": "string"}}
    tool = tool_of({"type": "object", "properties": {"page_ids": ids}})
    sent = "f47ac10b-58cc-4372-a567-0e02b2c3d479"
    assert repair(tool, {"page_ids": sent}).payload == {"page_ids": [sent]}
    assert repair(tool, {"page_ids": "a1-a9"}).payload == {"page_ids": "a1-a9"}
