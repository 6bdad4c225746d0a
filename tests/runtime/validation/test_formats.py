"""The `format` predicates: the official suite, what it leaves open, and what must hold for any text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.support import SUITE, for_each, for_each_at_once, needs_suite, python, read_json, table
from hypothesis import given, strategies as st

from toolgen_runtime.validation.formats import FORMATS, format_check
from toolgen_runtime.validation.formats.dates import is_date
from toolgen_runtime.validation.formats.samples import FORMAT_SAMPLES

SUITE_FILES = sorted(SUITE.glob("tests/draft*/optional/format/*.json"))


def _wrong(path: Path) -> list[str]:
    wrong = []
    for group in read_json(path):
        name = group["schema"]["format"]
        check = format_check(name) if name in FORMATS else lambda _text: True
        for test in group["tests"]:
            if isinstance(test["data"], str) and bool(check(test["data"])) is not test["valid"]:
                wrong.append(test["description"])
    return wrong


@needs_suite
def test_the_suite_covers_every_format() -> None:
    assert {path.stem for path in SUITE_FILES} - {"unknown", "ecmascript-regex"} == FORMATS


@for_each_at_once(SUITE_FILES)
def test_official_suite(path: Any) -> None:
    assert _wrong(path) == []


TABLE: dict[str, dict[str, list[str]]] = table("formats.json")
"""Where the suite is silent: format -> valid and invalid strings."""

A191 = ".".join(["a" * 63] * 3)
LONG = [
    ("email", "a" * 64 + "@" + ".".join(["b" * 63] * 2 + ["b" * 61]), True),
    ("email", "a" * 65 + "@b", False),
    ("email", "a@" + "b" * 253, False),
    ("idn-email", "\u00e9" * 32 + "@a", True),
    ("idn-email", "\u00e9" * 33 + "@a", False),
    ("idn-hostname", "a" * 53 + f".{A191}.\u00fc", True),
    ("idn-hostname", "a" * 54 + f".{A191}.\u00fc", False),
    ("regex", "(" * 5000 + ")" * 5000, True),
]
"""(format, string, verdict), at the limits of length and beyond any depth."""


SHORT = [
    (name, text, verdict == "valid")
    for name, verdicts in TABLE.items()
    for verdict, texts in verdicts.items()
    for text in texts
]


def test_the_table_speaks_of_every_format() -> None:
    assert {name for name, verdicts in TABLE.items() if all(verdicts.values())} == FORMATS


def test_each_format_has_samples_and_all_are_valid() -> None:
    assert FORMAT_SAMPLES.keys() >= FORMATS
    assert [text for name in FORMATS for text in FORMAT_SAMPLES[name] if not format_check(name)(text)] == []


@for_each_at_once([*SHORT, *LONG])
def test_where_the_suite_is_silent(name: Any, text: Any, valid: Any) -> None:
    assert bool(format_check(name)(text)) is valid


@for_each(["byte", "float", "", "color", "host-name", "Date"])
def test_unknown_names_are_key_errors(name: str) -> None:
    with pytest.raises(KeyError):
        format_check(name)


def test_looking_up_loads_nothing() -> None:
    code = (
        "import sys, toolgen_runtime.validation.issues; before = set(sys.modules)\n"
        "from toolgen_runtime.validation.formats import FORMATS, format_check\n"
        "for name in FORMATS: format_check(name)\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = python("-c", code).stdout
    assert loaded.split() == ["toolgen_runtime.validation.formats", "toolgen_runtime.validation.patterns"]


def test_a_module_calls_the_predicate_itself_after_the_first_call() -> None:
    module: dict[str, Any] = {"format_check": format_check}
    code = 'IS_DATE = ALIAS = format_check("date")\ndef check(text): return IS_DATE(text)'
    exec(code, module)
    stand_in = module["IS_DATE"]
    assert module["check"]("2020-02-29")
    assert not module["check"]("2021-02-29")
    assert module["IS_DATE"] is module["ALIAS"] is is_date
    assert stand_in("2020-02-29")
    assert not stand_in("2021-02-29")


# What the grammars are made of, so that random texts come near to them.
_PIECES = (
    "0 1 9 a z A - + . : / ? # [ ] @ % %41 ~ ~0 { } ( ) \\ \\u{61} * | ^ $ \" ' , ; = ! T Z P D é \u0661 \u200c \u200d "
    "\u00b7 \u30fb \u05d0 \u0628 \u0915 \u094d \ud800 😀 \n xn-- 2020-02-29 23:59:60 ::1 (?<a> \\p{L} [a-z]"
)
PIECES = st.sampled_from(_PIECES.split(" "))
TEXTS = st.text() | st.lists(PIECES, max_size=12).map("".join)


@given(TEXTS)
def test_any_text_has_a_verdict(text: str) -> None:
    for name in FORMATS:
        format_check(name)(text)
