"""What holds for every hint, whatever the payload and the schema: budget, one line, short echoes, no secrets.

A hint depends on its own arguments alone: not on the hints made before it, nor on those made beside it.
"""

from __future__ import annotations

import json
from typing import Any

from helpers.hint_strategies import bare_tool, issues, schemas, values
from helpers.support import TEXT, WHOLE, JsonObject, for_each, hint_of, obj, table, tool_of
from hypothesis import given, settings, strategies as st

from toolgen import compile_tools
from toolgen_runtime import MISSING, Registry, Tool, ValidationIssue, build_hint
from toolgen_runtime.schema.facts import SchemaFacts

QUICK = settings(max_examples=30, deadline=None)


def assert_harmless(text: str, limit: int) -> None:
    assert len(text) <= limit
    lines = text.split("\n")
    assert all(line.isprintable() for line in lines)
    assert all(line.startswith(("- ", "+")) for line in lines[1:])
    assert len(lines) <= 7


@QUICK
@given(schemas(), values | st.just(MISSING), st.lists(issues, max_size=12), st.integers(0, 900), values)
def test_any_issues_about_any_schema_give_a_hint_within_its_budget(
    schema: Any, payload: Any, found: list[ValidationIssue], limit: int, other: Any
) -> None:
    tool = bare_tool(schema)
    hint = build_hint(tool, found, payload=payload)
    assert_harmless(hint.render(), 600)
    assert_harmless(hint.render(limit), limit)
    assert len(hint.missing_fields) <= 3
    assert len(hint.fields) <= 5
    assert all(len(f.allowed_values or ()) <= 6 for f in hint.fields)
    again = build_hint(tool, found, payload=payload)
    assert again == hint or repr(again) == repr(hint)  # NaN is not equal to itself
    assert_harmless(build_hint(tool, found[:2], payload=other, previous=hint).render(), 600)
    json.dumps(hint.to_dict(), default=repr)


long_text = st.integers(61, 300).flatmap(
    lambda n: st.text(st.characters(codec="utf-8"), min_size=n, max_size=n)
)


@QUICK
@given(long_text, st.sampled_from(["s", "n", "e", "l", "o", "p", "unknown"]))
def test_no_more_than_sixty_characters_of_a_value_are_shown(text: str, key: str) -> None:
    tool = EVERYTHING["everything"]
    payload = {"s": "x", key: text}
    hint = hint_of(tool, payload)
    shown = hint.render(5000) + json.dumps(hint.to_dict(), ensure_ascii=False)
    assert not any(text[i : i + 61] in shown for i in range(len(text) - 60))


TABLES = table("hint_tables.json")
EVERYTHING = compile_tools([{"name": name, "schema": TABLES[name]} for name in ("secretive", "everything")])

SECRET = "hunter2-Zq9"


leaky = st.sampled_from(
    [SECRET, [SECRET], {"x": SECRET}, f'["{SECRET}"]', f'{{"token": "{SECRET}"}}', [SECRET, SECRET]]
)


secret_payloads = st.fixed_dictionaries(
    {},
    optional={
        "password": leaky,
        "pin": leaky,
        "choice": leaky,
        "keys": leaky,
        "vault": st.fixed_dictionaries({"pin": leaky}),
        "login": st.fixed_dictionaries({"token": leaky}) | leaky,
        "by": st.fixed_dictionaries({"key": leaky}, optional={"kind": st.sampled_from(["a", "b", "c"])})
        | leaky,
        "tagged": st.fixed_dictionaries({"n": st.none()}, optional={"t": leaky | st.sampled_from("ab")}),
        "Password": leaky,
        "PIN": leaky,
    },
)


@QUICK
@given(secret_payloads, secret_payloads)
def test_no_secret_is_ever_shown(payload: JsonObject, later: JsonObject) -> None:
    registry = Registry().with_tools(EVERYTHING)
    tool = EVERYTHING["secretive"]
    hint = registry.hint("secretive", tool.validate(payload), payload=payload)
    second = registry.hint("secretive", tool.validate(later), payload=later, previous=hint)
    for made in (hint, second):
        without_choices = made._replace(fields=tuple(f._replace(allowed_values=None) for f in made.fields))
        assert SECRET not in made.render(5000).replace(SECRET + "x", "")
        assert SECRET not in repr(without_choices).replace(SECRET + "x", "")


# -- hints do not depend on each other ------------------------------------------------------------------------

_UNION = {"anyOf": [TEXT, WHOLE]}
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


@settings(max_examples=20, deadline=None)
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


@for_each(CASES)
def test_issues_of_another_payload_get_a_hint(schema: Any, payload: Any) -> None:
    tool = tool_of(schema)
    for _, other in CASES.values():
        assert said(tool, tool.validate(payload), other)
    keys = obj(closed=True, title=TEXT)
    unknown = tool_of(keys).validate({"Title": "a"})
    for sent in ({}, {"titel": "a"}, {"title": 5}, [], None):
        assert said(tool_of(keys), unknown, sent)
