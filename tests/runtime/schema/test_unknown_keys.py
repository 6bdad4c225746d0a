"""Keys that a schema lets pass and neither names nor describes: refused, noted, or left to the schema."""

from __future__ import annotations

import math
from typing import Any

import pytest
from helpers.support import TEXT, WHOLE, JsonObject, bounded, for_each, for_each_at_once, obj, table, tool_of

from toolgen import compile_tools
from toolgen_runtime import Conversation, Registry
from toolgen_runtime.schema.facts import SchemaFacts, facts_of
from toolgen_runtime.schema.unknown_keys import unknown_keys


def props(*names: str, **schemas: Any) -> JsonObject:
    return {"properties": {**{name: {} for name in names}, **schemas}}


LIST = {"$ref": "#/$defs/n", "$defs": {"n": props("v", next={"$ref": "#/$defs/n"})}}
CASES: JsonObject = {**table("unknown_keys.json"), "a key of another type": (props("a"), {5: 1}, [])}


@for_each_at_once(CASES.values())
def test_keys_that_a_schema_neither_names_nor_describes(schema: Any, payload: Any, unknown: Any) -> None:
    tool = tool_of(schema)
    assert tool.validate(payload) == [], "the schema lets it pass"
    issues = unknown_keys(facts_of(tool), payload)
    assert [issue.field for issue in issues] == unknown
    assert {issue.constraint for issue in issues} <= {"unknownKey"}
    assert unknown_keys(facts_of(tool), payload) == issues, "what is remembered changes nothing"


def test_what_is_not_known_here_counts_as_open() -> None:
    for schema in (
        {**props("a"), "$dynamicRef": "#x"},
        {**props("a"), "$ref": "https://example.org/elsewhere"},
    ):
        assert unknown_keys(SchemaFacts(schema), {"b": 1}) == []


def test_depth_and_size_are_no_matter() -> None:
    tool = tool_of(LIST)
    facts = facts_of(tool)
    deep: JsonObject = {"w": 1}
    for _ in range(10_000):
        deep = {"next": deep}
    with bounded(10):
        (issue,) = unknown_keys(facts, deep)
        assert len(issue.path) == 10_001
        assert len(unknown_keys(facts, {str(i): i for i in range(20_000)})) == 20_000


def test_references_in_circles_and_mazes_of_unions_end() -> None:
    branch = {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}], **props("v")}
    schema = {"$ref": "#/$defs/a", "$defs": {"a": branch, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}}
    with bounded(5):
        assert [i.field for i in unknown_keys(SchemaFacts(schema), {"v": 1, "w": 1})] == ["w"]


# -- in calls ---------------------------------------------------------------------------------------------------

LOG = {
    "name": "git_log",
    "inputSchema": obj("repo_path", repo_path=TEXT, max_count=WHOLE),
}
SLIP = {"repo_path": "/r", "maxCount": 5}


def test_the_schemas_verdict_alone_is_an_option() -> None:
    output = Conversation([LOG], unknown_keys="schema").call("git_log", SLIP, lambda payload: payload)
    assert (output.ok, output.result, output.notes) == (True, SLIP, ())


def test_refused_keys_have_an_issue_and_a_near_name() -> None:
    seen: list[Any] = []
    registry = Registry(unknown_keys="reject", on_issue=seen.append).with_tools(compile_tools([LOG]))
    output = registry.conversation().check("git_log", SLIP)
    assert (output.kind, output.executed, output.recovery) == ("invalid_parameters", False, "correct")
    (field,) = output.retry_hint.fields
    assert (field.field, field.constraint, field.did_you_mean) == ("maxCount", "unknownKey", "max_count")
    assert "max_count" in output.text()
    assert [found.issue.constraint for found in seen] == ["unknownKey"]


def test_by_default_the_call_runs_and_the_model_reads_what_it_probably_misspelled() -> None:
    conversation = Conversation([LOG])
    output = conversation.call("git_log", {**SLIP, "zzz": 1}, lambda payload: "two commits")
    assert (output.ok, output.executed, output.result) == (True, True, "two commits")
    assert output.text() == (
        'two commits\nNote: "maxCount" is not a field of this tool; did you mean "max_count"?'
    ), "nothing is said of a key that resembles no field"
    both = {**SLIP, "max_count": 5}
    assert conversation.call("git_log", both, lambda: "none").text() == "none", "the field was sent"
    assert conversation.call("git_log", {"repo_path": "/r"}, lambda: "none").text() == "none"


def test_notes_go_along_with_a_call_that_something_else_runs() -> None:
    conversation = Conversation([LOG], unknown_keys="note")
    checked = conversation.check("git_log", SLIP)
    assert checked.ok
    assert len(checked.notes) == 1
    failed = conversation.returned(checked, {"content": [{"type": "text", "text": "no"}], "isError": True})
    assert failed.text().splitlines() == ["no", *checked.notes]


def test_notes_are_few_and_short_whatever_the_keys() -> None:
    slips = {"maxCount": 1, "max-count": 1, "MAX_COUNT": 1, "max count": 1, "maxcount": 1, "Max_Count": 1}
    payload = {"repo_path": "/r", **slips, **{f"{i}" + "x\n" * 5_000: 1 for i in range(500)}}
    output = Conversation([LOG], unknown_keys="note").call("git_log", payload, lambda: "")
    assert len(output.notes) <= 6
    assert all(len(note) < 200 and "\n" not in note for note in output.notes)


