"""A hint depends on its own arguments alone: not on the hints made before it, nor on those made beside it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hint_strategies import bare_tool, issues, schemas, values
from hypothesis import given, settings
from hypothesis import strategies as st
from support import tool_of

from toolgen_runtime import MISSING, Tool, ValidationIssue, build_hint
from toolgen_runtime.schema.facts import SchemaFacts

AGAIN = 500
_UNION = {"anyOf": [{"type": "string"}, {"type": "integer"}]}
_MAZE = {"anyOf": [{"anyOf": [{"anyOf": [_UNION] * 3}] * 3}] * 3}
CASES: dict[str, tuple[Any, Any]] = {
    "contains": ({"properties": {"l": {"type": "array", "contains": _UNION}}}, {"l": [None]}),
    "contains of contains": (
        {"items": {"type": "array", "contains": {"oneOf": [{"type": "array", "contains": _UNION}, _UNION]}}},
        [[None], [[None]], []],
    ),
    "union": (
        {"properties": {"u": {"oneOf": [{"required": ["a"]}, {"properties": {"b": _UNION}}]}}},
        {"u": {"b": None}},
    ),
    "maze": (
        {"properties": {"m": {"type": "array", "contains": _MAZE}}, "anyOf": [_MAZE, _UNION]},
        {"m": [None]},
    ),
    "tagged": (
        {
            "oneOf": [
                {"properties": {"kind": {"const": k}, "v": _UNION}, "required": ["kind", "v"]} for k in "abc"
            ]
        },
        {"kind": "b", "v": None},
    ),
}


def said(facts: SchemaFacts | Tool[Any], found: list[ValidationIssue], payload: Any) -> str:
    hint = build_hint(facts, found, payload=payload, name="t")
    return f"{hint!r}\n{hint.render()}"


@pytest.mark.parametrize("case", CASES)
def test_the_same_hint_again_says_the_same(case: str) -> None:
    schema, payload = CASES[case]
    tool = tool_of(schema)
    found = tool.validate(payload)
    assert found
    first = said(SchemaFacts(schema), found, payload)
    assert {said(tool, found, payload) for _ in range(AGAIN)} == {first}


def test_hints_made_at_the_same_time_say_the_same() -> None:
    made = [(s, p, tool_of(s).validate(p)) for s, p in CASES.values()]
    alone = [said(SchemaFacts(s), f, p) for s, p, f in made]
    shared = [SchemaFacts(s) for s, _, _ in made]
    with ThreadPoolExecutor(4) as pool:
        jobs = [
            pool.submit(said, shared[i], made[i][2], made[i][1]) for _ in range(60) for i in range(len(made))
        ]
        assert [job.result() for job in jobs] == alone * 60


@settings(max_examples=100, deadline=None)
@given(
    schemas(),
    st.lists(st.tuples(st.lists(issues, max_size=5), values | st.just(MISSING)), min_size=2, max_size=6),
    st.randoms(use_true_random=False),
)
def test_the_order_of_hints_changes_none(schema: Any, calls: list[tuple[Any, Any]], random: Any) -> None:
    alone = [said(bare_tool(schema), found, payload) for found, payload in calls]
    tool = bare_tool(schema)
    order = [*range(len(calls))] * 5
    random.shuffle(order)
    for i in order:
        assert said(tool, *calls[i]) == alone[i]


def test_a_required_key_that_is_not_declared_is_missing() -> None:
    tool = tool_of({"type": "object", "required": ["b"], "properties": {"y": {}}})
    payload = {"x": {"b": 1}, "y": 2}
    hint = build_hint(tool, tool.validate(payload), payload=payload, name="t")
    assert hint.render() == "t was not run. b (missing): you sent x, which is not a field"


@pytest.mark.parametrize("case", CASES)
def test_issues_of_another_payload_get_a_hint(case: str) -> None:
    schema, payload = CASES[case]
    tool = tool_of(schema)
    for _, other in CASES.values():
        assert said(tool, tool.validate(payload), other)
    keys = {"type": "object", "properties": {"title": {"type": "string"}}, "additionalProperties": False}
    unknown = tool_of(keys).validate({"Title": "a"})
    for sent in ({}, {"titel": "a"}, {"title": 5}, [], None):
        assert said(tool_of(keys), unknown, sent)
