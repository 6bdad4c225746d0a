"""Values that stand for calls: the hint says which call to make, and nothing is edited."""

from __future__ import annotations

from helpers.support import TEXT, WHOLE, JsonObject, for_each, hint_of, obj, tool_of

from toolgen import compile_tools
from toolgen_runtime import Registry, apply_edits, repair
from toolgen_runtime.hints.build import unknown_tool

PLAY = {
    "name": "music.play",
    "inputSchema": obj("artist", artist=TEXT, minutes=WHOLE, tags={"type": "array", "items": TEXT}),
}
FIND = {"name": "find_artist", "inputSchema": obj(q=TEXT)}
FIRST = "call find_artist first, then send its result here"
CASES: list[tuple[JsonObject, str]] = [
    ({"artist": ["A", "B"]}, 'artist: one value a call: did you mean a separate call for each of "A", "B"'),
    ({"artist": "A", "minutes": [1, 2, 3, 4]}, "did you mean a separate call for each of 1, 2, 3, …"),
    ({"artist": {"find_artist": {"q": "x"}}}, f"artist: {FIRST}"),
    ({"artist": {"name": "find_artist", "arguments": {"q": "x"}}}, f"artist: {FIRST}"),
    ({"artist": "A", "minutes": "find_artist(q='x')"}, f"minutes: {FIRST}"),
    ({"artist": "A", "minutes": "$prev.minutes"}, "send the value itself, not a reference to a result"),
    ({"artist": "A", "minutes": "{{steps.1.minutes}}"}, "send the value itself"),
    ({"artist": "A", "tags": "result_of_call_1"}, "send the value itself"),
]
OTHERS: list[JsonObject] = [
    {"artist": ["A", {"b": 1}]},
    {"artist": ["A"] * 21},
    {"artist": {"other_tool": {"q": "x"}}},
    {"artist": "A", "minutes": "other_tool(1)"},
    {"artist": "A", "tags": "results driven"},
]


COMPILED = compile_tools({"tools": [PLAY, FIND]})
TOOL, TOOLS = COMPILED["music.play"], Registry()
TOOLS.register(COMPILED)


@for_each([{"arguments": {"artist": {"find_artist": {"q": "x"}}}}, {"Artist": {"find_artist": {}}}])
def test_another_call_is_seen_below_a_wrapper_and_under_a_misspelt_key(sent: JsonObject) -> None:
    hint = TOOLS.hint("music.play", TOOL.validate(sent), payload=sent)
    assert FIRST.removeprefix("call ") in hint.render()
    assert "set" not in {edit.op for edit in hint.edits}, "the call is not sent as a text"


@for_each(CASES)
def test_what_stands_for_a_call_is_said(sent: JsonObject, words: str) -> None:
    hint = TOOLS.hint("music.play", TOOL.validate(sent), payload=sent)
    assert words in hint.render()
    first = [edit.value for edit in hint.edits]  # of several calls, the first is a guess
    assert first == [value[0] for value in sent.values() if isinstance(value, list)]
    assert not any(edit.certain for edit in hint.edits)
    assert repair(TOOL, sent).payload is sent


@for_each(
    [
        ('<tool_call>{"name": "find_artist", "arguments": {"q": "x"}}</tool_call>', True),
        ('find_artist({"q": "x"})', True),
        ('{"find_artist": {},}', True),
        ('music.play({"artist": "x"})', False),
        ('{"artist": "find_artist()",}', False),
        ('{"artist": {}, "find_artist": {},}', False),
    ]
)
def test_a_text_that_is_another_call_is_said_to_be_one(text: str, is_call: bool) -> None:
    hint = TOOLS.hint("music.play", TOOL.validate_json(text), payload=text)
    assert ("the arguments are a call of find_artist. Call that tool itself." in hint.render()) is is_call


@for_each(OTHERS, ids=str)
def test_other_values_are_wrong_as_ever(sent: JsonObject) -> None:
    text = TOOLS.hint("music.play", TOOL.validate(sent), payload=sent).render()
    assert not any(words in text for words in ("a separate call", "first, then", "the value itself"))


def test_two_keys_for_one_field_fit_as_edits() -> None:
    points = obj(closed=True, pointA=TEXT, pointB=TEXT)
    tool = tool_of({**points, "required": ["pointA", "pointB"]})
    for sent in (
        {"pointC": "x", "pointD": "y"},
        {"pointC": "x", "point_a": "y"},
        {"PointA": "x", "POINTA": "y"},
    ):
        hint = hint_of(tool, sent)
        apply_edits(sent, hint.edits)


def test_a_required_key_that_is_not_declared_is_a_field() -> None:
    tool = tool_of({"type": "object", "required": ["a", "b", "c"]})
    hint = hint_of(tool, {"a": 1, "b": 2})
    assert hint.render() == 't was not run. add the key "c"'


@for_each(
    [
        (["find_artist", "play"], 'did you mean "find_artist"?'),
        (["a1", "b2"], 'tools: "a1", "b2".'),
        ([f"tool_{i}" for i in range(14)], "5 of 14 tools: "),
    ]
)
def test_an_unknown_tool_is_told_near_names_or_how_many_there_are(known: list[str], words: str) -> None:
    assert words in unknown_tool("find_artists", known).render()
