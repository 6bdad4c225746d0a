"""Patterns of strangers on texts of strangers: quick, or refused when they are built.

A choice among words may have hundreds of thousands of characters, other patterns may not.
"""

from __future__ import annotations

import random
import warnings
from functools import cache
from typing import Any

import pytest
from helpers.hostile_patterns import AROUND, COUNTED, PATTERNS, texts
from helpers.support import bounded, for_each, tool_of

from toolgen import SpecError
from toolgen.compiler.patterns import translate
from toolgen_runtime import Tool


def built(pattern: str) -> Tool[Any] | str:
    """The tool, or the code of the refusal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `heavy-pattern`
        try:
            return tool_of({"pattern": pattern})
        except SpecError as error:
            return error.diagnostics[0].code


@for_each(PATTERNS)
def test_a_pattern_is_quick_or_refused(pattern: str) -> None:
    """16 texts of 100,000 characters. What backtracks takes hours for each.

    Lookarounds within others are run by an automaton in Python, at a microsecond a character: half of that for them.
    """
    with bounded(2):
        tool = built(pattern)
        if isinstance(tool, str):
            assert (tool, pattern in (*AROUND, *COUNTED)) == ("slow-pattern", True)
        else:
            for text in texts(50_000 if pattern in AROUND else 100_000):
                tool.validate(text)


@cache
def words(total: int, length: int) -> tuple[str, ...]:
    """Different words, with `|` between them about `total` characters."""
    rng, letters = random.Random(5), "abcdefghijklmnopqrstuvwxyz-_"
    return tuple({"".join(rng.choices(letters, k=length)): None for _ in range(total // (length + 1))})


WAYS = {
    "^(%s)$": ("%s", "%sx"),
    r"^ms\.(%s)/x$": ("ms.%s/x", "ms-%s/x"),
    "%s": ("!%s!", "!"),
    "^((?:%s)|(yy!|zz!))$": ("%s", "%sx"),
}
"""How the words stand in the pattern, what it matches for a word, and what not."""


@pytest.mark.parametrize("way", WAYS)
def test_a_choice_among_words_may_be_long(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the first is longer than the real limit; for the others the limit is a fourth of it."""
    is_first = way == next(iter(WAYS))
    if not is_first:
        monkeypatch.setattr(translate, "MAX_PATTERN", 5_000)
    listed = words(46_277 if is_first else 5_300, 12)
    schema = {"type": "string", "pattern": way % "|".join(listed)}
    assert len(schema["pattern"]) > translate.MAX_PATTERN
    good, bad = WAYS[way]
    with bounded(30):
        tool = tool_of(schema)
        for word in (listed[0], listed[-1]):
            assert tool.validate(good.replace("%s", word)) == []
            assert tool.validate(bad.replace("%s", word)) != []
    with bounded(1):
        for hostile in (listed[-1][:-1] * 20_000, "a" * 200_000, listed[-1] + "!" * 200_000):
            tool.validate(hostile)


@for_each(
    [
        *("a+b*" * 9_000, "^" + "(a|a)" * 9_000 + "$", f"^({'|'.join(words(46_277, 6))})+$"),
        *("(?=a)" * 9_000, "\\p{L}" * 9_000, "^" + "a?" * 20_000 + "b$"),
        "|".join(words(600_000, 20)),
    ],
    ids=lambda pattern: pattern[:12],
)
def test_other_long_patterns_are_refused(pattern: str) -> None:
    with bounded(20), pytest.raises(SpecError) as failure:
        tool_of({"pattern": pattern})
    assert [d.code for d in failure.value.diagnostics] == ["invalid-pattern"]


def test_a_long_pattern_that_is_none_is_named_for_that() -> None:
    with pytest.raises(SpecError) as failure:
        tool_of({"pattern": "a|" * 20_000 + "("})
    (diagnostic,) = failure.value.diagnostics
    assert "cannot be run" in diagnostic.message