def test_issues_of_the_schema_come_first_and_repairs_before_both() -> None:
    conversation = Conversation([LOG], unknown_keys="reject", repair=True)
    output = conversation.check("git_log", {"repo_path": "/r", "max_count": "5", "zzz": 1})
    assert [field.constraint for field in output.retry_hint.fields] == ["unknownKey"]
    output = conversation.check("git_log", {"zzz": 1})
    assert [field.constraint for field in output.retry_hint.fields] == ["required"]


def test_options_of_one_tool_go_before_the_others() -> None:
    other = {**LOG, "name": "other"}
    registry = Registry(per_tool={"git_log": {"unknown_keys": "reject"}})
    registry.register(compile_tools([LOG, other]))
    assert [registry.check(name, SLIP).ok for name in registry] == [False, True]
    conversation = registry.conversation(unknown_keys="note", per_tool={"other": {"max_chars": 9}})
    assert [conversation.check(name, SLIP).ok for name in registry] == [False, True]
    assert [len(conversation.check(name, SLIP).notes) for name in registry] == [0, 1]
    assert conversation.check("other", SLIP).max_chars == 9


@for_each(
    [
        ({"unknown_keys": "skip"}, "unknown_keys: 'note' or 'schema' or 'reject' or 'drop', not 'skip'"),
        ({"check_results": "error"}, "check_results"),
        ({"per_tool": {"t": {"allow": []}}}, "per_tool: 't' has no option 'allow'"),
        ({"per_tool": {"t": {"timeout": 0}}}, "timeout"),
        ({"per_tool": {"t": {"absent": "null"}}}, "absent: "),
        ({"max_chars": 0}, "max_chars: "),
    ]
)
def test_wrong_options_are_said_at_once(options: JsonObject, says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=says):
        Registry(**options)
    with pytest.raises((TypeError, ValueError), match=says):
        Conversation([LOG], **options)


@for_each([("allow", "now"), ("calls_per_turn", -1), ("timeout", 0), ("timeout", math.nan)])
def test_wrong_options_of_a_registry_alone(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        Registry(**{name: value})


EDIT = {
    "name": "edit_file",
    "inputSchema": obj(
        "path",
        "edits",
        path=TEXT,
        edits={
            "type": "array",
            "items": obj("oldText", "newText", closed=True, oldText=TEXT, newText=TEXT),
        },
        env={"type": "object", "additionalProperties": TEXT},
        active={"type": "boolean"},
    ),
}
CHANGE = {"oldText": "a", "newText": "b"}
EDITED: JsonObject = {"path": "p", "edits": [CHANGE]}


def within(more: JsonObject) -> JsonObject:
    return EDITED | {"edits": [CHANGE | more]}


DROPPED: list[tuple[JsonObject, list[str]]] = [
    (
        within({"requireUnique": True}),
        ['Note: "requireUnique" is not a field in edits[0]; it was ignored.'],
    ),
    *(
        (
            EDITED | {key: value},
            [f'Note: "{key}" is not a field of this tool; it was ignored.'],
        )
        for key, value in {"explanation": "why", "reason": "long " * 100, "style": {"a": 1}, "}": ""}.items()
    ),
    *(
        (
            within({key: value}),
            [f'Note: "{key}" is not a field in edits[0]; it was ignored.'],
        )
        for key, value in {"newText_strip": "", "newText_2": "", "new_text": "b", "path": "p"}.items()
    ),
    (
        within({"": ""}),
        ["Note: a key without a name in edits[0] was ignored."],
    ),
]
KEPT: list[JsonObject] = [
    within({"dry_run": True}),
    EDITED | {"only_if": "clean"},
    EDITED | {"!strict": True},
    EDITED | {"options": {"dry_run": True}},
    EDITED | {"options": {"oldText": "x"}},
    within({"path": "another"}),
    within({"newText_2": "c"}),
    within({"new_text": "c"}),
    EDITED | {"oldText": "a"},
    EDITED | {"environ": "a"},
    EDITED | {"inactive": True},
    within({"note": 1}) | {"env": {"A": 1}},
]


@for_each(DROPPED)
def test_invented_keys_are_dropped_and_the_model_is_told(sent: JsonObject, notes: list[str]) -> None:
    conversation = Conversation([EDIT], unknown_keys="drop")
    output = conversation.call("edit_file", sent, lambda payload: "done")
    assert output.executed
    assert output.payload == EDITED
    assert [change["rule"] for change in output.repairs] == ["dropped"]
    assert output.text() == "\n".join(("done", *notes))
    assert not Conversation([EDIT], unknown_keys="reject").call("edit_file", sent, lambda payload: "").ok


@for_each(KEPT, ids=str)
def test_a_key_that_may_say_something_is_not_dropped(sent: JsonObject) -> None:
    for repair in (False, True):
        output = Conversation([EDIT], unknown_keys="drop", repair=repair).check("edit_file", sent)
        assert not output.ok
        assert output.repairs == ()


def test_a_key_of_a_map_stays() -> None:
    sent = EDITED | {"env": {"ANY": "x"}}
    output = Conversation([EDIT], unknown_keys="drop").check("edit_file", sent)
    assert (output.ok, output.payload, output.notes) == (True, sent, ())
