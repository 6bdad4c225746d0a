"""What is certain: for each rule a call that `repair` puts right, and calls next to it that it must leave alone."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import tool_of

from toolgen_runtime import apply_edits, build_hint, repair
from toolgen_runtime.hints.names import same_value, same_words, value_likeness

S, INT, N, B = ({"type": name} for name in ("string", "integer", "number", "boolean"))


def fields(*required: str, **properties: Any) -> dict[str, Any]:
    names = [name for name in required if name in properties]
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


def strings(**more: Any) -> dict[str, Any]:
    return {"type": "array", "items": S, **more}


def one_of(*values: Any) -> dict[str, Any]:
    return {"enum": [*values]}


HOST = fields("host", "port", host=S, port=INT)
AT = {"type": "string", "format": "date-time"}
ROWS = fields(rows={"type": "array", "items": fields("sku", sku=S, count=INT)})
SURE: list[tuple[dict[str, Any], Any, Any, str]] = [
    (fields(tags=strings()), {"tags": '["x"]'}, {"tags": ["x"]}, "parsed"),
    (fields(tags=strings()), {"tags": "['x']"}, {"tags": ["x"]}, "parsed"),
    (fields(ids={"type": "array", "items": INT}), {"ids": ["[4,5]"]}, {"ids": [4, 5]}, "parsed"),
    (fields(n=INT), {"n": " -12 "}, {"n": -12}, "parsed"),
    (fields(n=N), {"n": "0.25"}, {"n": 0.25}, "parsed"),
    (fields(b=B), {"b": "TRUE"}, {"b": True}, "parsed"),
    (fields(b={"type": ["boolean", "integer"]}), {"b": "true"}, {"b": True}, "parsed"),
    (ROWS, {"rows": [{"sku": "a", "count": "2"}]}, {"rows": [{"sku": "a", "count": 2}]}, "parsed"),
    (fields(room_id=S), {"room_id": 7}, {"room_id": "7"}, "text"),
    (fields(mode=one_of("read_only", "full")), {"mode": "readOnly"}, {"mode": "read_only"}, "spelling"),
    (fields(mode={**S, **one_of("Fast", "Slow")}), {"mode": ["fast"]}, {"mode": "Fast"}, "unwrapped"),
    (fields(level=one_of(1, 2)), {"level": "1"}, {"level": 1}, "spelling"),
    (fields(at=AT), {"at": "2031-02-03 04:05Z"}, {"at": "2031-02-03T04:05:00Z"}, "spelling"),
    (fields(code={**S, "pattern": "^[a-z]+$"}), {"code": "'abc'"}, {"code": "'abc'"}, ""),
    (fields(code={**S, "pattern": "^[a-z]+$"}), {"code": '"abc"'}, {"code": "abc"}, "spelling"),
    (fields("fileName", fileName=S), {"file-name": "x"}, {"fileName": "x"}, "key"),
    (fields(tags=strings()), {"tags": "urgent"}, {"tags": ["urgent"]}, "wrapped"),
    (ROWS, {"rows": {"sku": "a", "count": 1}}, {"rows": [{"sku": "a", "count": 1}]}, "wrapped"),
    (fields(n=INT), {"n": [3]}, {"n": 3}, "unwrapped"),
    (fields(tags=strings()), {"tags": {"items": ["x", "y"]}}, {"tags": ["x", "y"]}, "unwrapped"),
    (HOST, {"args": {"host": "h", "port": 1}}, {"host": "h", "port": 1}, "moved"),
    (HOST, {"get_it": {"host": "h", "port": 1}}, {"host": "h", "port": 1}, "moved"),
    (HOST, {"name": "get_it", "input": {"host": "h", "port": 1}}, {"host": "h", "port": 1}, "moved"),
    (fields("request", request=HOST), {"host": "h", "port": 1}, {"request": {"host": "h", "port": 1}}, "moved"),
    (fields("q", q=S, after=S), {"q": "x", "after": None}, {"q": "x"}, "dropped"),
    (fields("q", q=S), {"q": "x", "other": None}, {"q": "x"}, "dropped"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "sent", "meant", "rule"), SURE, ids=[str(row[1]) for row in SURE])
def test_a_rule_puts_right(schema: dict[str, Any], sent: Any, meant: Any, rule: str) -> None:
    tool, before = tool_of(schema, "get_it"), copy.deepcopy(sent)
    fixed = repair(tool, sent)
    assert (fixed.payload, sent) == (meant, before)
    assert tool.validate(meant) == [] or not rule
    assert {c["rule"] for c in fixed.changes} == ({rule} if rule else set())
    hint = build_hint(tool, tool.validate(sent), payload=sent)
    assert all(e.certain for e in hint.edits) is bool(rule and hint.edits)


DIGITS = {**S, "description": "Always 8 digits."}
TEXT_OR_NUMBER = {"anyOf": [{**S, "pattern": "^a"}, INT]}
LIST_OR_NUMBER = {"anyOf": [strings(), INT]}
NOT_SURE: list[tuple[str, dict[str, Any], Any]] = [
    ("get_it", fields(n=INT), {"n": "0x10"}),
    ("get_it", fields(n=INT), {"n": "\u0663"}),
    ("get_it", fields(n=INT), {"n": "5.5"}),
    ("get_it", fields(n=INT), {"n": True}),
    ("get_it", fields(b=B), {"b": 1}),
    ("get_it", fields("s", s=S), {"s": None}),
    ("get_it", fields(size=one_of("LARGE", "large")), {"size": "Large"}),
    ("get_it", fields(mode=one_of("fast", "slow")), {"mode": "fsat"}),
    ("get_it", fields(tags=strings()), {"tags": "a,b"}),
    ("get_it", fields(union=TEXT_OR_NUMBER), {"union": "5"}),
    ("get_it", fields(either=LIST_OR_NUMBER), {"either": "5"}),
    ("get_it", fields(startDate=S), {"startDat": "x"}),
    ("get_it", fields(startDate=S), {"start_date": "x", "startDate": "y"}),
    ("get_it", fields(startDate=S), {"start_date": "x", "StartDate": "y"}),
    ("get_it", fields(tags=strings()), {"tags": "['a\\n']"}),
    ("get_it", fields(tags=strings()), {"tags": "['a', # not 'b'\n]"}),
    ("get_it", fields(n=INT), {"n": "007"}),
    ("get_it", fields(n=INT), {"n": "3.0"}),
    ("get_it", fields(n=N), {"n": "1.50"}),
    ("get_it", fields(n=N), {"n": "2e3"}),
    ("get_it", fields(b=B), {"b": "on"}),
    ("get_it", fields(room_id=DIGITS), {"room_id": 12}),
    ("get_it", fields(size=S), {"size": 12}),
    ("get_it", fields(grade=one_of("C+", "C-")), {"grade": "C"}),
    ("get_it", fields(grade=one_of("C+", "D")), {"grade": "c"}),
    ("get_it", fields(order=one_of("-age", "name")), {"order": "age"}),
    ("get_it", fields(unit=one_of("mW", "kW")), {"unit": "MW"}),
    ("get_it", fields(flag=one_of("-x", "-y")), {"flag": "-X"}),
    ("get_it", fields(zone=one_of("UTC-2", "UTC+2")), {"zone": "UTC2"}),
    ("get_it", fields(at=AT), {"at": "2031-02-03 04:05-06:00"}),
    ("get_it", fields(password={**S, "pattern": "^[a-z]+$"}), {"password": " abc"}),
    ("get_it", fields(dirty=B), {"!dirty": True}),
    ("get_it", fields(tags=strings()), {"tag": ["x"]}),
    ("get_it", fields("user_sid", user_sid=S), {"users_id": "1"}),
    ("get_it", fields(tags=strings()), {"tags": "everybody"}),
    ("get_it", fields(tags=strings()), {"tags": "x+y"}),
    ("get_it", fields(tags=strings()), {"tags": "two words"}),
    ("get_it", fields(tags=strings()), {"tags": "result_of_search"}),
    ("get_it", fields(days={"type": "array", "items": INT}), {"days": 3}),
    ("get_it", ROWS, {"rows": {"sku": "a"}}),
    ("get_it", fields(json=S), {"json": ["x"]}),
    ("get_it", fields(tags=strings()), {"tags": {"not": ["x"]}}),
    ("get_it", HOST, {"dry_run": {"host": "h", "port": 1}}),
    ("get_it", HOST, {"forget_it": {"host": "h", "port": 1}}),
    ("get_it", HOST, {"name": "forget_it", "input": {"host": "h", "port": 1}}),
    ("get_it", HOST, {"input": {"host": "h", "port": 1}, "when": "later"}),
    ("get_it", fields("peer", "name", peer=HOST, name=S), {"name": "x", "host": "h", "port": 1}),
    ("get_it", fields("host", peer=fields(port=INT), host=S), {"host": "h", "port": 1}),
    ("get_it", fields("host", host=S, peer=fields(name=S)), {"peer": {"name": "a", "host": "h"}}),
    ("delete_it", fields("q", q=S, after=S), {"q": "x", "after": None}),
    ("send_it", fields("q", q=S, audience=S), {"q": "x", "audience": None}),
    ("send_it", fields("q", q=S, tax={**N, "default": 19}), {"q": "x", "tax": None}),
    ("get_it", fields("q", q=S), {"q": "x", "dry_run": None}),
    ("get_it", fields("q", q=S), {"q": "x", "other": ""}),
    ("get_it", fields("a", "b", a=S, b=S), {"a": 'x</a>\n<parameter name="b">y</parameter>'}),
]


@pytest.mark.parametrize(("name", "schema", "sent"), NOT_SURE, ids=[f"{row[0]} {row[2]}" for row in NOT_SURE])
def test_no_rule_decides(name: str, schema: dict[str, Any], sent: Any) -> None:
    tool = tool_of(schema, name)
    hint = build_hint(tool, tool.validate(sent), payload=sent)
    assert not any(edit.certain for edit in hint.edits)
    assert repair(tool, sent).payload is sent
    apply_edits(sent, hint.edits)


@pytest.mark.parametrize(
    ("a", "b"),
    [("PullRequest", "pull_request"), ("filepath", "filePath"), ("SEV-2", "SEV2"), ("In Progress", "in_progress")],
)  # fmt: skip
def test_spellings_of_the_same_words(a: str, b: str) -> None:
    assert same_words(a, b)
    assert same_value(a, b, [b, "other"])
    assert not same_value(a, b, [b, b + "+"])


def test_a_value_with_words_more_is_nearer_than_one_with_a_like_word() -> None:
    assert value_likeness("the closed one", "closed") == 4
    assert value_likeness("the closing one", "closed") == 6


def test_what_the_check_refuses_is_not_proposed() -> None:
    tool = tool_of(
        fields(n={**N, "maximum": 1}, key={**S, "pattern": "^[A-Z]"}, l=strings(minItems=1)), "get_it"
    )
    for sent in ({"n": "$75"}, {"key": 5}, {"l": "none"}):
        hint = build_hint(tool, tool.validate(sent), payload=sent)
        assert "id you mean" not in hint.render()
        assert not [edit for edit in hint.edits if edit.op == "set"]
    hint = build_hint(tool, tool.validate({"n": "75%"}), payload={"n": "75%"})
    assert apply_edits({"n": "75%"}, hint.edits) == {"n": 0.75}


# -- repair: all or nothing -----------------------------------------------------------------------------------

OBJECT = fields("k", k=INT)
ALL = fields("s", s=S, n=INT, b=B, size=one_of("small", "LARGE"), tags=strings(), o=OBJECT, startDate=S,
             ids={"type": "array", "items": INT}, rows={"type": "array", "items": fields("qty", qty=INT)})  # fmt: skip
TOOL = tool_of(ALL)


@pytest.mark.parametrize(
    "wrong", [{"o": '{"k": "v"}'}, {"o": '{"k": 1, "k": 2}'}, {"n": "5", "b": "yes"}, {"ids": ["1"] * 5000}]
)
def test_what_could_not_be_put_right_completely_is_left_alone(wrong: dict[str, Any]) -> None:
    payload = {"s": "x", **wrong}
    result = repair(TOOL, payload)
    assert (result.payload is payload, result.changes) == (True, ())


def test_changes_say_where_from_and_to() -> None:
    (change,) = repair(TOOL, {"s": "x", "rows": [{"qty": "2"}]}).changes
    assert change == {"path": ("rows", 0, "qty"), "from": "2", "to": 2, "rule": "parsed"}
    result = repair(TOOL, '{"s": "x", "o": "{\\"k\\": \\"7\\"}", "Start-Date": "d"}')
    assert result.payload == {"s": "x", "o": {"k": 7}, "startDate": "d"}
    assert [c["rule"] for c in result.changes] == ["parsed", "parsed", "key", "parsed"]
    assert len(repair(TOOL, {"s": "x", "ids": ["1"] * 500}).changes) == 500


slips = (
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.sampled_from(["5", "true", "SMALL", "small", "a", "[1]", '["a"]', '{"k": 1}', '{"k": "1"}', "x"])
)
values = (
    slips
    | st.lists(slips, max_size=2)
    | st.dictionaries(st.sampled_from(["k", "K", "qty"]), slips, max_size=2)
)
payloads = st.dictionaries(
    st.sampled_from([*ALL["properties"], "start_date", "N", "other"]), values, max_size=5
)


@settings(max_examples=60, deadline=None)
@given(payloads | values)
def test_repair_keeps_its_promises(payload: Any) -> None:
    before = copy.deepcopy(payload)
    result = repair(TOOL, payload)
    assert json.dumps(payload) == json.dumps(before)
    if result.changes:
        assert TOOL.validate(payload) != []
        assert TOOL.validate(result.payload) == []
    else:
        assert result.payload is payload
    again = repair(TOOL, result.payload)
    assert (again.changes, again.payload is result.payload) == ((), True)
