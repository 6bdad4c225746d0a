"""Hints choose among readings: small cases that tell one choice from the next."""

from __future__ import annotations

from typing import Any

import pytest
from support import tool_of

from toolgen_runtime import Registry, RetryHint
from toolgen_runtime.hints.names import value_likeness

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}


def closed(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def hinted(schema: dict[str, Any], payload: Any, previous: RetryHint | None = None) -> RetryHint:
    registry, tool = Registry(), tool_of(schema)
    registry.register({tool.name: tool})
    return registry.hint(tool.name, tool.validate(payload), payload=payload, previous=previous)


CASES: dict[str, tuple[dict[str, Any], Any, str]] = {
    "midnight is 12 AM": (
        closed(["at"], at={**TEXT, "format": "time"}),
        {"at": "12:30 AM"},
        'at: "12:30 AM" is not a valid time: did you mean "00:30:00Z"?',
    ),
    "the name of a secret is no misspelling": (
        closed(["next_page"], next_page=TEXT), {"next_page_token": "x"}, "next_page (missing; string)\n",
    ),
    "one of three keys by its type": (
        closed(["n"], n=WHOLE, a=TEXT), {"x": "s", "y": [1], "w": 5}, 'n (missing; integer): rename "w" to "n"?',
    ),
    "none of four keys by its type": (
        closed(["n"], n=WHOLE, a=TEXT), {"x": "s", "y": [1], "z": True, "w": 1}, "n (missing; integer)\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_choice(case: str) -> None:
    schema, payload, said = CASES[case]
    assert said in hinted(schema, payload).render()


def test_the_same_mistake_in_another_item_is_another_problem() -> None:
    schema = closed(["rows"], rows={"type": "array", "items": closed(["q"], q=WHOLE)})
    first = hinted(schema, {"rows": [{"q": "x"}, {"q": 1}]})
    second = hinted(schema, {"rows": [{"q": 1}, {"q": "x"}]}, first)
    assert "1 fixed, 1 new" in second.render()


def test_a_value_with_words_more_is_nearer_than_one_with_a_like_word() -> None:
    assert value_likeness("the closed one", "closed") == 4
    assert value_likeness("the closing one", "closed") == 6
