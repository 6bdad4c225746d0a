"""Patterns that generated checks tell without a regular expression say the same; the goldens show what stands there."""

from __future__ import annotations

from hypothesis import example, given, settings, strategies as st

from toolgen import compile_tools
from toolgen.compiler.patterns.translate import translate
from toolgen.compiler.patterns.without_regex import plain
from toolgen_runtime.validation.patterns import compile_pattern

_CLASSES = [
    *("[a-z]", "[A-Z]", "[0-9]", r"\d", r"\w", "[A-Za-z]", "[A-Za-z0-9]", "[a-z-]", "[a-zß]"),
    *("[^a]", r"[\s\S]", ".", r"\S", "[]", "[^]", "é", "😀", r"\ud83d"),
]
_QUANTIFIERS = ["", "*", "+", "?", "{2}", "{0,3}", "{0}", "{1,}", "{2,}", "{1,40}", "{40}", "+?"]
_runs = st.tuples(st.sampled_from(_CLASSES), st.sampled_from(_QUANTIFIERS)).map("".join)
_pieces = st.sampled_from(
    ["a", "b", "ab", "", r"\.", "[ab]", "a?", "(?:a|b|)", "é", "😀", "A{2}", "(1)", "$", "^"]
)
_words = st.lists(_pieces, max_size=4).map("".join)
_bodies = _runs | _words | st.lists(_words, max_size=3).map(lambda options: f"(?:{'|'.join(options)})")
_patterns = st.tuples(st.sampled_from(["^", ""]), _bodies, st.sampled_from(["$", ""])).map("".join)
_chars = st.sampled_from("abzAZ059-_. \n\u2028é😀\ud83d\ude00ß²٣ªǅ")
_texts = st.text(_chars, max_size=6) | st.tuples(_chars, st.integers(1, 42)).map(
    lambda pair: pair[0] * pair[1]
)


@given(_patterns, st.lists(_texts, min_size=1, max_size=8))
@example("^[A-Za-z]+$", ["ª", "ß", "ǅ", "a\n"])
@example(r"^\d{2}$", ["٣٣", "²²", "12\n", "12"])
@settings(max_examples=50, deadline=None)
def test_the_condition_says_what_the_pattern_says(pattern: str, texts: list[str]) -> None:
    translated = translate(pattern)
    search = compile_pattern(translated.searches[0].text, translated.searches[0].engine)
    tools = compile_tools([{"name": "t", "schema": {"type": "string", "pattern": pattern}}])
    for text in ["", *texts]:
        assert (tools["t"].validate(text) == []) is bool(search(text)), text


def test_nothing_grows_with_the_bounds_of_a_pattern() -> None:
    assert plain("^(?:ab){99999999}$") is None
    assert plain("^" + "[01]" * 5_000 + "$") is None
    assert plain("^[^a]+$") is None
