"""Patterns: translation, both engines, the official suite, real specs, and time bounds."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from helpers.hostile_patterns import engine_texts, verdicts
from helpers.support import for_each, for_each_at_once, table

from toolgen.compiler.patterns.parser import MAX_GROUP_DEPTH
from toolgen.compiler.patterns.translate import (
    PatternError,
    Translated,
    UnsupportedPattern,
    translate,
)
from toolgen_runtime.validation.lookarounds import MAX_KNOWN
from toolgen_runtime.validation.patterns import compile_pattern

MATCHES, ERRORS = table("patterns/matches.json"), table("patterns/errors.json")


def matches(translated: Translated, text: str) -> bool:
    return bool(translated.matcher()(text))


# -- what a pattern means ----------------------------------------------------------------------


@for_each_at_once(MATCHES)
def test_the_table_of_meanings(row: Any) -> None:
    translated = translate(row["pattern"])
    assert {text: matches(translated, text) for text in row["yes"]} == dict.fromkeys(row["yes"], True)
    assert {text: matches(translated, text) for text in row["no"]} == dict.fromkeys(row["no"], False)
    if row["about"] != "surrogates":  # which Rust has not
        for text in row["yes"] + row["no"]:
            assert set(verdicts(row["pattern"], text).values()) == {text in row["yes"]}, text


@for_each_at_once(ERRORS)
def test_the_table_of_errors(row: Any) -> None:
    with pytest.raises(PatternError) as caught:
        translate(row["pattern"])
    assert isinstance(caught.value, UnsupportedPattern) == (row["kind"] == "unsupported")
    if row["position"] is not None:
        assert caught.value.position == row["position"]
    assert f"(at character {caught.value.position})" in str(caught.value)


@for_each(table("patterns/engines.json"))
def test_the_choice_of_engine(pattern: str, engine: str, linear: bool) -> None:
    translated = translate(pattern)
    assert " ".join(search.engine for search in translated.searches) == engine
    assert translated.linear == linear


def test_hostile_patterns_are_refused_quietly() -> None:
    nested = translate("(" * MAX_GROUP_DEPTH + "a" + ")*" * (MAX_GROUP_DEPTH - 1) + ")+b")
    assert matches(nested, "aaab")
    with pytest.raises(UnsupportedPattern, match="nest"):
        translate("(?:" * 100_000)
    with pytest.raises(UnsupportedPattern, match="bound"):
        translate("a{" + "9" * 5_000 + "}")
    with pytest.raises(PatternError, match="backreference"):
        translate("\\" + "9" * 5_000)


# -- run time ----------------------------------------------------------------------------------


class Name(str):
    __slots__ = ()


@for_each(["python", "rust", "automata"])
def test_any_string_is_taken(engine: Literal["python", "rust", "automata"]) -> None:
    search = compile_pattern(engine_texts("^[a-z]+.?b")[engine], engine)
    assert search(Name("ab"))
    assert search("a\ud800b")
    assert not search("\udfffab")
    assert not search(Name("\ud800"))


def test_automata_forget_characters_and_steps() -> None:
    """A text may have more different characters, and automata more steps, than are remembered."""
    search = compile_pattern(engine_texts("(?=.*a{1,40}!)(?<=x.*)b")["automata"], "automata")
    others = "".join(map(chr, range(0x4E00, 0x4E00 + MAX_KNOWN + 1)))
    for _ in range(2):
        assert search(f"{others}x{others}ba!")
        assert not search(f"{others}x{others}b!")


# -- the official suite and real specs ---------------------------------------------------------
