"""Texts that are not JSON: what is said of them, and which of them have one reading."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import bounded, tool_of

from toolgen_runtime import MISSING, Registry, Tool, ValidationIssue, apply_edits, build_hint, repair
from toolgen_runtime.hints.malformed.reading import read_loosely
from toolgen_runtime.hints.malformed.recognize import RECOGNIZERS
from toolgen_runtime.hints.malformed.relaxed import to_json

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "note": {"type": "string"}},
}
TOOL = tool_of(SCHEMA)
SECRET = tool_of(
    {**SCHEMA, "properties": {**SCHEMA["properties"], "pin": {"type": "string", "writeOnly": True}}}
)
PARIS = '{"city": "Paris"}'
VALUE = {"city": "Paris"}


def detail(tool: Tool[Any], text: str | bytes, known: bool = True) -> str:
    registry = Registry()
    registry.register({tool.name: tool})
    issues = tool.validate_json(text)
    return registry.hint(tool.name, issues, payload=text if known else MISSING).detail


SENTENCES: list[tuple[str, str, str]] = [
    ("fence", f"```json\n{PARIS}\n```", 'begin with a code fence, "```json". Send the bare JSON object'),
    ("fence after words", f"Sure:\n```\n{PARIS}\n```", "text with a code fence: `Sure:`. Send the bare"),
    ("thoughts", f"<think>Paris?</think>{PARIS}", "begin with <think>. Send the JSON object alone"),
    ("tags", f"<tool_call>{PARIS}</tool_call>", "tags stand around the arguments: `<tool_call>`"),
    ("XML", '<invoke name="t"><parameter name="city">Paris</parameter>', 'are XML: `<invoke name="t">`'),
    ("call", 'weather(city="Paris")', 'written as a call: `weather(city="Paris")`. Send a JSON object'),
    ("parentheses", f"({PARIS})", "written as a call"),
    ("YAML", "city: Paris\ndays: 3", r"are YAML: `city: Paris\ndays: 3`. Send a JSON object"),
    ("YAML list", "- city: Paris", "are YAML"),
    ("assignment", "city=Paris&days=3", 'written with "=": `city=Paris&days=3`'),
    ("words before", f"Calling it now: {PARIS}", "begin with words: `Calling it now:"),
    ("words alone", "I will look it up.", "are plain text: `I will look it up.`. Send a JSON object."),
    ("words after", f"{PARIS} That is it.", "text follows the JSON of the arguments: `That is it.`"),
    ("Python", "{'city': 'Paris', 'days': None}", "are a Python literal: `'city': 'Paris'"),
    ("single quotes", "{'city': 'Paris'}", "keys and strings take double quotes: `'city': 'Paris'}`"),
    ("a word of Python", '{"days": None}', "None is not JSON in days: it is written null."),
    ("a word of JavaScript", '{"days": undefined}', "undefined is not JSON in days"),
    ("no number", '{"days": -Infinity}', "Infinity is not JSON: send a number in days"),
    ("smart quotes", "{\u201ccity\u201d: \u201cParis\u201d}", "typographic quotes are used"),
    ("comma at the end", '{"city": "Paris", }', 'a comma before the closing "}". Leave it out.'),
    ("comma in a list", '{"city": ["a", ]}', 'a comma before the closing "]". Leave it out.'),
    ("two commas", '{"days": 1,, "city": ""}', "a comma before another comma"),
    ("line break", '{"note": "Dear\nJohn"}', 'a bare line break in note, after `{"note": "Dear`. Write it as \\n.'),
    ("tab", '{"note": "a\tb"}', "a bare tab in note"),
    ("control", '{"note": "a\x01"}', "Write it as \\u0001."),
    ("path", '{"note": "C:\\Users\\x"}', 'begins no escape in note: `\\Users\\x"}`. Write each backslash as \\\\.'),
    ("pattern", '{"note": "\\d+"}', "a backslash begins no escape in note"),
    ("objects", PARIS + '{"city": "Rome"}', "hold 2 JSON objects in a row. Send one; each other call"),
    ("the same objects", f"{PARIS}\n{PARIS}", "hold the same JSON object twice. Send it once."),
    ("an empty object", "{}" + PARIS, "an empty object, {}, stands beside"),
    ("a second, cut off", PARIS + '{"city": "Ro', "more than one JSON object"),
    ("brace", PARIS + "}", 'have one "}" too many at the end'),
    ("semicolon", PARIS + ";", "text follows the JSON of the arguments: `;`"),
    ("closed too early", PARIS + ', "days": 3}', 'closed too early, before `, "days": 3}`'),
    ("keys without quotes", '{city: "Paris"}', "the keys have no quotes: `city`"),
    ("value without quotes", '{"city": Paris}', "a value has no quotes in city: `Paris`"),
    ("product", '{"days": 2*7}', "an expression stands in days: `2*7}`. Send its value."),
    ("sum of texts", '{"city": "Par" + "is"}', "an expression stands in city"),
    ("a call for a value", '{"city": os.getenv("CITY")}', "an expression stands in city"),
    ("grouped digits", '{"days": 1_000}', "a number is not written as in JSON in days: `1_000}`"),
    ("hexadecimal", '{"days": 0x10}', "a number is not written as in JSON in days"),
    ("leading point", '{"days": .5}', "a number is not written as in JSON in days"),
    ("comment", '{"days": 3 // three\n}', "JSON has no comments: `// three\\n}`"),
    ("dots", '{"note": "a", ...}', 'shortened with "..."'),
    ("quote in a string", '{"note": "say "hi" now"}', "ends a string too early in note"),
    ("no comma", '{"days": 3 "city": "a"}', 'a comma is missing in days, before `"city": "a"}`'),
    ("no colon", '{"days" 3}', "a colon is missing after a key, before `3}`"),
    ("brackets", '{"note": [1, 2}', 'a "}" closes what another kind of bracket opened in note'),
    ("something else", '{"note": @}', "a JSON value is expected in note, not `@}`"),
    ("cut off", '{"note": {"a": [1, "x', "cut off after 21 characters in note.a[1]. Send less in one call"),
    ("cut off at a key", '{"note": "x", "ci', "cut off after 17 characters. Send less"),
    ("cut off, long", '{"note": "' + "x" * 5_000, "after 5,010 characters in note. They are too long. Send less"),
    ("nothing", "", "the arguments are missing"),
    ("space", " \n", "the arguments are missing"),
    ("a key twice", '{"note": {"a": 1, "a": 2}}', 'name "a" twice in note. Send it once.'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), [s[1:] for s in SENTENCES], ids=[s[0] for s in SENTENCES])
def test_each_kind_of_text_has_its_sentence(text: str, words: str) -> None:
    said = detail(TOOL, text)
    assert words in said
    assert "column" not in said
    assert "whole call again" not in said
    assert detail(TOOL, text.encode()) == said


@pytest.mark.parametrize("text", [s[1] for s in SENTENCES], ids=[s[0] for s in SENTENCES])
def test_something_is_said_where_only_the_issue_is_known(text: str) -> None:
    said = detail(TOOL, text, known=False)
    assert said.endswith(".")
    assert "::" not in said


@pytest.mark.parametrize("text", [s[1] for s in SENTENCES], ids=[s[0] for s in SENTENCES])
def test_nothing_of_a_text_that_may_hold_a_secret_is_shown(text: str) -> None:
    hidden = text.replace("Paris", "hunter2").replace("Par", "hunter2").replace("Rome", "hunter2")
    for known in (True, False):
        said = detail(SECRET, hidden, known)
        assert "hunter2" not in said
        assert "`" not in said.replace("```", "")


@pytest.mark.parametrize(
    ("text", "said"), [('{"note": "a', "after 11 characters in note."), (PARIS, "cut off. Send less")]
)
def test_a_stream_that_ended_cuts_off_what_may_look_whole(text: str, said: str) -> None:
    registry = Registry()
    registry.register({TOOL.name: TOOL})
    issue = ValidationIssue((), "truncated", "the model stopped with max_tokens")
    for payload, words in ((text, said), ("", "cut off"), (MISSING, "cut off. Send less in one call")):
        assert words in registry.hint(TOOL.name, [issue], payload=payload).detail


def test_every_kind_is_met() -> None:
    assert len(RECOGNIZERS) == len({one.kind for one in RECOGNIZERS})
    texts = " ".join(detail(TOOL, text) for _, text, _ in SENTENCES)
    for words in ("fence", "<think>", "XML", "call", "YAML", "words", "follows", "comments", "escape"):
        assert words in texts


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from([*string.punctuation, "\n", "a", "```", "<think>", PARIS])).map("".join)
)
@settings(max_examples=500, deadline=None)
def test_any_text_has_a_short_sentence_in_one_line(text: str) -> None:
    if TOOL.validate_json(text) and TOOL.validate_json(text)[0].constraint in ("json", "truncated"):
        said = detail(TOOL, text)
        assert said
        assert said.isprintable()
        assert len(said) <= 200


# -- readings -----------------------------------------------------------------------------------------------

READ: list[tuple[str, str, Any]] = [
    ("tags with a name", f"<function={TOOL.name}>{PARIS}</function>", VALUE),
    ("tags with attributes", f'<function_call name="{TOOL.name}">{PARIS}</function_call>', VALUE),
    ("the end of a fence", f"{PARIS}\n```", VALUE),
    ("a variable", f"const args = {PARIS};", VALUE),
    ("JSON", PARIS, VALUE),
    ("fence", f"```json\n{PARIS}\n```", VALUE),
    ("fence of no language", f"```\n{PARIS}\n```", VALUE),
    ("fence in one line", f"```{PARIS}```", VALUE),
    ("fence that does not end", f"```json\n{PARIS}", VALUE),
    ("fence of Python", "```python\n{'city': 'Paris',}\n```", VALUE),
    ("words before", f"Here is the call: {PARIS}", VALUE),
    ("a name for all", f"arguments: {PARIS}", VALUE),
    ("two words", f"Action Input: {PARIS}", VALUE),
    ("thoughts", f'<think>{{"city": "Rome"}}?</think>\n{PARIS}', VALUE),
    ("the end of thoughts", f"so Paris.</think>{PARIS}", VALUE),
    ("tags", f"<tool_call>\n{PARIS}\n</tool_call>", VALUE),
    ("a call with the object", f"{TOOL.name}({PARIS});", VALUE),
    ("comma at the end", '{"city": "Paris",}', VALUE),
    ("commas within", '{"a": [1, [2,],], }', {"a": [1, [2]]}),
    ("Python", "{'a': [True, False, None, 1.5, -2], 'b': {}}", {"a": [True, False, None, 1.5, -2], "b": {}}),
    ("quotes in quotes", """{'a': "it's", 'b': 'say "hi"'}""", {"a": "it's", "b": 'say "hi"'}),
    ("a word of Python", '{"a": None}', {"a": None}),
    ("line break", '{"note": "a\nb\tc"}', {"note": "a\nb\tc"}),
    ("keys without quotes", '{city: "Paris", a-b : {c: 1}}', {"city": "Paris", "a-b": {"c": 1}}),
    ("smart quotes", "{\u201ccity\u201d: \u201cPa'ris\u201d, \u2018a\u2019: 1}", {"city": "Pa'ris", "a": 1}),
    ("the same twice", PARIS + PARIS, VALUE),
    ("the same in lines", f'{PARIS}\n{{"city":"Paris"}}\n{PARIS}', VALUE),
    ("an empty object before", "{}" + PARIS, VALUE),
    ("empty objects", "{}{}", {}),
    ("brace", PARIS + "}", VALUE),
    ("encoded twice", json.dumps(PARIS), VALUE),
    ("encoded three times", json.dumps(json.dumps(PARIS)), VALUE),
    ("encoded, with a comma", json.dumps('{"city": "Paris",}'), VALUE),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), [r[1:] for r in READ], ids=[r[0] for r in READ])
def test_a_text_with_one_reading_is_read(text: str, value: Any) -> None:
    reading = read_loosely(text)
    assert reading is not None
    assert reading.certain
    assert json.dumps(reading.value) == json.dumps(value)
    assert read_loosely(text.encode()) == reading


UNREAD: list[tuple[str, str]] = [
    ("nothing", ""),
    ("words", "I will look it up."),
    ("a string", '"Paris"'),
    ("different objects", PARIS + '{"city": "Rome"}'),
    ("different objects in words", f'Either {PARIS} or {{"city": "Rome"}}.'),
    ("an object and a broken one", f"{PARIS} or {{city: 3}}"),
    ("cut off", '{"city": "Par'),
    ("cut off in a fence", '```json\n{"city": "Par'),
    ("cut off after a comma", '{"city": "Paris",'),
    ("cut off in Python", "{'city': 'Par"),
    ("cut off in words", 'Here: {"city": "Paris", "days": '),
    ("a second, cut off", PARIS + '{"city": "Rome", "da'),
    ("closed too early", PARIS + ', "days": 3}'),
    ("members after it", PARIS + ', "days": 3'),
    ("a call with more", f"weather({PARIS}, 3)"),
    ("brackets", PARIS + "}}"),
    ("a key twice", '{"city": "Paris", "city": "Rome"}'),
    ("a key twice in Python", "{'city': 'Paris', 'city': 'Rome'}"),
    ("texts side by side", "{'note': ['a' 'b']}"),
    ("set", "{'note': {'a', 'b'}}"),
    ("bytes", "{'note': b'a'}"),
    ("a name", "{'note': note}"),
    ("an expression", '{"days": 2*7}'),
    ("an escape of no language", "{'note': 'C:\\Users'}"),
    ("a path", '{"note": "C:\\Users"}'),
    ("key and value without quotes", "{city: Paris}"),
    ("a word of Python for a key", "{True: 1}"),
    ("an apostrophe in curved quotes", "{\u2018note\u2019: \u2018it\u2019s\u2019}"),
    ("commas alone", '{"city": "Paris", "note": [,]}'),
    ("a call of a place", 'weather("Paris")'),
    ("a call that computes", "weather(days=2*7)"),
    ("a call, cut off", 'weather(city="Par'),
    ("lines within lines", "city: Paris\nnote:\n  a: 1"),
    ("a line twice", "city: Paris\ncity: Rome"),
    ("an address", "https://example.com/city"),
    ("infinity", "{'days': inf}"),
]


@pytest.mark.parametrize("text", [u[1] for u in UNREAD], ids=[u[0] for u in UNREAD])
def test_a_text_with_no_reading_or_several_is_not(text: str) -> None:
    assert read_loosely(text) is None
    repaired = repair(TOOL, text)
    assert (repaired.payload, repaired.changes) == (text, ())


BOTH = {"city": "Paris", "days": 3}
GUESSED: list[tuple[str, str, Any]] = [
    ("fence in words", f"Sure!\n```json\n{PARIS}\n```\nDone.", VALUE),
    ("words after", f"{PARIS}\nShall I go on?", VALUE),
    ("escaped quotes", r"{'a': 'it\'s'}", {"a": "it's"}),
    ("escapes of Python", r"{'a': '\n\x41\u00e9\\'}", {"a": "\nAé\\"}),
    ("comments", '{"city": "http://a", // the\n /* last, */}', {"city": "http://a"}),
    ("a condition", f"If the balance allows it: {PARIS}", VALUE),
    ("a refusal", f"I will not call this with {PARIS} because of the rain.", VALUE),
    ("a question", f"Shall I call it with {PARIS}?", VALUE),
    ("a word that is not exact", '{"city": none}', {"city": None}),
    ("a path of Windows", "{'city': 'D:\\notes'}", {"city": "D:\notes"}),
    ("a call", "weather(city='Paris', days=3)", BOTH),
    ("marks in strings", 'w(city="a, b=c", note=["(", {"d": None}])', {"city": "a, b=c", "note": ["(", {"d": None}]}),
    ("parameters", '<parameter name="city">Paris</parameter><parameter name="days">3</parameter>', BOTH),
    ("a member", f'"note": {PARIS}', {"note": VALUE}),
    ("lines with an object", f"days: 3\nnote: {PARIS}", {"days": 3, "note": VALUE}),
    ("a field's name", f"note: {PARIS}", {"note": VALUE}),
    ("a field's value", f"note={PARIS}", {"note": VALUE}),
    ("a parameter with an object", f'<parameter name="note">{PARIS}</parameter>', {"note": VALUE}),
    ("elements", "<city>Paris</city>\n<days>3</days>", BOTH),
    ("YAML", "city: Paris\ndays: 3", BOTH),
    ("YAML in a fence", "```yaml\ncity: Paris\ndays: 3\n```", BOTH),
    ("a query", "city=Paris&days=3", BOTH),
    ("quoted values", 'city: "Paris"\ndays: 3', BOTH),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), [g[1:] for g in GUESSED], ids=[g[0] for g in GUESSED])
def test_words_and_other_notations_are_guessed_and_never_repaired(text: str, value: Any) -> None:
    reading = read_loosely(text)
    assert reading is not None
    assert (reading.value, reading.certain) == (value, False)
    assert repair(TOOL, text).payload == text


OTHER_TOOLS = (
    f"dry_run({PARIS})",
    f"<function=read_file>{PARIS}</function>",
    f'<invoke name="get_city">{PARIS}</invoke>',
    f"to=functions.read_file <|message|>{PARIS}",
)


@pytest.mark.parametrize("text", OTHER_TOOLS)
def test_a_call_of_another_tool_is_asked_about(text: str) -> None:
    assert repair(TOOL, text).payload == text
    hint = build_hint(TOOL, TOOL.validate_json(text), payload=text)
    assert [edit.certain for edit in hint.edits] == [False]


def test_a_repeated_object_that_was_cut_off_is_not_certain() -> None:
    text = PARIS + '{"city": "P'[:8]
    reading = read_loosely(text)
    assert reading is not None
    assert (reading.value, reading.certain) == (VALUE, False)
    assert repair(TOOL, text).payload == text


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(), v, max_size=3),
        max_leaves=10,
    )
)
@settings(max_examples=300, deadline=None)
def test_what_python_prints_comes_back_or_is_refused(value: Any) -> None:
    strict = to_json(repr(value))
    if strict is not None:
        assert json.dumps(json.loads(strict)) == json.dumps(value)


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none(), max_size=3), st.integers(1, 200))
@settings(max_examples=300, deadline=None)
def test_nothing_that_was_cut_off_is_completed(value: dict[str, Any], lost: int) -> None:
    for text in (json.dumps(value), f"```json\n{json.dumps(value)}", repr(value)):
        assert read_loosely(text[: max(len(text) - lost, 0)].rstrip("}")) is None


# -- repair and calls ---------------------------------------------------------------------------------------


def test_repair_reads_a_text_and_fixes_what_it_holds() -> None:
    text = "```json\n{'city': 'Paris', 'Days': '3',}\n```"
    closed = tool_of({**SCHEMA, "additionalProperties": False})
    repaired = repair(closed, text)
    assert repaired.payload == {"city": "Paris", "days": 3}
    assert [change["rule"] for change in repaired.changes] == ["read", "key", "parsed"]
    assert repair(closed, "```\n{'town': 'Paris'}\n```").changes == ()


def test_a_call_is_repaired_where_that_was_asked() -> None:
    text = f"```json\n{PARIS}\n```"
    for asked in (True, False):
        registry = Registry(repair=asked)
        registry.register({TOOL.name: TOOL})
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


HOSTILE = (
    "`", "```", "{", "[{", '{"a":', '{"a":1}', "{}", "9", "-", "<think>", "</think>", "<a", "<a>", "'", "{'", '"', '{"',
    '<parameter name="a">', "/*", "//", "w(a=", "a: b\n", "\\", "a:", "a=", "a(", "(", ",", " ", "\n", '"a" ',
    '{"a":"x', "{'a':", "\u201c", "None ",
)  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_takes_time_in_proportion_to_its_length(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    with bounded(20):
        read_loosely(text)
        detail(TOOL, text)
        detail(TOOL, "{" + text)


TEXT_EDITS = {
    "a fence": ('```json\n{"city": "Rome"}\n```', [{"city": "Rome"}], True),
    "cut off": ('{"city": "Ro', [], True),
    "two objects": ('{"city": "Rome"} {"city": "Oslo"}', [], True),
}


@pytest.mark.parametrize("case", TEXT_EDITS)
def test_the_edits_of_a_text_put_its_value_in_its_place(case: str) -> None:
    text, values, certain = TEXT_EDITS[case]
    tool = tool_of({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
    hint = build_hint(tool, tool.validate_json(text), payload=text)
    assert [apply_edits(text, [edit]) for edit in hint.edits] == values
    assert all(edit.certain is certain for edit in hint.edits)


def test_the_edits_of_a_text_mask_what_may_be_secret() -> None:
    schema = {"type": "object", "properties": {"key": {"type": "string", "writeOnly": True}}}
    tool = tool_of(schema)
    text = '```\n{"key": "s3cret"}\n```'
    hint = build_hint(tool, tool.validate_json(text), payload=text)
    assert "s3cret" not in json.dumps(hint.to_dict())
    assert apply_edits(text, hint.edits) == {"key": "s3cret"}


@pytest.mark.parametrize(
    "text",
    [
        f'{{"arguments": {PARIS}}}',
        f'{{"name": "{TOOL.name}", "arguments": {PARIS}}}',
        json.dumps(PARIS),
        f"[{PARIS}]",
        '{"City": "Paris"}',
    ],
)
def test_a_text_that_is_json_is_advised_about_as_its_value(text: str) -> None:
    strict = tool_of({**SCHEMA, "required": ["city"], "additionalProperties": False})
    issues = strict.validate_json(text)
    hint = build_hint(strict, issues, payload=text)
    assert apply_edits(text, hint.edits) == VALUE
    assert hint.render() == build_hint(strict, issues, payload=json.loads(text)).render()
