"""What holds for every hint, whatever the payload and the schema: budget, one line, short echoes, no secrets."""

from __future__ import annotations

import json
from typing import Any

from hint_strategies import bare_tool, issues, schemas, values
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgen import compile_tools
from toolgen_runtime import MISSING, Registry, ValidationIssue, build_hint

QUICK = settings(max_examples=150, deadline=None)
SECRET = "hunter2-Zq9"


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
    hint = build_hint(tool, tool.validate(payload), payload=payload)
    shown = hint.render(5000) + json.dumps(hint.to_dict(), ensure_ascii=False)
    assert not any(text[i : i + 61] in shown for i in range(len(text) - 60))


SECRETIVE = {
    "type": "object",
    "properties": {
        "password": {"type": "string", "writeOnly": True, "minLength": 30},
        "pin": {"type": "integer", "writeOnly": True, "maximum": 0},
        "choice": {"enum": ["one", SECRET + "x"], "writeOnly": True},
        "keys": {
            "type": "array",
            "items": {"type": "string", "writeOnly": True, "pattern": "^k"},
            "uniqueItems": True,
        },
        "login": {
            "type": "object",
            "properties": {"token": {"type": "string", "writeOnly": True, "format": "uuid"}},
        },
        "vault": {"type": "object", "writeOnly": True, "properties": {"pin": {"type": "integer"}}},
        "by": {
            "oneOf": [
                {
                    "type": "object",
                    "properties": {"kind": {"const": "a"}, "key": {"writeOnly": True, "const": 1}},
                },
                {"type": "object", "properties": {"kind": {"const": "b"}, "key": {"type": "integer"}}},
            ]
        },
        "tagged": {
            "oneOf": [
                {
                    "type": "object",
                    "properties": {"t": {"const": "a", "writeOnly": True}, "n": {"type": "integer"}},
                },
                {"type": "object", "properties": {"t": {"const": "b"}, "n": {"type": "string"}}},
            ]
        },
    },
    "additionalProperties": False,
}
EVERYTHING = compile_tools(
    [
        {"name": "secretive", "description": "", "schema": SECRETIVE},
        {
            "name": "everything",
            "description": "",
            "schema": {
                "type": "object",
                "properties": {
                    "s": {"type": "string", "maxLength": 3},
                    "n": {"type": "integer"},
                    "e": {"enum": ["low", "high"]},
                    "l": {"type": "array", "items": {"type": "string"}},
                    "o": {"type": "object"},
                    "p": {"type": "string", "pattern": "^a{3}$"},
                },
                "required": ["s"],
                "additionalProperties": False,
            },
        },
    ]
)

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
def test_no_secret_is_ever_shown(payload: dict[str, Any], later: dict[str, Any]) -> None:
    registry = Registry()
    registry.register(EVERYTHING)
    tool = EVERYTHING["secretive"]
    hint = registry.hint("secretive", tool.validate(payload), payload=payload)
    second = registry.hint("secretive", tool.validate(later), payload=later, previous=hint)
    for made in (hint, second):
        without_choices = made._replace(fields=tuple(f._replace(allowed_values=None) for f in made.fields))
        assert SECRET not in made.render(5000).replace(SECRET + "x", "")
        assert SECRET not in repr(without_choices).replace(SECRET + "x", "")
