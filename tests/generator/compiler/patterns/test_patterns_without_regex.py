"""Patterns that generated checks tell without a regular expression: what stands there, and that it says the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.support import TEST_DATA
from hypothesis import example, given, settings, strategies as st

from toolgen import compile_tools
from toolgen.compiler.codegen.body import Body
from toolgen.compiler.codegen.code import Code
from toolgen.compiler.codegen.module import Module
from toolgen.compiler.keywords.matching import mismatches
from toolgen.compiler.patterns.translate import translate
from toolgen.compiler.patterns.without_regex import plain
from toolgen_runtime.validation.patterns import compile_pattern

MATCHES: list[dict[str, Any]] = json.loads((TEST_DATA / "patterns" / "matches.json").read_text())


def condition(pattern: str) -> str:
    return mismatches(Body(Module(()), Code("v")), pattern, Code("v"), "id").text


@pytest.mark.parametrize(
    ("pattern", "mismatch"),
    [
        ("^abc$", 'v != "abc"'),
        ("^(a|b|[cd])$", 'v not in {"a", "b", "c", "d"}'),
        ("^$", 'v != ""'),
        ("^https?://.*", 'not v.startswith(("http://", "https://"))'),
        (r".+\.json$", None),  # something must stand before it
        (r".*\.json$", 'not v.endswith(".json")'),
        ("a5b", '"a5b" not in v'),
        ("foo|bar", '"bar" not in v and "foo" not in v'),
        (".*", "False"),
        ("^", "False"),
        ("^[A-Z]{2,3}$", None),
        ("^[a-c]+$", 'v == "" or v.strip("abc") != ""'),
        ("^[a-c]*$", 'v.strip("abc") != ""'),
        ("^[a-c]{2,}$", None),
        ("^[^a-c]+$", None),
        ("^[a-cé]+$", None),
        ("[a-z]+$", None),
        ("^yes|no$", None),
        ("[]", None),
        ("^(?:a{30}){30}$", None),
        ("^(?:(?:(?:|){400}){400}){400}$", 'v != ""'),
    ],
)
def test_what_stands_in_generated_code(pattern: str, mismatch: str | None) -> None:
    assert condition(pattern) == (mismatch or "not _PATTERN_ID(v)")


def test_the_table_of_meanings() -> None:
    schemas = [{"type": "string", "pattern": row["pattern"]} for row in MATCHES]
    specs = [{"name": f"t{n}", "schema": schema} for n, schema in enumerate(schemas)]
    tools = compile_tools(specs, slow_patterns="allow")
    tried = [(n, row, text) for n, row in enumerate(MATCHES) for text in row["yes"] + row["no"]]
    taken = {(row["pattern"], text): tools[f"t{n}"].validate(text) == [] for n, row, text in tried}
    assert taken == {(row["pattern"], text): text in row["yes"] for _, row, text in tried}


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
        assert (tools["t"].validate(text) == []) is bool(search(text)), (condition(pattern), text)


def test_nothing_grows_with_the_bounds_of_a_pattern() -> None:
    assert plain("^(?:ab){99999999}$") is None
    assert plain("^" + "[01]" * 5_000 + "$") is None
