"""Rules: repairs that a person has decided on."""

from __future__ import annotations

import copy
import tomllib
from typing import Any

import pytest
from helpers.support import TEXT, WHOLE, JsonObject, for_each, obj

from toolgen import compile_tools
from toolgen_runtime import CallRule, Conversation

SCHEMA = obj(
    "title",
    closed=True,
    title=TEXT,
    project={"type": "string", "enum": ["OPS", "WEB"]},
    pin={"type": "string", "writeOnly": True},
    count=WHOLE,
    edits={
        "type": "array",
        "items": obj("old", "new", closed=True, old=TEXT, new=TEXT),
    },
)
OPEN = obj("title", title=TEXT)
TOOLS = compile_tools([{"name": "t", "inputSchema": SCHEMA}, {"name": "open", "inputSchema": OPEN}])
ALIAS: JsonObject = {"tool": "t", "action": "alias", "path": ["name"], "to": "title"}
DROP: JsonObject = {"tool": "t", "action": "drop", "path": ["edits", "[]", "unique"]}
DEFAULT: JsonObject = {"tool": "t", "action": "default", "path": ["title"], "value": "none"}


def edit(**more: Any) -> JsonObject:
    return {"old": "a", "new": "b", **more}


@for_each(
    [
        ([ALIAS], {"name": "x"}, {"title": "x"}, ["alias"]),
        ([ALIAS], {"name": "x", "title": "y"}, None, []),
        ([ALIAS], {"name": 1}, None, []),
        ([ALIAS], {"name": "x", "other": 1}, None, []),
        ([{**ALIAS, "tool": "open"}], {"name": "x"}, None, []),
        (
            [DROP],
            {"title": "x", "edits": [edit(unique=True), edit()]},
            {"title": "x", "edits": [edit(), edit()]},
            ["drop"],
        ),
        ([DROP], {"title": "x", "edits": {"unique": 1}}, None, []),
        ([DROP], {"title": "x", "edits": [1, edit(unique=1)]}, None, []),
        ([DEFAULT], {}, {"title": "none"}, ["default"]),
        ([DEFAULT], {"title": 1}, None, []),
        ([ALIAS, DEFAULT], {"name": "x"}, {"title": "x"}, ["alias"]),
        (
            [ALIAS, DROP],
            {"name": "x", "edits": [edit(unique=1)]},
            {"title": "x", "edits": [edit()]},
            ["alias", "drop"],
        ),
    ]
)
def test_a_rule_is_made_only_if_the_call_is_valid_then(
    rules: list[Any], sent: Any, expected: Any, made: list[str]
) -> None:
    before = copy.deepcopy(sent)
    output = Conversation(TOOLS, rules=rules).check("t", sent)
    assert output.ok == (expected is not None)
    assert output.payload == (sent if expected is None else expected)
    assert [change["rule"] for change in output.repairs] == made
    assert sent == before
    assert TOOLS["t"].validate(sent)  # the check does not know the rules


def test_a_valid_call_is_left_alone() -> None:
    conversation = Conversation(TOOLS, rules=[{**ALIAS, "tool": "open"}])
    assert conversation.check("open", {"name": "x"}).payload == {"title": "x"}
    assert conversation.check("open", {"title": "y", "name": "x"}).payload == {"title": "y", "name": "x"}


def test_with_repair() -> None:
    sent = {"name": "x", "count": "5"}
    assert not Conversation(TOOLS, rules=[ALIAS]).check("t", sent).ok
    output = Conversation(TOOLS, rules=[ALIAS], repair=True).check("t", sent)
    assert output.payload == {"title": "x", "count": 5}
    assert [change["rule"] for change in output.repairs] == ["alias", "parsed"]


def test_the_call_runs_with_its_repairs() -> None:
    output = Conversation(TOOLS, rules=[ALIAS]).call("t", '{"name": "x"}', lambda payload: payload["title"])
    assert (output.result, output.repairs) == (
        "x",
        ({"path": ("name",), "from": "name", "to": "title", "rule": "alias"},),
    )


def test_secrets_are_masked() -> None:
    rule = CallRule("t", "default", ("pin",), value="4711")
    tools = compile_tools([{"name": "t", "inputSchema": {**SCHEMA, "required": ["pin"]}}])
    output = Conversation(tools, rules=[rule]).check("t", {})
    assert output.payload == {"pin": "4711"}
    assert "4711" not in repr(output.repairs)


def test_a_key_is_dropped_for_a_tool_without_fields() -> None:
    tools = compile_tools([{"name": "t", "inputSchema": {"type": "object", "additionalProperties": False}}])
    rules = [{"tool": "t", "action": "drop", "path": ["name"]}]
    assert Conversation(tools, rules=rules).check("t", {"name": "x"}).payload == {}


@for_each(
    [
        ([{**ALIAS, "tool": "u"}], "u: alias name: there is no such tool"),
        ([{**ALIAS, "to": "titel"}], "'titel' is not a field"),
        ([{**ALIAS, "path": ["count"]}], "'count' is a field"),
        ([{**DROP, "path": ["edits", "[]", "old"]}], "'old' is a field"),
        ([{**DROP, "path": ["title", "x"]}], "declares no fields there"),
        ([{**DEFAULT, "path": ["other"]}], "'other' is not a field"),
        ([{**DEFAULT, "path": ["project"], "value": "ops"}], "rejects the value (enum)"),
        ([{**DEFAULT, "value": 1}], "rejects the value (type)"),
        ([{**DROP, "to": "x"}], '"alias" with `to`'),
        ([{"tool": "t", "action": "default", "path": ["title"]}], '"default" with `value`'),
        ([{**DROP, "path": 7}], "`path`, a list of keys"),
        ([{**DROP, "path": ["edits", "[]"]}], "ends in a key"),
        ([{**DROP, "path": []}], "ends in a key"),
        ([{**DROP, "why": "x"}], "nothing else"),
        ([{**DROP, "action": "remove"}], "'remove'"),
        (["drop"], "'drop': a rule has `tool`"),
        ("drop", "a list of rules"),
        ({"rule": []}, "with the list as `rules`"),
    ]
)
def test_a_rule_that_cannot_do_right_is_refused(rules: Any, message: str) -> None:
    with pytest.raises(ValueError, match=r"^rules: ") as caught:
        Conversation(TOOLS, rules=rules)
    assert message in str(caught.value)


def test_a_rule_of_a_toml_file_names_its_tool_as_the_model_does() -> None:
    text = '[[rules]]\ntool = "github_t"\naction = "alias"\npath = ["name"]\nto = "title"\n'
    conversation = Conversation({"github": TOOLS}, rules=tomllib.loads(text))
    assert conversation.check("github_t", {"name": "x"}).payload == {"title": "x"}
