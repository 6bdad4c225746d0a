"""Texts that are not JSON: whether they have one reading, its value, and what is said of them."""

from __future__ import annotations

import json
import string
from itertools import product
from typing import Any

from helpers.hint_strategies import json_values
from helpers.support import JsonObject, for_each, for_each_at_once, same_json, table, tool_of
from hypothesis import example, given, settings, strategies as st

from toolgen_runtime import MISSING, Registry, Tool, ValidationIssue, apply_edits, build_hint, repair
from toolgen_runtime.hints.malformed.loose_json import read_loosely
from toolgen_runtime.hints.malformed.read_text import KINDS, read_text
from toolgen_runtime.schema.facts import SchemaFacts

TEXTS = table("broken_texts.json")
ROWS: list[tuple[str, str, Any, str]] = [tuple(row) for row in TEXTS["rows"]]
SCHEMA: JsonObject = TEXTS["schema"]
TOOL = tool_of(SCHEMA)
PIN = {"pin": {"type": "string", "writeOnly": True}}
SECRET = tool_of({**SCHEMA, "properties": {**SCHEMA["properties"], **PIN}})
PARIS = '{"city": "Paris"}'
VALUE = {"city": "Paris"}
PARTS = '{"city": "Paris"}{"days": 3}'


def detail(tool: Tool[Any], text: str | bytes, known: bool = True) -> str:
    return build_hint(tool, tool.validate_json(text), payload=text if known else MISSING).detail


def is_certain(reading: Any) -> bool:
    return all(KINDS[slip].certain != "never" for slip in reading.slips)


@for_each_at_once(ROWS)
def test_each_text_has_its_sentence_and_its_reading(text: Any, certainty: Any, value: Any, said: Any) -> None:
    hint = build_hint(TOOL, TOOL.validate_json(text), payload=text)
    assert hint.detail == said
    assert detail(TOOL, text.encode()) == said
    of_text = hint.edits[:1]  # the others are about its value
    assert [edit.certain for edit in of_text] == {"certain": [True], "asked": [False]}.get(certainty, [])
    if of_text:
        assert same_json(apply_edits(text, of_text), value)
    is_repaired = certainty == "certain" and not TOOL.validate(value)
    assert same_json(repair(TOOL, text).payload, value if is_repaired else text)


def test_every_slip_is_met() -> None:
    met = {slip for text, *_ in ROWS for slip in read_text(text).slips}
    assert KINDS.keys() - met == {"encoded"}


@for_each(["{'city': 'Paris'}", '{"city": "Par', '{"city": Paris}'])
def test_something_is_said_if_only_the_issue_is_known(text: str) -> None:
    expected = TOOL.validate_json(text)[0].expected
    said = f"the arguments are not valid JSON: {expected} is expected."
    cut = "the arguments are cut off. Send the complete JSON object again."
    assert detail(TOOL, text, known=False) == (cut if text.endswith("r") else said)


@for_each_at_once([row[0] for row in ROWS])
def test_nothing_of_a_text_that_may_hold_a_secret_is_shown(text: Any) -> None:
    hidden = text.replace("Paris", "hunter2").replace("Par", "hunter2").replace("Rome", "hunter2")
    for known in (True, False):
        said = detail(SECRET, hidden, known)
        assert "hunter2" not in said
        assert "`" not in said


@for_each(
    [
        ('{"note": "a', 'cut off inside "note" after 11 characters.'),
        (PARIS, "Send the complete JSON object again."),
    ]
)
def test_a_stream_that_ended_cuts_off_what_may_look_whole(text: str, said: str) -> None:
    issue = ValidationIssue((), "truncated", "the model stopped with max_tokens")
    for payload, words in (
        (text, said),
        ("", "are cut off. Send"),
        (MISSING, "Send the complete JSON object again"),
    ):
        assert words in build_hint(TOOL, [issue], payload=payload).detail


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from([*string.punctuation, "\n", "a", "```", "<think>", PARIS])).map("".join)
)
@settings(max_examples=50, deadline=None)
def test_any_text_has_a_short_sentence_in_one_line(text: str) -> None:
    issues = TOOL.validate_json(text)
    if issues and issues[0].constraint in ("json", "truncated"):
        said = detail(TOOL, text)
        assert said
        assert said.isprintable()
        assert len(said) <= 200


