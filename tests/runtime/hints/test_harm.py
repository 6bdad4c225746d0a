"""Calls whose hints once did harm: what is said, what is only asked, and where the edits lead."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.support import tool_of

from toolgen_runtime import apply_edits, build_hint, repair

S, INT = {"type": "string"}, {"type": "integer"}
TASKS = {
    "type": "object",
    "oneOf": [
        {"properties": {"op": {"const": op}, **own}, "required": ["op", *own], "additionalProperties": False}
        for op, own in (("create", {"name": S}), ("delete", {"id": S}), ("list", {}))
    ],
}
ACTIONS = {
    "anyOf": [
        {
            "type": "object",
            "properties": {name: {"type": "object", "properties": own, "required": [*own]}},
            "required": [name],
            "additionalProperties": False,
        }
        for name, own in (("go", {"url": S}), ("click", {"index": INT}))
    ]
}


def fields(*required: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [*required],
        "additionalProperties": False,
    }


ASKED: list[tuple[str, dict[str, Any], Any, str, Any]] = [
    ("a list for a command", fields(command=S), {"command": ["ls", "-la"]}, 'send "ls -la"?', {"command": "ls -la"}),
    ("a list for a text", fields(content=S), {"content": ["a", "b"]}, r'send "a\nb"?', {"content": "a\nb"}),
    ("one item for a text", fields(content=S), {"content": ["a"]}, "", {"content": "a"}),
    ("an object for a text", fields(content=S), {"content": {"name": "app"}}, "", {"content": '{"name": "app"}'}),
    ("a list for a name", fields(to=S, n=INT), {"to": ["a", "b"], "n": 1}, "did you mean a separate call for", None),
    ("a number in a union", fields(ids={"anyOf": [{"type": "array", "items": INT}, {"const": "all"}]}),
     {"ids": "5"}, 'must be an array of integers or "all": change "5" to [5]?', {"ids": [5]}),
    ("a number or a word", fields(ttl={"anyOf": [INT, {"enum": ["never"]}]}), {"ttl": "3600"}, "", {"ttl": 3600}),
    ("a tag under another key", TASKS, {"action": "delete", "id": "1"}, 'change the key "action" to "op"?',
     {"op": "delete", "id": "1"}),
    ("a tag as the key", TASKS, {"create": {"name": "a"}}, 'Did you mean {"op": "create", "name": …}?',
     {"op": "create", "name": "a"}),
    ("a branch named by a label", fields(a=ACTIONS), {"a": {"name": "go", "args": {"url": "x"}}}, "did you mean",
     {"a": {"go": {"url": "x"}}}),
    ("no text for a date", fields(q=S, before={**S, "format": "date"}), {"q": "x", "before": ""},
     " if you have none", {"q": "x"}),
    ("no text for a pattern", fields(q=S, code={**S, "pattern": "^a"}), {"q": "x", "code": "N/A"},
     " if you have none", {"q": "x"}),
    ("no items", fields(q=S, tags={"type": "array", "minItems": 1}), {"q": "x", "tags": []},
     " if you have none", {"q": "x"}),
    ("an empty object", fields(q=S, o=fields("k", k=S)), {"q": "x", "o": {}}, 'remove the key "o"', {"q": "x"}),
    ("null", fields(q=S, n=S), {"q": "x", "n": None}, ", or send a string", {"q": "x"}),
    ("a key that spells a path", fields(loc=fields(lat=INT)), {"loc.lat": 1}, "did you mean loc.lat?",
     {"loc": {"lat": 1}}),
    ("pairs for a map", fields(h={"type": "object", "additionalProperties": S}),
     {"h": [{"name": "A", "value": "b"}, {"name": "C", "value": "d"}]}, "", {"h": {"A": "b", "C": "d"}}),
    ("a wrapper beside other keys", fields("a", a=S), {"query": {"a": "x"}, "reasoning": "because"},
     'without "query" around it?', {"a": "x"}),
    ("a wrapper that inverts", fields("exclude", exclude=fields(id=S)), {"id": "u7"}, "Did you mean to wrap",
     {"exclude": {"id": "u7"}}),
    ("a unit in another case", fields(u={"enum": ["Mbps", "Gbps"]}), {"u": "MBps"}, 'change "MBps" to "Mbps"?', None),
    ("a separator in a word", fields(u={"enum": ["re-sign", "leave"]}), {"u": "resign"}, "", {"u": "re-sign"}),
    ("a word for a list of ids", fields(order_ids={"type": "array", "items": S}), {"order_ids": "latest"}, "", None),
    ("a class for a list", fields(users={"type": "array", "items": S}), {"users": "spammers"}, "", None),
    ("a group for a list", fields(to={"type": "array", "items": S}), {"to": "team"}, "", None),
    ("a range for a list of ids", fields(ids={"type": "array", "items": S}), {"ids": "A1-A9"}, "", None),
    ("another unit", fields("timeout_seconds", timeout_seconds=INT), {"timeout_ms": 9}, "not a field. Fields:", None),
    ("another scale", fields("celsius", celsius=INT), {"fahrenheit": 98}, "not a field. Fields: celsius", None),
    ("another recipient", fields("to", to=S, cc=S), {"bcc": "a", "cc": "b"}, "not a field. Fields: to", None),
    ("a key with a no", fields(force={"type": "boolean"}), {"no_force": True}, "remove it if it is none", None),
    ("a plural for one of a group", fields("user", user=S), {"users": "admins"}, '"users" to "user"?', None),
    ("a plural of another unit", fields("hour", hour=S), {"hours": "3"}, 'Change the key "hours" to "hour"?', None),
    ("a decimal comma", fields(v={"type": "array", "items": {"type": "number"}}), {"v": "3, 14"}, "to [3, 14]?", None),
    ("a tag with another argument", fields("path", path=S), {'path" dry_run="true': "/a"}, "to \"path\"?", None),
    ("a comment for nobody", fields(comment=S), {"_comment": "x"}, 'Change the key "_comment" to "comment"?', None),
    ("a value with a not", fields(s={"enum": ["open", "closed"]}), {"s": "not closed"}, "to one of:", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "sent", "words", "meant"), [row[1:] for row in ASKED], ids=[r[0] for r in ASKED]
)
def test_it_is_asked(schema: dict[str, Any], sent: Any, words: str, meant: Any) -> None:
    tool = tool_of(schema)
    hint = build_hint(tool, tool.validate(sent), payload=sent)
    assert words in hint.render()
    assert not any(edit.certain for edit in hint.edits)
    assert hint.corrected is None
    assert repair(tool, sent).payload is sent
    assert meant is None or apply_edits(sent, hint.edits) == meant


@pytest.mark.parametrize(
    ("schema", "sent", "words"),
    [
        (TASKS, {"kind": 5}, 'Add the key "op" (one of: create, delete, list)'),
        (
            fields(d={**S, "format": "uuid", "description": "An id from list_pages."}),
            {"d": "my page"},
            "list_pages",
        ),
        (fields(d={**S, "format": "date"}), {"d": "soon"}, "send YYYY-MM-DD"),
        (
            fields(m={"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}}),
            {"m": {"app2": 1}},
            "^[a-z]+$",
        ),
    ],
)
def test_it_is_said(schema: dict[str, Any], sent: Any, words: str) -> None:
    tool = tool_of(schema)
    hint = build_hint(tool, tool.validate(sent), payload=sent)
    assert words in hint.render()
    assert "e.g." not in hint.render()


def test_a_guess_under_a_certain_new_name_is_asked() -> None:
    tool = tool_of(fields("content", content=S))
    sent = {"Content": {"url": "x"}}
    hint = build_hint(tool, tool.validate(sent), payload=sent)
    assert [(edit.op, edit.certain) for edit in hint.edits] == [("rename", True), ("set", False)]
    assert hint.render().endswith('instead of "Content"?')


def test_a_missing_field_with_a_default_gets_it() -> None:
    tool = tool_of(fields("scale", "name", scale={"enum": ["css", "device"], "default": "css"}, name=S))
    sent = {"name": "a"}
    hint = build_hint(tool, tool.validate(sent), payload=sent)
    assert 'send "css" (the default)' in hint.render()
    assert repair(tool, sent).payload == {"name": "a", "scale": "css"}
    with_key = {"name": "a", "Scales": "device"}
    assert repair(tool, with_key).payload is with_key


def test_an_example_that_needs_nothing_filled_in_is_not_shown() -> None:
    tool = tool_of(fields("scale", "name", scale={"default": "css"}, name=S))
    assert build_hint(tool, tool.validate({"name": "a"}), payload={"name": "a"}).example_input is None
    both = build_hint(tool, tool.validate({}), payload={}).example_input
    assert both == {"scale": "css", "name": "<name>"}
