"""Reading payload texts: the value of JSON, and what is said of a text that is none."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from helpers.support import JsonObject, for_each, for_each_at_once
from hypothesis import given, settings, strategies as st

from toolgen_runtime import InvalidPayload, Tool, ValidationIssue
from toolgen_runtime.payloads.payload import Payload
from toolgen_runtime.validation.json_scan import EXCERPT, MAX_DIGITS, MAX_JSON_DEPTH, scan, scan_bytes
from toolgen_runtime.validation.json_text import read

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.text(alphabet='":\\ \n,{}[]a\ud800é', max_size=8)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
CONTAINERS = VALUES.filter(lambda value: isinstance(value, (dict, list)))
STYLES = st.sampled_from(
    [{}, {"indent": 1}, {"separators": (",", ":")}, {"separators": (" , ", " : ")}, {"ensure_ascii": False}]
)


def exact(value: Any) -> str:
    """A form in which 1, 1.0 and true differ."""
    return json.dumps(value)


def only(text: str | bytes) -> ValidationIssue:
    value, issues = read(text)
    assert value is None
    assert len(issues) == 1
    return issues[0]


@given(VALUES, STYLES)
def test_every_value_comes_back(value: Any, style: JsonObject) -> None:
    text = json.dumps(value, **style)
    for reader in (read, scan):
        got, issues = reader(text)
        assert issues == []
        assert exact(got) == exact(value)
    if "\ud800" not in text:
        assert exact(read(text.encode())[0]) == exact(value)


@settings(max_examples=25)
@given(CONTAINERS, STYLES)
def test_every_prefix_is_truncated(value: Any, style: JsonObject) -> None:
    text = json.dumps(value, **style)
    data = text.encode("utf-8", "replace")
    for whole in (text, data):
        for end in range(len(whole)):
            assert only(whole[:end]).constraint == "truncated", whole[:end]


_PIECES = (
    '{ } [ ] " : , a 0 1 - . e E + true false null NaN Infinity \\ \\u \\ud800 \\" "a" "a":1 '
    "\n é \ufeff \ud800 \x00"
)
JSON_LIKE = st.lists(st.sampled_from(_PIECES.split(" ")), max_size=10).map("".join)


@given(JSON_LIKE)
def test_the_verdict_is_that_of_the_standard_library(text: str) -> None:
    def refuse(name: str) -> None:
        raise ValueError(name)

    def unique(pairs: list[tuple[str, Any]]) -> JsonObject:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key twice")
        return dict(pairs)

    value, issues = read(text)
    assert scan(text) == (value, issues)
    try:
        expected = json.loads(text.removeprefix("\ufeff"), parse_constant=refuse, object_pairs_hook=unique)
    except ValueError:
        assert issues, text
    else:
        assert not issues, text
        assert exact(value) == exact(expected)


@given(st.binary(max_size=40) | JSON_LIKE.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_have_an_answer(data: bytes) -> None:
    value, issues = read(data)
    assert scan_bytes(data) == (value, issues)
    assert value is None or not issues
    assert all(issue.constraint in ("json", "truncated", "duplicate_key") for issue in issues)
    assert all(len(str(issue.got)) <= EXCERPT for issue in issues if issue.constraint != "duplicate_key")


@for_each([
        *((f'{{"a":1,"a"{space}:2}}', [("a",)]) for space in ("", " ", "\n", "\t", "\r")),
        ('{"a":":","a":2}', [("a",)]),
        ('{"a":"\\":","a" :2}', [("a",)]),
        ('{"a":"\\":","a"\n:"\\":"}', [("a",)]),
        ('{"a":1,"\\u0061":2}', [("a",)]),
        ('{"a":"\\u0022\\u003a","a":2}', [("a",)]),
        ('{"\\u003a":1,":":2}', [(":",)]),
        ('{":":1,"b":{"a":1,"a":1}}', [("b", "a")]),
        ('[":",{"a":[],"a":{}}]', [(1, "a")]),
        ('[[{"é":1,"é":{"b":1,"b":2},"é":3}]]', [(0, 0, "é"), (0, 0, "é", "b"), (0, 0, "é")]),
        ('{"a":{"b":1},"a":{"c":":"}}', [("a",)]),
        ('{"":"","":""}', [("",)]),
    ])  # fmt: skip
def test_every_duplicate_is_found(text: str, paths: list[tuple[str | int, ...]]) -> None:
    """Also where a colon in a string could make up for that of a key that is lost."""
    for form in (text, text.encode()):
        issues = read(form)[1]
        assert {issue.constraint for issue in issues} == {"duplicate_key"}
        assert [issue.path for issue in issues] == paths


def test_a_tool_says_what_is_wrong_with_a_text() -> None:
    def validate(payload: Any) -> list[ValidationIssue]:
        return [] if payload == {"a": 1} else [ValidationIssue((), "const", {"a": 1}, payload)]

    tool: Tool[Any] = Tool(
        name="t", description="", schema="{}", validate=validate, payload_type=lambda: Payload
    )
    for text in ('{"a": 1}', b'{"a": 1}'):
        assert tool.validate_json(text) == []
    cases = ('{"a":1', "truncated"), (b'{"a":1,"a":1}', "duplicate_key"), ("{}", "const"), ("[1e400]", "json")
    for text, constraint in cases:
        (issue,) = tool.validate_json(text)
        assert issue.constraint == constraint
        with pytest.raises(InvalidPayload) as refused:
            tool.parse_json(text)
        assert refused.value.issues() == [issue]


@for_each_at_once(
    [
        ("", "truncated", "a JSON value", ""),
        (" \n", "truncated", "a JSON value", " \n"),
        (
            '{"city":"Par',
            "truncated",
            "the end of the string that starts at line 1 column 9",
            '{"city":"Par',
        ),
        (
            '{"a":1,\n "b',
            "truncated",
            "the end of the string that starts at line 2 column 2",
            '{"a":1,\n "b',
        ),
        ('{"a": tru', "truncated", "the end of the value that starts at line 1 column 7", '{"a": tru'),
        ('{"a": 1.', "truncated", "the end of the number that starts at line 1 column 7", '{"a": 1.'),
        ('{"a": -', "truncated", "the end of the number that starts at line 1 column 7", '{"a": -'),
        ('["\\u00', "truncated", "the end of the string that starts at line 1 column 2", '["\\u00'),
        ('{"a":[1,2', "truncated", "the end of the array that starts at line 1 column 6", '{"a":[1,2'),
        ('{"a"', "truncated", "the end of the object that starts at line 1 column 1", '{"a"'),
        (
            b'{"a":"\xc3',
            "truncated",
            "the end of the string that starts at line 1 column 6",
            '{"a":"\ufffd',
        ),
        ('{"a":1,}', "json", "a key in double quotes at line 1 column 8", '{"a":1,}'),
        ("{'a':1}", "json", "a key in double quotes at line 1 column 2", "{'a':1}"),
        ('{"a" 1}', "json", '":" after the key at line 1 column 6', '{"a" 1}'),
        ("[1 2]", "json", '"," or "]" at line 1 column 4', "[1 2]"),
        ("[1,]", "json", "a JSON value at line 1 column 4", "[1,]"),
        ("[\n NaN]", "json", "a JSON value at line 2 column 2", "[\n NaN]"),
        ("-Infinity", "json", "a number at line 1 column 1", "-Infinity"),
        ("01", "json", "nothing after the end of the value at line 1 column 2", "01"),
        ("{} {}", "json", "nothing after the end of the value at line 1 column 4", "{} {}"),
        ('"\\x"', "json", "an escape that JSON knows at line 1 column 2", '"\\x"'),
        ('"a\nb"', "json", "\\u000a in place of the bare control character at line 1 column 3", '"a\nb"'),
        (b'["\xff"]', "json", "UTF-8, not byte 0xff at offset 2", '["\ufffd"]'),
        (b"[\xc3", "json", "a JSON value at line 1 column 2", "[\ufffd"),
        ('{"a":1,"a":2}', "duplicate_key", "unique keys", "a"),
    ]
)
def test_what_is_said(text: Any, constraint: Any, expected: Any, got: Any) -> None:
    issue = only(text)
    assert (issue.constraint, issue.expected, issue.got) == (constraint, expected, got)


def test_an_excerpt_is_bounded_and_shows_the_place() -> None:
    issue = only("[" + "1," * 500 + "oops," + "1," * 500 + "1]")
    assert len(issue.got) == EXCERPT
    assert "oops" in issue.got
    assert only('["' + "x" * 999).got == "x" * EXCERPT


@for_each(
    [
        ('\ufeff{"a": 1}', {"a": 1}),
        (b"\xef\xbb\xbf[]", []),
        ('"\\ud800"', "\ud800"),
        ('{"\\udc00":"\\ud83d\\ude00"}', {"\udc00": "😀"}),
        ("-0", 0),
        ("1E2", 100.0),
        ("9" * MAX_DIGITS, int("9" * MAX_DIGITS)),
        ("1e-999999999999999999999", 0.0),
    ]
)
def test_odd_but_legal(text: str | bytes, value: Any) -> None:
    got, issues = read(text)
    assert issues == []
    assert (type(got), got) == (type(value), value)


@for_each(["9" * (MAX_DIGITS + 1), "1e400", "-1.5E309", "1e999999999999999999999999", "1" * 310 + ".5"])
def test_numbers_beyond_reach_are_named(number: str) -> None:
    issue = only('{"n": ' + number + "}")
    assert issue.constraint == "json"
    assert issue.expected.endswith("at line 1 column 7")


@for_each([("[", "1", "]"), ('{"a":', "{}", "}"), ("[", "", "]")])
def test_depth_has_a_limit(opening: str, core: str, closing: str) -> None:
    deepest = MAX_JSON_DEPTH + (core == "")
    for reader in (read, scan):
        assert reader(opening * deepest + core + closing * deepest)[1] == []
        (issue,) = reader(opening * (deepest + 1) + core + closing * (deepest + 1))[1]
        assert issue.constraint == "json"
        assert issue.expected.startswith(f"nesting of at most {MAX_JSON_DEPTH} levels at ")
    assert only(opening * 1_000_000).constraint == "json"


def test_a_small_interpreter_limit_is_an_issue_too() -> None:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        assert scan("9" * 700)[1][0].constraint == "json"
    finally:
        sys.set_int_max_str_digits(limit)