def test_objects_are_parts_of_one_call_if_only_all_their_fields_are_valid() -> None:
    both = tool_of({**SCHEMA, "required": ["city", "days"]})
    hint = build_hint(both, both.validate_json(PARTS), payload=PARTS)
    assert (
        hint.detail == "the arguments are split into several JSON objects. Send one object with all fields."
    )
    assert [(edit.value, edit.certain) for edit in hint.edits] == [({"city": "Paris", "days": 3}, False)]
    assert repair(both, PARTS).payload == PARTS
    others = tool_of({**SCHEMA, "required": ["city", "days", "ratio"]})
    for tool in (TOOL, others):
        assert build_hint(tool, tool.validate_json(PARTS), payload=PARTS).edits == ()


@for_each(
    [
        ("{'city': 'Paris', 'Days': '3'}", True),
        ("```json\n{'name': 't', 'arguments': {'city': 'Paris', 'days': 3}}\n```", True),
        ("{'city': 'Paris', 'day': 3}", False),
        ("Please call {'city': 'Paris', 'Days': 3} now", False),
    ]
)
def test_the_value_of_a_broken_text_is_corrected_too(text: str, certain: bool) -> None:
    tool = tool_of({**SCHEMA, "required": ["city", "days"], "additionalProperties": False})
    edits = build_hint(tool, tool.validate_json(text), payload=text).edits
    meant = {"city": "Paris", "days": 3}
    assert (apply_edits(text, [edit for edit in edits if edit.certain]) == meant) is certain
    if not text.startswith("Please"):
        assert apply_edits(text, edits) == meant


BYTES = [
    (b'{"city": "K\xf6ln"}', 'are not UTF-8 (byte 0xf6 at byte 12). Send the same JSON in UTF-8.'),
    (b"\x80abc", "the arguments are not UTF-8 (byte 0x80 at byte 1). Send the same JSON in UTF-8."),
    ('{"city": "Paris"}'.encode("utf-16"), "the arguments are in UTF-16 or UTF-32, not in UTF-8. Send the same JSON"),
    ('{"city": "Paris"}'.encode("utf-16-le"), "the arguments are in UTF-16 or UTF-32"),
]  # fmt: skip


@for_each(BYTES)
def test_bytes_that_are_not_utf8_are_said_and_never_guessed(data: bytes, words: str) -> None:
    hint = build_hint(TOOL, TOOL.validate_json(data), payload=data)
    assert words in hint.detail
    assert hint.edits == ()
    assert repair(TOOL, data).payload == data


# -- readings -----------------------------------------------------------------------------------------------


@given(json_values)
@settings(max_examples=40, deadline=None)
def test_what_python_prints_comes_back_or_is_not_certain(value: Any) -> None:
    found, _ = read_loosely(repr([value]))
    if found.value is not MISSING and is_certain(found):
        assert json.dumps(found.value) == json.dumps([value])


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none(), max_size=3), st.integers(1, 200))
@settings(max_examples=40, deadline=None)
def test_nothing_that_was_cut_off_is_completed(value: JsonObject, lost: int) -> None:
    for text in (json.dumps(value), f"```json\n{json.dumps(value)}", repr(value)):
        assert read_text(text[: max(len(text) - lost, 0)].rstrip("}")).value is MISSING


DAMAGED = ("no comma", "bare keys", "numbers", "spaces")
VALUES = st.dictionaries(
    st.sampled_from(["city", "days", "where"]),
    st.recursive(
        st.integers() | st.booleans() | st.text(max_size=8) | st.sampled_from(['"', '", "', "//", "a # b", '": "']),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
        max_leaves=6,
    ),
    min_size=1,
)  # fmt: skip


def damaged(value: Any, how: str) -> str:
    """Return a value as JSON that is damaged in one way at each place."""
    if isinstance(value, dict):
        comma = "\n" if how == "no comma" else ", "
        key_form = "{}" if how == "bare keys" else '"{}"'
        members = [f"{key_form.format(key)}: {damaged(inner, how)}" for key, inner in value.items()]
        return "{" + comma.join(members) + "}"
    if isinstance(value, list):
        return f"[{', '.join(damaged(item, how) for item in value)}]"
    if how == "numbers" and type(value) is int and value >= 0:
        return f"+{value}"
    return json.dumps(value)


