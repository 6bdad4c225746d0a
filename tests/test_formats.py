"""The `format` predicates: the official suite, what it leaves open, and what must hold for any text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgen_runtime.formats import FORMATS, format_check

SHARED = Path(os.environ.get("TOOLGEN_SHARED", Path(__file__).parents[2] / "shared"))
SUITE = SHARED / "data" / "JSON-Schema-Test-Suite" / "tests"
SUITE_FILES = sorted(SUITE.glob("draft*/optional/format/*.json"))

KNOWN_FAILURES: dict[tuple[str, str, str], str] = {}
"""(draft, file, description) -> reason and date; a test that passes must not stand here."""


def _suite_id(path: Path) -> str:
    return f"{path.parts[-4]}/{path.stem}"


def _wrong(path: Path) -> set[tuple[str, str, str]]:
    wrong = set()
    for group in json.loads(path.read_text("utf-8")):
        name = group["schema"]["format"]
        check = format_check(name) if name in FORMATS else lambda _text: True
        for test in group["tests"]:
            if isinstance(test["data"], str) and check(test["data"]) is not test["valid"]:
                wrong.add((path.parts[-4], path.stem, test["description"]))
    return wrong


@pytest.mark.skipif(not SUITE_FILES, reason="the official suite is not there (TOOLGEN_SHARED)")
def test_the_suite_covers_every_format() -> None:
    assert {path.stem for path in SUITE_FILES} - {"unknown", "ecmascript-regex"} == FORMATS


@pytest.mark.parametrize("path", SUITE_FILES, ids=_suite_id)
def test_official_suite(path: Path) -> None:
    known = {key for key in KNOWN_FAILURES if key[:2] == (path.parts[-4], path.stem)}
    assert _wrong(path) == known


A191 = ".".join(["a" * 63] * 3)
"""A host name that leaves little room."""

VALID: dict[str, list[str]] = {
    "date": ["0000-02-29", "2000-02-29", "9999-12-31"],
    "time": ["00:59:60+01:00", "12:00:00.000000000000000000001z"],
    "date-time": [
        "1985-04-12t23:20:50.52z",
        "2015-06-30T23:59:60Z",
        "2015-07-01T01:59:60+02:00",
        "2016-02-29T23:59:60Z",
        "2015-02-28T23:59:60Z",
        "2017-01-01T00:59:60+01:00",
        "2015-06-30T00:29:60-23:30",
    ],
    "duration": ["p1dt2h", "P0Y"],
    "email": [
        '""@a',
        r'"a\"b\@"@example.com',
        "a@b",
        "a@[IPV6:::ffff:1.2.3.4]",
        "a" * 64 + "@" + ".".join(["b" * 63] * 2 + ["b" * 61]),
    ],
    "idn-email": ["a@[127.0.0.1]", "é" * 32 + "@例え.jp", "A@EXAMPLE.com"],
    "hostname": ["1.2.3.4", "a", "ab--cd", "A-1.b-2", "XN--9N2BP8Q"],
    "idn-hostname": [
        "EXAMPLE.com",
        "faß.de",
        "xn--fa-hia.de",
        "a\u3002b",
        "\u0643\u0627.com",
        "a" * 53 + f".{A191}.ü",
    ],
    "ipv4": ["1.22.199.249"],
    "ipv6": ["1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::", "A::f", "64:ff9b::192.0.2.33"],
    "uri": [
        "a:",
        "a+.-1:b",
        "http:?#",
        "http://[v1F.a:b]:80",
        "http://u:p@h:",
        "file:///x",
        "x:/a//b",
        "a://",
    ],
    "uri-reference": ["//h", "a/b:c", "?a:b", "#:", "..", "/a:b", "//u@[::1]:1/?q#f"],
    "iri": ["http://ü.de/\U000e1000", "a:?\ue000\U0010fffd"],
    "iri-reference": ["é/:", "#é"],
    "uri-template": ["{a,b:3,c*}", "{a%41_.b}", "/x{?q*,lang}", "{=reserved}", "[é]"],
    "json-pointer": ["/", "//", "/~0~1/é\n"],
    "relative-json-pointer": ["0", "10#", "0-1", "0+1/foo", "1-0#"],
    "uuid": ["ffffffff-ffff-ffff-ffff-ffffffffffff"],
    "regex": [
        *(
            "",
            "|",
            "()",
            "(?:)",
            "a{2}?",
            "a{0,}",
            "a{1,99999999999999999999}",
            "[a-]",
            "[-a]",
            "[--a]",
            "[\\b-a]",
        ),
        *(
            "\\1(a)",
            "\\k<a>(?<a>x)",
            "(?<$a\u200d>x)",
            "(?<\\u{61}b>x)",
            "\\u{0000000061}",
            "\\ud83d",
            "[\\-]",
            "\\/",
        ),
        *(
            "[\\ud83d\\ude00-\\ud83d\\ude01]",
            "\\p{Lu}",
            "\\P{sc=Greek}",
            "\\p{scx=Grek}",
            "\\p{gc=digit}",
            "\\p{Any}",
        ),
        "(" * 5000 + ")" * 5000,
    ],
}

INVALID: dict[str, list[str]] = {
    "date": ["1900-02-29", "2023-02-30", "2023-06-31", "2023-00-10", "\uff12023-01-01"],
    "time": ["12:00:00.Z", "12:00:00+1:00", "12:00:00 Z", "00:59:60Z"],
    "date-time": [
        "1985-04-12 23:20:50Z",
        "1985-04-12T23:20:50",
        "2015-06-29T23:59:60Z",
        "2015-02-29T23:59:59Z",
        "2015-07-01T23:59:60+23:59",
        "2016-02-28T23:59:60Z",
        "2017-01-01T23:59:60Z",
    ],
    "duration": ["P1H", "P1W1D", "PT1M1H", "P1.5D", "P", "PT", "P1DT", "+P1D"],
    "email": [
        *(
            "a",
            "@",
            "a@",
            "a@-b",
            "a@b_c",
            "a@b..c",
            "a@b.",
            'a"b"@c',
            '"a@c',
            '"a"b@c',
            '"\n"@c',
            "é@c",
            "a@é",
        ),
        *("a@[1.2.3]", "a@[::1]", "a@[IPv6:1::2::3]", "a@[x:y]", "a" * 65 + "@b", "a@" + "b" * 253),
    ],
    "idn-email": ["\ud800@a", "é" * 33 + "@a", "a@\u302eb", "a@", "a@b c"],
    "hostname": ["a..b", "-a", "a-", "a b", "\uff41", "a" * 64, "xn--a", "xn--", "xn--\u00e9"],
    "idn-hostname": [
        "ab--cd",
        "ÄB",
        "a\u00adb",
        "1.\u05d0",
        "\u05d0.1",
        "xn--fa-",
        "a" * 54 + f".{A191}.ü",
    ],
    "ipv4": ["1.2.3.04", "1.2.3", "1.2.3.4.5", "1.2.3.4\n", "1.2.3.4 "],
    "ipv6": ["1:2:3:4:5:6:7", "1::2:3:4:5:6:7:8", "::1.2.3", "1.2.3.4::", ":::", "1:2:3:4:5:6:7:8:", "%1::"],
    "uri": [
        "",
        "a",
        ":a",
        "1a:b",
        "http://[::1",
        "http://[1.2.3.4]",
        "http://h:1:2",
        "a:%4",
        "a:\u00e9",
        "a:b\n",
        "x:[a]",
    ],
    "uri-reference": [":a", "a_b:c", "%", "//[::g]", "a b", "//h:p", "\ud800"],
    "iri": ["a:\ue000", "a:#\ue000", "a:\ud800", "a:\ufffe", "é:a"],
    "iri-reference": ["é:a", "\x7f", "<>"],
    "uri-template": ["{", "}", "{a b}", "{+}", "{a:}", "{a:1*}", "{.a.}", "%4", "\ud800", "{é}"],
    "json-pointer": ["a", "~", "/~", "/~2", "#/a"],
    "relative-json-pointer": ["", "/", "-1", "01", "0##", "0+", "0+01", "0#/a", "1a"],
    "uuid": ["{ffffffff-ffff-ffff-ffff-ffffffffffff}", "g" * 8 + "-ffff-ffff-ffff-ffffffffffff"],
    "regex": [
        *(
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            "a{,2}",
            "a{2,1}",
            "a{99999999999999999999,1}",
            "a**",
            "*a",
            "^*",
            "(?=a)*",
        ),
        *(
            "\\",
            "\\-",
            "\\a",
            "\\8",
            "\\00",
            "\\c1",
            "\\x4",
            "\\u00",
            "\\u{}",
            "\\u{110000}",
            "\\1",
            "\\2(a)",
            "\\k<a>",
        ),
        *(
            "[z-a]",
            "[\\d-a]",
            "[a-\\d]",
            "[\\1]",
            "[\\B]",
            "[\\k]",
            "[\\c]",
            "[a",
            "\\p{Greek}",
            "\\p{lu}",
            "\\pL",
            "\\p{",
        ),
        *(
            "(?<a>x)(?<a>y)",
            "(?<>x)",
            "(?<1>x)",
            "(?<a",
            "(?i:a)",
            "(?i)",
            "(?#a)",
            "[\\p{Foo}]",
            "\\p{ASCII=Y}",
        ),
    ],
}


def _rows(table: dict[str, list[str]]) -> list[Any]:
    return [
        pytest.param(name, text, id=f"{name}-{ascii(text)[:40]}")
        for name, texts in table.items()
        for text in texts
    ]


def test_the_tables_speak_of_every_format() -> None:
    assert set(VALID) == set(INVALID) == FORMATS


@pytest.mark.parametrize(("name", "text"), _rows(VALID))
def test_valid(name: str, text: str) -> None:
    assert format_check(name)(text) is True


@pytest.mark.parametrize(("name", "text"), _rows(INVALID))
def test_invalid(name: str, text: str) -> None:
    assert format_check(name)(text) is False


@pytest.mark.parametrize("name", ["byte", "float", "", "color", "host-name", "Date"])
def test_unknown_names_are_key_errors(name: str) -> None:
    with pytest.raises(KeyError):
        format_check(name)


def test_looking_up_loads_nothing() -> None:
    code = (
        "import sys, toolgen_runtime.issues; before = set(sys.modules)\n"
        "from toolgen_runtime.formats import FORMATS, format_check\n"
        "for name in FORMATS: format_check(name)\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert loaded.split() == ["toolgen_runtime.formats"]


# What the grammars are made of, so that random texts come near to them.
_PIECES = (
    "0 1 9 a z A - + . : / ? # [ ] @ % %41 ~ ~0 { } ( ) \\ \\u{61} * | ^ $ \" ' , ; = ! T Z P D é \u0661 \u200c \u200d "
    "\u00b7 \u30fb \u05d0 \u0628 \u0915 \u094d \ud800 😀 \n xn-- 2020-02-29 23:59:60 ::1 (?<a> \\p{L} [a-z]"
)
PIECES = st.sampled_from(_PIECES.split(" "))
TEXTS = st.text() | st.lists(PIECES, max_size=12).map("".join)


@given(TEXTS)
@settings(max_examples=1000, deadline=None)
def test_any_text_has_a_verdict(text: str) -> None:
    for name in FORMATS:
        assert format_check(name)(text) in (True, False), name


@given(TEXTS)
@settings(max_examples=500, deadline=None)
def test_wider_formats_hold_the_narrower(text: str) -> None:
    for narrow, wide in [
        ("uri", "uri-reference"),
        ("uri", "iri"),
        ("uri-reference", "iri-reference"),
        ("iri", "iri-reference"),
        ("ipv4", "hostname"),
    ]:
        assert not format_check(narrow)(text) or format_check(wide)(text), (narrow, wide)


HOSTILE = (
    *(
        "1",
        "a",
        "-",
        ".",
        ":",
        "/",
        "~0",
        "~",
        "%41",
        "%4",
        "@",
        "\\",
        "\\(",
        "(",
        "[",
        "[]",
        "[a",
        "(?<a",
        "(?<a>",
        "{a}",
    ),
    *(
        "{a,",
        "a.",
        "a@",
        "a:",
        "::",
        "\\1",
        "a{1",
        "{1,1}",
        "\\p{",
        "é",
        "xn--",
        '"',
        "\\u{0",
        "1:",
        "\u0628\u200c",
        "//",
    ),
)
PREFIXES = (
    "",
    "http://",
    "http://[",
    "P",
    "PT1",
    "/",
    "{",
    "{a",
    "[",
    "(",
    "a@",
    '"',
    "1-",
    "2020-01-01T00:00:00.",
    "xn--",
)


def _slow(size: int, seconds: float, prefixes: tuple[str, ...]) -> list[tuple[str, str, str]]:
    slow = []
    for name in sorted(FORMATS):
        check = format_check(name)
        for piece in HOSTILE:
            for prefix in prefixes:
                text = prefix + piece * (size // len(piece)) + "\x00"
                start = time.perf_counter()
                check(text)
                if time.perf_counter() - start > seconds:
                    slow.append((name, prefix, piece))
    return slow


def test_time_is_linear() -> None:
    # A step of a nanosecond for each pair of characters would take 2.5 seconds.
    assert _slow(50_000, 1.0, PREFIXES) == []


@pytest.mark.long
def test_time_is_linear_in_a_megabyte() -> None:
    assert _slow(1_000_000, 10.0, ("",)) == []
