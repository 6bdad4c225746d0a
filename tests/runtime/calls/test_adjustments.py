"""Defaults, nulls and keys that clients add: calls that a server takes are not rejected for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.support import (
    SHARED,
    TEXT,
    WHOLE,
    JsonObject,
    for_each,
    for_each_at_once,
    needs_servers,
    obj,
    servers,
    table,
)

from toolgen import compile_tools
from toolgen_runtime import Conversation, Registry
from toolgen_runtime.calls.adjustments import says_absence
from toolgen_runtime.calls.client_keys import CLIENT_KEYS
from toolgen_runtime.calls.repair_note import MAX_TOLD, repair_note

DATA = SHARED / "data"


def tool(properties: JsonObject, *required: str, **more: Any) -> JsonObject:
    schema = {"type": "object", "properties": properties, "required": [*required], **more}
    return {"name": "shot", "description": "Take a screenshot.", "inputSchema": schema}


CASES = table("adjustments.json")
SHOT, CLOSED = CASES["tools"]["shot"], CASES["tools"]["closed"]


@for_each_at_once(CASES["filled"])
def test_a_missing_field_gets_the_default_of_its_schema(given: Any, sent: Any, expected: Any) -> None:
    given = CASES["tools"].get(str(given), given)
    before = json.dumps(sent)
    output = Conversation([given]).call("shot", sent, lambda payload: "done")
    assert (output.ok, output.payload, output.text()) == (True, expected, "done"), (
        "the model reads nothing of it"
    )
    assert {change["rule"] for change in output.repairs} == (
        {"default"} if expected != (sent or {}) else set()
    )
    assert json.dumps(sent) == before
    strict = Conversation([given], defaults="require").check("shot", sent)
    assert strict.ok == (not output.repairs)


@for_each_at_once(CASES["rejected"])
def test_a_default_is_never_filled_in_where_something_else_may_be_meant(given: Any, sent: Any) -> None:
    given = CASES["tools"].get(str(given), given)
    output = Conversation([given]).check("shot", sent)
    assert not output.ok
    assert output.repairs == ()


def test_certain_edits_come_before_defaults() -> None:
    conversation = Conversation([SHOT], repair=True)
    output = conversation.check("shot", {"Scale": "device"})
    assert output.payload == {"scale": "device"}
    output = conversation.check("shot", {"n": "5"})
    assert output.payload == {"n": 5, "scale": "css"}
    assert [change["rule"] for change in output.repairs] == ["parsed", "default"]
    assert conversation.check("shot", '{"n": 5,}').payload == {"n": 5, "scale": "css"}


def test_rules_come_before_defaults() -> None:
    rules = [{"tool": "shot", "action": "alias", "path": ["size"], "to": "scale"}]
    conversation = Conversation([SHOT], rules=rules)
    assert conversation.check("shot", {"size": "device"}).payload == {"scale": "device"}
    assert conversation.check("shot", {}).payload == {"scale": "css"}


def test_a_hint_names_only_what_the_model_must_change() -> None:
    conversation = Conversation([SHOT])
    output = conversation.check("shot", {"n": "x"})
    assert [field.field for field in output.retry_hint.fields] == ["n"]
    assert "scale" not in output.text()
    assert "scale" in Conversation([SHOT], defaults="require").check("shot", {"n": "x"}).text()
    assert "scale" in Registry().with_tools(compile_tools([SHOT])).hint("shot", "scale is missing").render()


NULLABLE = tool(
    {
        "url": TEXT,
        "wait": {"type": "integer", "description": "Seconds (default 10)."},
        "until": {"type": "string", "description": "Never expires if omitted."},
        "tag": {"type": ["string", "null"]},
        "o": obj(a=WHOLE),
    },
    "url",
)


@for_each_at_once(CASES["nulls"])
def test_null_is_left_out_where_the_option_says_so(sent: Any, expected: Any) -> None:
    output = Conversation([NULLABLE], nulls="omit").call("shot", sent, lambda payload: "done")
    assert output.payload == (sent if expected is None else expected)
    assert output.ok == (expected is not None)
    if output.ok:
        assert output.text() == "done"
        assert {change["rule"] for change in output.repairs} <= {"null"}
    assert Conversation([NULLABLE]).check("shot", sent).ok == (sent == expected)


@for_each(
    [
        ("The full balance if omitted.", True),
        ("Runs now when it is not set.", True),
        ("Omit to list everything.", True),
        ("Leave empty for all users.", True),
        ("Defaults to all users", True),
        ("Seconds to wait, default 10.", False),
        ('The branch (default: "main")', False),
        ("Defaults to main.", False),
        ("A url.", False),
        ("", False),
    ]
)
def test_descriptions_that_say_what_absence_means(description: str, says: bool) -> None:
    assert says_absence(description) is says


@pytest.mark.parametrize("key", CLIENT_KEYS)
def test_keys_that_clients_add_are_left_out_where_the_schema_rejects_them(key: str) -> None:
    for option in ("note", "reject", "drop", "schema"):
        conversation = Conversation([CLOSED], unknown_keys=option)  # type: ignore[call-arg]
        output = conversation.call("shot", {"scale": "css", key: {"a": 1}}, lambda payload: "done")
        assert (output.payload, output.text()) == ({"scale": "css"}, "done")
        assert [change["rule"] for change in output.repairs] == ["client_key"]
        taken = Conversation([SHOT], unknown_keys=option).check("shot", {"scale": "css", key: "x"})  # type: ignore[call-arg]
        assert (taken.payload, taken.repairs) == ({"scale": "css", key: "x"}, ())
    declared = tool({key: WHOLE}, additionalProperties=False)
    assert not Conversation([declared]).check("shot", {key: "x"}).ok, "the tool's own field"
    nested = tool({"o": {"type": "object", "additionalProperties": False}})
    assert not Conversation([nested]).check("shot", {"o": {key: "x"}}).ok


def test_a_secret_default_is_masked() -> None:
    given = tool({"pin": {"type": "string", "writeOnly": True, "default": "1234-secret"}}, "pin")
    output = Conversation([given]).check("shot", {})
    assert output.payload == {"pin": "1234-secret"}
    assert "1234-secret" not in f"{output.repairs}{output!r}"


def test_a_repair_is_told_in_one_line() -> None:
    sent = {"scale": "CSS", "n": "5"}
    told = Conversation([SHOT], repair=True).call("shot", sent, lambda payload: "done")
    assert told.text() == (
        'done\nNote: the arguments were corrected before the call: "scale" is now "css"; "n" is now 5.'
    )
    silent = Conversation([SHOT], repair=True, repairs="silent").call("shot", sent, lambda payload: "done")
    assert (silent.text(), silent.repairs) == ("done", told.repairs)


def recorded_calls() -> Iterator[tuple[JsonObject, Any]]:
    """Calls that models made, and that reports and benchmarks say were meant."""
    for row in table("wrong-calls.json", DATA):
        yield row["tool"], row["args"]
        wanted = row["answer"].get(row["name"])
        if isinstance(wanted, dict):  # a list of values that are right for each field; "" means none
            yield row["tool"], {name: given[0] for name, given in wanted.items() if given and given[0] != ""}
    for row in table("mistakes.json", DATA):
        yield from ((row["spec"], row[part]) for part in ("payload", "want") if part in row)
    for row in table("reported-calls.json", DATA):
        if "called" not in row:
            spec = {"name": row["tool"], "inputSchema": row["schema"]}
            yield from ((spec, row[part]) for part in ("arguments", "meant") if part in row)
    for line in (DATA / "maskbench-tools.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        spec = {"name": "t", "inputSchema": row["schema"]}
        yield from ((spec, test["data"]) for test in row["tests"] if test["valid"])


@pytest.mark.skipif(not DATA.is_dir(), reason="no recorded calls here (set TOOLGEN_SHARED)")
def test_no_note_is_made_about_a_recorded_call_that_is_valid() -> None:
    noted, valid, misspelled = [], 0, 0
    for spec, sent in recorded_calls():
        if not isinstance(spec["inputSchema"], dict):
            continue
        conversation = Conversation([spec], unknown_keys="note", keep_going=True)
        output = conversation.check(spec["name"], sent)
        if not output.ok or output.repairs:
            continue
        valid += 1
        noted += [(spec["name"], sent, output.notes)] if output.notes else []
        keys = [*sent] if isinstance(sent, dict) else []
        for key in keys:
            others = {(key + key[-1:] if each == key else each): sent[each] for each in keys}
            misspelled += bool(conversation.check(spec["name"], others).notes)
    assert noted == []
    assert valid > 1_500
    assert misspelled > 20, "the same calls with a misspelled optional key are noted"


def test_only_changes_that_are_not_named_are_counted() -> None:
    changes = [{"path": (f"k{i}",), "from": None, "rule": "dropped"} for i in range(MAX_TOLD + 1)]
    assert "more" not in repair_note(changes[:MAX_TOLD])[0]
    assert repair_note(changes)[0].endswith("; 1 more.")


@for_each([("moved", "around them"), ("read", "read as a JSON object")])
def test_a_repair_of_all_arguments_says_what_was_done(rule: str, words: str) -> None:
    assert words in repair_note([{"path": (), "from": [], "to": {}, "rule": rule}])[0]


SAMPLES = {"string": "x", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}


@needs_servers
def test_no_call_of_a_real_server_is_rejected_for_a_default() -> None:
    tried = 0
    for name, specs in servers().items():
        conversation = Conversation(specs, keep_going=True)
        for spec in specs:
            schema = spec["inputSchema"]
            properties = schema.get("properties", {})
            needed = [n for n in schema.get("required", ()) if "default" not in properties.get(n, {})]
            if len(needed) == len(schema.get("required", ())):
                continue
            tried += 1
            sent = {n: SAMPLES.get(str(properties[n].get("type")), "x") for n in needed}
            output = conversation.check(spec["name"], sent)
            hint = output.retry_hint
            wrong = {field.field for field in hint.fields} if hint is not None else set()
            assert wrong <= set(needed), (name, spec["name"], output.text())
    assert tried > 5