@for_each(DAMAGED)
@given(value=VALUES)
@example(value={"city": "```"})
@settings(max_examples=20, deadline=None)
def test_what_is_damaged_comes_back_or_is_refused(how: str, *, value: Any) -> None:
    text = damaged(value, how)
    reading = read_text(f"\u00a0{text}\u200b" if how == "spaces" else text)
    assert same_json(reading.value, value)
    assert is_certain(reading)


def test_the_names_of_all_properties_are_known() -> None:
    deep = {
        "$defs": {"A": {"properties": {"b": {"anyOf": [{"properties": {"c": True}}]}}}},
        "properties": {"a": {}},
    }
    assert SchemaFacts(deep).declared_names == {"a", "b", "c"}
    assert SchemaFacts(True).declared_names == frozenset()


# -- repair and calls ---------------------------------------------------------------------------------------


def test_repair_reads_a_text_and_fixes_what_it_holds() -> None:
    text = "```json\n{'city': 'Paris', 'Days': '3',}\n```"
    closed = tool_of({**SCHEMA, "additionalProperties": False})
    repaired = repair(closed, text)
    assert repaired.payload == {"city": "Paris", "days": 3}
    assert [change["rule"] for change in repaired.changes] == ["read", "key", "parsed"]
    assert repair(closed, "```\n{'town': 'Paris'}\n```").changes == ()


def test_a_call_is_repaired_if_that_was_asked() -> None:
    text = f"```json\n{PARIS}\n```"
    for asked in (True, False):
        registry = Registry(repair=asked).with_tools({TOOL.name: TOOL})
        output = registry.check(TOOL.name, text)
        assert output.ok is asked
        if asked:
            assert output.payload == VALUE
            assert [change["rule"] for change in output.repairs] == ["read"]
        else:
            assert output.retry_hint is not None
            assert "code fence" in output.text()


def test_what_is_read_of_a_text_with_secrets_is_masked() -> None:
    repaired = repair(SECRET, "{'pin': 'hunter2'}")
    assert repaired.payload == {"pin": "hunter2"}
    assert "hunter2" not in repr(repaired.changes)
    text = '```\n{"pin": "hunter2"}\n```'
    hint = build_hint(SECRET, SECRET.validate_json(text), payload=text)
    assert "hunter2" not in json.dumps(hint.to_dict())
    assert apply_edits(text, hint.edits) == {"pin": "hunter2"}


@for_each([f"input: {PARIS}", f"const input = {PARIS};"])
def test_a_label_that_is_a_field_is_asked_about(text: str) -> None:
    other = tool_of({**SCHEMA, "properties": {**SCHEMA["properties"], "input": {"type": "object"}}})
    assert repair(TOOL, text).payload == VALUE
    assert repair(other, text).payload == text


@for_each(
    [
        f'{{"arguments": {PARIS}}}',
        f'{{"name": "{TOOL.name}", "arguments": {PARIS}}}',
        json.dumps(PARIS),
        f"[{PARIS}]",
        '{"City": "Paris"}',
    ]
)
def test_a_text_that_is_json_is_advised_about_as_its_value(text: str) -> None:
    strict = tool_of({**SCHEMA, "required": ["city"], "additionalProperties": False})
    issues = strict.validate_json(text)
    hint = build_hint(strict, issues, payload=text)
    assert apply_edits(text, hint.edits) == VALUE
    assert hint.render() == build_hint(strict, issues, payload=json.loads(text)).render()


@for_each(product([1, 2], [PARIS, '{"city": "Paris",}']))
def test_json_in_json_texts_is_repaired_and_said_alike(levels: int, inner: str) -> None:
    text = inner
    for _ in range(levels):
        text = json.dumps(text)
    hint = build_hint(TOOL, TOOL.validate_json(text), payload=text)
    assert apply_edits(text, [edit for edit in hint.edits if edit.certain]) == VALUE
    assert repair(TOOL, text).payload == VALUE
