"""Slips within a text that begins as JSON: which have one reading, for which tools, and what is said of each."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import bounded, same_json, tool_of

from toolgen_runtime import apply_edits, build_hint, repair
from toolgen_runtime.hints.malformed.certainty import declared_names
from toolgen_runtime.hints.malformed.reading import read_loosely
from toolgen_runtime.hints.malformed.relaxed import MAX_OPEN, to_json

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "ratio": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "ids": {"type": "array", "items": {"type": "integer"}},
        "where": {"type": "object", "properties": {"lat": {"type": "number"}}},
        "all": {"type": "boolean"},
        "ref": {"type": "string"},
    },
}
TOOL = tool_of(SCHEMA)
BOTH = {"city": "Paris", "days": 3}

REPAIRED: list[tuple[str, Any, str]] = [
    ('{{"city": "Paris", "days": 3}}', BOTH, 'braces are doubled: `{{"city": "Paris", "…`. Send each brace once.'),
    ('{{"where": {{"lat": 1}}}}', {"where": {"lat": 1}}, "braces are doubled"),
    ('{"city": "Paris" "days": 3}', BOTH, "a comma is missing in city, before"),
    ('{"days": 3 "city": "Paris"}', BOTH, "a comma is missing in days"),
    ('{"where": {"lat": 1} "days": 3}', {"where": {"lat": 1}, "days": 3}, "a comma is missing in where"),
    ('{"city": "Paris"\n"days": 3}', BOTH, "a comma is missing in city"),
    ('{"ids": [1 2 30]}', {"ids": [1, 2, 30]}, "a comma is missing in ids[0], before `2 30]}`"),
    ('{"city: "Paris", "days": 3}', BOTH, "a key has no closing quote: `\"city: \"Paris"),
    ('{"city": "Paris", "days: 3}', BOTH, "a key has no closing quote: `\"days: 3}`. Put each key in double"),
    ('{city": "Paris", "days": 3}', BOTH, "a key has no opening quote: `city\": \"Paris"),
    ('{"city" "Paris"}', {"city": "Paris"}, "a colon is missing after a key"),
    ('{1: "a"}', {"1": "a"}, "the keys have no quotes: `1`"),
    ('{"days": +3}', {"days": 3}, "not written as in JSON in days: `+3}`. Send 3."),
    ('{"ids": (1, 2)}', {"ids": [1, 2]}, "a tuple stands in ids: `(1, 2)}`. Send a list, in [ ]."),
    ('{"tags": ("a",)}', {"tags": ["a"]}, "a tuple stands in tags"),
    ("{'days': (3)}", {"days": 3}, "take double quotes"),
    ('{"city"="Paris", "days"=3}', BOTH, '"=" stands after a key, before `="Paris", "days"=3}`. Send a colon'),
    ("{city = 'Paris', days => 3}", BOTH, "the keys have no quotes"),
    ('"city": "Paris", "days": 3}', BOTH, "the opening brace is missing: `\"city\": \"Paris\", \"days\": 3}`"),
    ('{"city": "Paris",, "days": 3}', BOTH, "a comma before another comma"),
    (r'{\"city\": \"Paris\"}', {"city": "Paris"}, r"quotes are escaped: `\"city\": \"Paris\"}`. Send plain double"),
    (r'{\n  "city": "Paris"\n}', {"city": "Paris"}, "a backslash stands outside of strings"),
    ("{\"city\"\uff1a\u201cParis\u201d\uff0c\"days\"\uff1a3}", BOTH, "full-width punctuation is used in city"),
    ('{\u00a0"city":\u00a0"Paris"}', {"city": "Paris"}, "the character U+00A0 stands outside of strings. Send plain"),
    ('{"city": `Paris\nRome`}', {"city": "Paris\nRome"}, "take double quotes"),
    ("Here you go: {'city': 'Paris'}", {"city": "Paris"}, "the arguments begin with words"),
    ("{'city': 'Paris'}}", {"city": "Paris"}, "take double quotes"),
    ("'{\"city\": \"Paris\"}'", {"city": "Paris"}, "quotes stand around the object"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value", "words"), REPAIRED)
def test_a_slip_with_one_reading_is_repaired_and_said(text: str, value: Any, words: str) -> None:
    repaired = repair(TOOL, text)
    assert same_json(repaired.payload, value)
    assert [change["rule"] for change in repaired.changes] == ["read"]
    hint = build_hint(TOOL, TOOL.validate_json(text), payload=text)
    assert words in hint.detail
    assert [edit.certain for edit in hint.edits] == [True]
    assert same_json(apply_edits(text, hint.edits), value)
    assert TOOL.validate_json(text.encode())
    assert same_json(repair(TOOL, text.encode()).payload, value)


ASKED: list[tuple[str, Any]] = [
    ("{&quot;city&quot;: &quot;a &amp; b&quot;}", {"city": "a & b"}),
    (r"{\"city\": \"a\\nb\"}", {"city": "a\nb"}),
    ('{"ids": [1; 2]}', {"ids": [1, 2]}),
    ('{"city": "Paris"; "days": 3}', BOTH),
    ('{"city": "Paris", "all": TRUE}', {"city": "Paris", "all": True}),
    ('{"days": 3, # three\n "city": "Paris"}', BOTH),
    ('{"days": 1_000}', {"days": 1000}),
    ('{"days": 0x1F}', {"days": 31}),
    ('{"days": 5.}', {"days": 5}),
    ('{"ratio": -.5}', {"ratio": -0.5}),
    ('{"ratio": .5}', {"ratio": 0.5}),
    ('"city": "Paris", "days": 3', BOTH),  # There may be more of it.
    ('city: "Paris", days: 3', BOTH),
    ('{"city": "Paris", "days": undefined}', {"city": "Paris"}),
    ("{'city': 'Paris', 'days': nan}", {"city": "Paris"}),
    ('{"days": NaN, "city": "Paris"}', {"city": "Paris"}),
    ('{"city":"Paris""days":3}', BOTH),  # The quotes may be within a text.
    ('{"city": "Paris" "days"=3}', BOTH),
    ('{"city": "Paris" // one\n "days": 3}', BOTH),
    ('{"city": "tr " " ":" file"}', {"city": "tr ", " ": " file"}),
    ('{"city": "a" "name": "b"}', {"city": "a", "name": "b"}),  # No field: it may be a part of the text.
    ('{"city": "a"; "name": "b"}', {"city": "a", "name": "b"}),
    ('{"name: "b"}', {"name": "b"}),
    ('"name": "b"}', {"name": "b"}),
    ('{"ref": 0x1F}', {"ref": 31}),  # An id without its quotes.
    ('{"ref": +3312345}', {"ref": 3312345}),
    ('{"ref": 12_34}', {"ref": 1234}),
]


@pytest.mark.parametrize(("text", "value"), ASKED)
def test_a_slip_with_another_reading_is_asked_about(text: str, value: Any) -> None:
    assert repair(TOOL, text).payload == text
    hint = build_hint(TOOL, TOOL.validate_json(text), payload=text)
    assert hint.detail
    assert [edit.certain for edit in hint.edits] == [False]
    assert apply_edits(text, hint.edits) == value


UNREAD: list[tuple[str, str]] = [
    ('{"city": "Paris", ...}', 'shortened with "..."'),
    ('{"city": "Paris", "days": ...}', 'shortened with "..." in days. Send them in full.'),
    ('{"tags": ["a" "b"]}', "a comma is missing in tags[0]"),
    ('{"tags": ["a"; "b"]}', "a semicolon stands after a member in tags[0]"),
    ('{"ids": [1 000]}', "a comma is missing in ids[0]"),
    ('{"ids": [1 -2]}', "an expression stands in ids[0]"),
    ('{"days": 1,000}', "a number has a comma in it, before `000`. Send its plain digits."),
    ('{"days": 007}', "not written as in JSON in days: `007}`. Send its plain digits."),
    ('{"days": 3.5.1}', "not written as in JSON in days"),
    ('{"days": Infinity}', "Infinity is not JSON"),
    (
        '{"city": "Paris", "days": }',
        "a value is missing in days, before `}`. Send one, or leave the field out.",
    ),
    ('{"city":: "Paris"}', "there is a colon too many in city"),
    ('{"city"}', "a key has no value, before `}`"),
    ('{"city", "Paris"}', "a key has no value"),
    ('{"city": Paris", "days": 3}', 'a string has no opening quote in city: `Paris", "days": 3}`'),
    (
        '{"city": "Paris, "days": 3}',
        'a string has no closing quote in city, before `days": 3}`. Put it there.',
    ),
    ('{"city": """Paris"""}', "triple quotes are used in city"),
    ('{"city": "it\\\'s"}', "Write ' as it is, each backslash as \\\\."),
    ('{"city": {{city}}}', "a placeholder stands in city: `{{city}}`. Send its value."),
    ('{"city": <city>}', "a placeholder stands in city: `<city>`"),
    ('{"city": $city}', "a placeholder stands in city: `$city`"),
    ('{"days": 3)', 'a ")" closes what another kind of bracket opened'),
    ('{"ids": [1, 2}', 'a "}" closes what another kind of bracket opened'),
    ('{{"city": "Paris"}', "the braces are doubled"),
    ('{"city": "say "hi" now"}', "a double quote ends a string too early"),
    ('{"city": "a", "b": "say "c": d"}', "a double quote ends a string too early in b"),
    ('{"city": "Paris", "days": 3', "cut off"),
    ('{"city": "Paris", "da', "cut off"),
    ('{"city": "Paris", "days', "cut off"),
]


@pytest.mark.parametrize(("text", "words"), UNREAD)
def test_a_slip_without_a_reading_is_said(text: str, words: str) -> None:
    assert repair(TOOL, text).payload == text
    hint = build_hint(TOOL, TOOL.validate_json(text), payload=text)
    assert words in hint.detail
    assert hint.edits == ()


BYTES = [
    (b'{"city": "K\xf6ln"}', 'are not UTF-8 (byte 0xf6 after `{"city": "K`). Send the same JSON in UTF-8.'),
    (b"\x80abc", "the arguments are not UTF-8 (byte 0x80 at byte 1). Send the same JSON in UTF-8."),
    ('{"city": "Paris"}'.encode("utf-16"), "the arguments are in UTF-16 or UTF-32, not in UTF-8. Send the same JSON"),
    ('{"city": "Paris"}'.encode("utf-16-le"), "the arguments are in UTF-16 or UTF-32"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "words"), BYTES)
def test_bytes_that_are_not_utf8_are_said_and_never_guessed(data: bytes, words: str) -> None:
    hint = build_hint(TOOL, TOOL.validate_json(data), payload=data)
    assert words in hint.detail
    assert hint.edits == ()
    assert repair(TOOL, data).payload == data


def test_bytes_that_may_hold_a_secret_are_not_shown() -> None:
    secret = tool_of({"type": "object", "properties": {"pin": {"type": "string", "writeOnly": True}}})
    data = b'{"pin": "hunter2\xf6"}'
    assert "hunter2" not in build_hint(secret, secret.validate_json(data), payload=data).detail


# -- damaged texts ------------------------------------------------------------------------------------------

DAMAGED = (
    "doubled",
    "no comma",
    "colon",
    "half keys",
    "bare keys",
    "numbers",
    "spaces",
    "escaped",
)
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
        opening, closing = ("{{", "}}") if how == "doubled" else ("{", "}")
        comma = "\n" if how == "no comma" else ", "
        colon = {"colon": "="}.get(how, ": ")
        keys = {"half keys": '{}"', "bare keys": "{}"}.get(how, '"{}"')
        members = [f"{keys.format(key)}{colon}{damaged(inner, how)}" for key, inner in value.items()]
        return opening + comma.join(members) + closing
    if isinstance(value, list):
        return f"[{', '.join(damaged(item, how) for item in value)}]"
    if how == "numbers" and type(value) is int and value >= 0:
        return f"+{value}"
    return json.dumps(value)


@pytest.mark.parametrize("how", DAMAGED)
@given(value=VALUES)
@settings(max_examples=60, deadline=None)
def test_what_is_damaged_comes_back_or_is_refused(how: str, value: Any) -> None:
    text = damaged(value, how)
    if how == "escaped":
        text = json.dumps(text)[1:-1]
    elif how == "spaces":
        text = f"\u00a0{text}\u200b"
    reading = read_loosely(text)
    assert reading is not None
    assert same_json(reading.value, value)
    assert reading.certain or (how == "escaped" and "\\\\" in text)


@pytest.mark.parametrize("depth", [5, MAX_OPEN // 4])
def test_doubled_braces_are_read_at_any_depth(depth: int) -> None:
    text = '{{"a":' * depth + "1" + "}}" * depth
    assert to_json(text) == '{"a":' * depth + "1" + "}" * depth


def test_the_names_of_all_properties_are_known() -> None:
    deep = {
        "$defs": {"A": {"properties": {"b": {"anyOf": [{"properties": {"c": True}}]}}}},
        "properties": {"a": {}},
    }
    assert declared_names(deep) == {"a", "b", "c"}
    assert declared_names(True) == frozenset()


HOSTILE = (
    "{{", '{"a: ', '{a": ', '"a" ', '{"a" ', '"a": 1 ', '{"a"=', "[1 ", "((1,", "0x1 ", "1_", "5. ", "+", "# x\n", "#",
    '\\"', "\\n", "&quot;", '{\\"a\\":', '{"a":undefined,', "a=1;", "\u00a0", "\uff1a", "`", "`a`", '"""', "{1:",
    "{'a: \"b: `c: ",
)  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_takes_time_in_proportion_to_its_length(piece: str) -> None:
    for text in (piece * (50_000 // len(piece)), '{"city":' + piece * (50_000 // len(piece))):
        with bounded(8):
            repair(TOOL, text)
            build_hint(TOOL, TOOL.validate_json(text), payload=text)
