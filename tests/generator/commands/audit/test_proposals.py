"""`toolgen audit --propose`: the rules that recorded calls support."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from helpers.commands import document, toolgen
from helpers.support import TEXT, for_each, obj, write_json

from toolgen import compile_tools
from toolgen.commands.audit import AuditTools
from toolgen.commands.audit.proposals import Proposal, proposals_of
from toolgen_runtime import CallRule, Conversation

ROW = obj("old", closed=True, old=TEXT, new=TEXT)
FIELDS = {
    "title": TEXT,
    "unit": TEXT,
    "pin": {"type": "string", "writeOnly": True},
    "rows": {"type": "array", "items": ROW},
}
SCHEMA = {"type": "object", "properties": FIELDS, "required": ["title"], "additionalProperties": False}
SPECS: list[Any] = [
    {"name": "t", "inputSchema": SCHEMA},
    {"name": "u", "inputSchema": {**SCHEMA, "required": ["unit"]}},
    {"name": "p", "inputSchema": {**SCHEMA, "required": ["pin"]}},
    {"name": "n", "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False}},
]
TOOLS = AuditTools.of_specs([{"name": s["name"], "schema": s["inputSchema"]} for s in SPECS])
Pair = tuple[Any, Any]


def calls(tool: str, *pairs: Pair) -> list[Any]:
    return [{"tool": tool, "arguments": each} for pair in pairs for each in pair]


def conversation(*arguments: Any) -> Any:
    """A recorded request that repeats a conversation, with calls of a tool without fields."""
    said = [
        {"type": "function_call", "call_id": "c", "name": "n", "arguments": json.dumps(a)} for a in arguments
    ]
    return {"request": {"input": said}}


ALIAS: list[Pair] = [({"subject": f"x{n}"}, {"title": f"x{n}"}) for n in range(3)]
ROWS: list[Pair] = [
    ({"title": "x", "rows": [{"old": "a", "unique": True}]}, {"title": "x", "rows": [{"old": "a"}]})
] * 3
UNIT: list[Pair] = [({"title": f"x{n}"}, {"title": f"x{n}", "unit": "km"}) for n in range(30)]
RENAME = CallRule("t", "alias", ("subject",), to="title")
PROPOSED: dict[str, tuple[list[Any], list[CallRule]]] = {
    "an alias": (calls("t", *ALIAS), [RENAME]),
    "a key that is dropped": (calls("t", *ROWS), [CallRule("t", "drop", ("rows", "[]", "unique"))]),
    "a default": (calls("u", *UNIT), [CallRule("u", "default", ("unit",), value="km")]),
    "too few": (calls("t", *ALIAS[:2]), []),
    "another retry once": (calls("t", *ALIAS, ({"subject": "x"}, {"title": "y", "unit": "km"})), [RENAME]),
    "alias, and once dropped": (calls("t", *ALIAS, ({"subject": "x", "title": "y"}, {"title": "y"})), []),
    "two values": (calls("u", *UNIT, ({"title": "z"}, {"title": "z", "unit": "mi"})), []),
    "too few for a default": (calls("u", *UNIT[1:]), []),
    "another value, if not in a retry": (
        [*calls("u", *UNIT), {"tool": "u", "arguments": {"unit": "mi"}}],
        [],
    ),
    "the value changes": (calls("t", *[({"subject": 5}, {"title": "5"})] * 3), []),
    "an object": (calls("t", *[({"title": {"text": "x"}}, {"title": "x"})] * 3), []),
    "two fields it could be": (calls("t", *[({"subject": "x"}, {"title": "x", "unit": "x"})] * 3), []),
    "a secret": (calls("p", *[({"title": "x"}, {"title": "x", "pin": "4711"})] * 3), []),
    "repair does it": (calls("t", *[({"Title": "x"}, {"title": "x"})] * 3), []),
    "in one conversation": ([conversation({"name": "x"}, {})] * 3, [CallRule("n", "drop", ("name",))]),
    "in another conversation": ([conversation({"name": "x"}), conversation({})] * 3, []),
    "beside what cannot be read": (
        [*calls("t", *ALIAS), "no JSON", {"tool": "other", "arguments": {}}],
        [RENAME],
    ),
}


@for_each(PROPOSED)
def test_what_is_proposed(records: Any, expected: Any) -> None:
    assert [one.rule for one in proposals_of(records, TOOLS)] == expected


def test_what_is_printed_is_taken_by_a_conversation(tmp_path: Path) -> None:
    tools, file = tmp_path / "tools.json", tmp_path / "calls.jsonl"
    write_json(tools, SPECS)
    records = [
        *calls("t", *ALIAS, *ROWS),
        *calls("u", *UNIT),
        *calls("t", ({"subject": 1}, {"title": "other"})),
    ]
    file.write_text("\n".join(map(json.dumps, records)))
    args = ["audit", str(file), "--specs", str(tools), "--propose"]
    shown = toolgen(*args)
    assert shown.exit_code == 0
    assert "# seen in 4 wrong calls; in 3 the retry made exactly this edit" in shown.stdout
    conversation = Conversation(compile_tools(SPECS), rules=tomllib.loads(shown.stdout))
    assert conversation.check("t", {"subject": "new"}).payload == {"title": "new"}
    assert conversation.check("u", {}).payload == {"unit": "km"}
    rules = [one["rule"] for one in document(*args)["result"]["proposals"]]
    assert rules == tomllib.loads(shown.stdout)["rules"]


@for_each(["km", 'a"b\\c\n', "\x7f\x00é", "☃😀"])
def test_toml(text: str) -> None:
    rule = CallRule(text, "default", (text,), value=text)
    table = {"tool": text, "action": "default", "path": [text], "value": text}
    assert tomllib.loads(Proposal(rule, 3, 3).toml()) == {"rules": [table]}


def test_a_rule_has_the_name_that_was_called() -> None:
    tools = AuditTools.of_specs({"s": [{"name": "t", "schema": SCHEMA}]}, by_file=True)
    (found,) = proposals_of(calls("s_t", *ALIAS), tools)
    assert found.rule == CallRule("s_t", "alias", ("subject",), to="title")
