"""What is certain: for each rule a call that `repair` puts right, and calls next to it that it must leave alone."""

from __future__ import annotations

import copy
import json
from typing import Any

from helpers.support import JsonObject, for_each, for_each_at_once, hint_of, table, tool_of
from hypothesis import given, settings, strategies as st

from toolgen_runtime import apply_edits, repair
from toolgen_runtime.hints.names import value_likeness
from toolgen_runtime.hints.same_spelling import same_value, same_words

S, INT, N, B = ({"type": name} for name in ("string", "integer", "number", "boolean"))


def fields(*required: str, **properties: Any) -> JsonObject:
    names = [name for name in required if name in properties]
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


STRINGS = {"type": "array", "items": S}
TABLES = table("hint_tables.json")


@for_each_at_once(TABLES["certain"])
def test_a_rule_puts_right(row: Any) -> None:
    sent, meant, rule = row["sent"], row["meant"], row["rule"]
    tool, before = tool_of(row["schema"], "get_it"), copy.deepcopy(sent)
    fixed = repair(tool, sent)
    assert (fixed.payload, sent) == (meant, before)
    assert tool.validate(meant) == [] or not rule
    assert {c["rule"] for c in fixed.changes} == ({rule} if rule else set())
    hint = hint_of(tool, sent)
    assert all(e.certain for e in hint.edits) is bool(rule and hint.edits)


@for_each_at_once(TABLES["uncertain"])
def test_no_rule_decides(row: Any) -> None:
    tool, sent = tool_of(row["schema"], row["tool"]), row["sent"]
    hint = hint_of(tool, sent)
    assert row.get("words", "") in hint.render()
    assert not any(edit.certain for edit in hint.edits)
    assert hint.corrected is None
    assert repair(tool, sent).payload is sent
    made = apply_edits(sent, hint.edits)
    assert made == row.get("meant", made)


@for_each(
    [
        ("PullRequest", "pull_request"),
        ("filepath", "filePath"),
        ("SEV-2", "SEV2"),
        ("In Progress", "in_progress"),
    ]
)
def test_spellings_of_the_same_words(a: str, b: str) -> None:
    assert same_words(a, b)
    assert same_value(a, b, [b, "other"])
    assert not same_value(a, b, [b, b + "+"])


def test_a_value_with_words_more_is_nearer_than_one_with_a_like_word() -> None:
    assert value_likeness("the closed one", "closed") == 4
    assert value_likeness("the closing one", "closed") == 6


def test_what_the_check_refuses_is_not_proposed() -> None:
    tool = tool_of(
        fields(n={**N, "maximum": 1}, key={**S, "pattern": "^[A-Z]"}, l={**STRINGS, "minItems": 1}), "get_it"
    )
    for sent in ({"n": "$75"}, {"key": 5}, {"l": "none"}):
        hint = hint_of(tool, sent)
        assert "id you mean" not in hint.render()
        assert not [edit for edit in hint.edits if edit.op == "set"]
    hint = hint_of(tool, {"n": "75%"})
    assert apply_edits({"n": "75%"}, hint.edits) == {"n": 0.75}


# -- repair: all or nothing -----------------------------------------------------------------------------------

OBJECT = fields("k", k=INT)
ALL = fields("s", s=S, n=INT, b=B, size={"enum": ["small", "LARGE"]}, tags=STRINGS, o=OBJECT, startDate=S,
             ids={"type": "array", "items": INT}, rows={"type": "array", "items": fields("qty", qty=INT)})  # fmt: skip
TOOL = tool_of(ALL)


@for_each([{"o": '{"k": "v"}'}, {"o": '{"k": 1, "k": 2}'}, {"n": "5", "b": "yes"}, {"ids": ["1"] * 5000}])
def test_what_could_not_be_put_right_completely_is_left_alone(wrong: JsonObject) -> None:
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


@settings(max_examples=30, deadline=None)
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
