"""Patterns of property names that exclude each other, and checks that ask no more than one of them."""

from __future__ import annotations

from itertools import product

import pytest
from support import tool_of

from toolgen.keywords.exclusive import are_exclusive

EXCLUSIVE = [
    ("^x-", "^[a-z_]+$"),
    ("^x-", "^y-"),
    ("^(a|b)$", "^c"),
    ("^[a-z]+$", "^[A-Z]*$"),
    ("-", "^[a-z]+$"),
    ("-$", "^[a-z]*$"),
    ("^a", "^b", "^c"),
]
TOGETHER = [
    ("^x-", "^x"),
    ("^x", "^x-y$"),
    ("^ab$", "^a"),
    ("^a", "^[a-z]+$"),
    ("^[a-z]*$", "^[A-Z]*$"),
    ("^[a-z]+$", "^[x-z0-9]+$"),
    ("a", "b"),
    ("^a", "b$"),
    ("^a", ""),
    ("^(a|)$", "^[b-z]*$"),
    ("^a", "^b", "^bc"),
    ("^a.*b", "^c"),
]
TEXTS = ["".join(letters) for n in range(4) for letters in product("abxyzABC-_0", repeat=n)]


@pytest.mark.parametrize("patterns", EXCLUSIVE)
def test_patterns_without_a_common_text_are_exclusive(patterns: tuple[str, ...]) -> None:
    assert are_exclusive(patterns)
    assert are_exclusive(patterns[::-1])


@pytest.mark.parametrize("patterns", TOGETHER)
def test_patterns_that_may_have_one_are_not(patterns: tuple[str, ...]) -> None:
    assert not are_exclusive(patterns)
    assert not are_exclusive(patterns[::-1])


def test_long_lists_of_patterns_are_not_compared() -> None:
    assert not are_exclusive([f"^{number:04}$" for number in range(1_000)])


@pytest.mark.parametrize("patterns", EXCLUSIVE + TOGETHER)
@pytest.mark.parametrize("closed", [True, False])
def test_each_key_has_the_issues_of_every_pattern_that_it_matches(
    patterns: tuple[str, ...], closed: bool
) -> None:
    """Beside checks that have one pattern each."""
    schemas = {
        pattern: {"type": kind}
        for pattern, kind in zip(patterns, ("integer", "string", "array"), strict=False)
    }
    together = {"type": "object", "properties": {"b": {}}, "patternProperties": schemas}
    tool = tool_of({**together, "additionalProperties": False} if closed else together)
    alone = [tool_of({"type": "object", "patternProperties": {p: s}}) for p, s in schemas.items()]
    matching = [tool_of({"type": "object", "patternProperties": {p: False}}) for p in schemas]
    for text in TEXTS:
        payload = {text: None}
        expected = [(issue.path, issue.expected) for one in alone for issue in one.validate(payload)]
        is_named = text == "b" or any(one.validate(payload) for one in matching)
        expected += [] if is_named or not closed else [((text,), False)]
        assert [(issue.path, issue.expected) for issue in tool.validate(payload)] == expected, text


def test_keys_that_are_no_strings_match_no_pattern() -> None:
    tool = tool_of(
        {"type": "object", "patternProperties": {"^x-": {}, "^[a-z]+$": {}}, "additionalProperties": False}
    )
    assert [issue.path for issue in tool.validate({"x-a": 1, "b": 2, 7: 3, "": 4})] == [(7,), ("",)]
