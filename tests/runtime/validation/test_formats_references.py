"""The `format` predicates that are more than one pattern say what jsonschema-rs says."""

from __future__ import annotations

import re

import jsonschema_rs
import pytest
from helpers.support import table
from hypothesis import given, strategies as st

from toolgen_runtime.validation.formats import format_check

TABLE: dict[str, dict[str, list[str]]] = table("formats.json")
_PIECES = (
    "0 1 2 3 5 6 9 00 24 a f g z A Z - + . , : / ? # [ ] @ % %41 %4 ~ ~0 ~2 { } ( ) \\ ; = T t D M H W S Y "
    'é ٣ \n \x00 -- .. 02-29 02-30 24:00:00 Z .5Z +23:59 :: ::1 1.2.3.4 256 // user@ v1.x " * 1:2'
)
_edits = st.tuples(st.integers(0, 60), st.integers(0, 4), st.sampled_from(["", *_PIECES.split(" ")]))
GOOD = {
    "date": ["2024-05-15", "2024-02-29", "2023-12-31", "0000-02-29"],
    "date-time": ["2024-05-15T12:34:56Z", "2024-05-15T12:34:56.123Z", "2024-05-15T12:34:56+02:00"],
    "ipv4": ["192.168.100.21", "255.255.255.255"],
    "ipv6": ["2001:db8::ff00:42:8329", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:7::"],
    "time": ["12:34:56Z", "12:34:56.123+02:00", "15:59:59-08:00"],
    "uri": [
        *("https://www.example.com/a/b?c=d#e", "http://u:p@[::1]:80/%41", "http://a:80", "urn:a:b"),
        "a://b@c:1/",
    ],
    "uri-reference": ["/a/b?c=d", "//u@h:1/x", "a/b:c", "http://a:b@c"],
}
DIGITS_OF_A_TIME = re.compile(
    r"(?!.*:60)([0-9]{4}(-[0-9]{2}){2})?[Tt]?([0-9]{2}(:[0-9]{2}){2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2}))?"
)
"""Of other texts jsonschema-rs takes some for times: `2*24-05-15`, and a second 60 in any minute."""


def edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    for at, cut, piece in edits:
        at %= len(text) + 1
        text = text[:at] + piece + text[at + cut :]
    return text


@pytest.mark.parametrize("name", GOOD)
def test_the_predicate_says_what_jsonschema_rs_says(name: str) -> None:
    check, other = format_check(name), jsonschema_rs.validator_for({"format": name}, validate_formats=True)
    seeds = [*GOOD[name], *TABLE[name]["valid"], *(t for t in TABLE[name]["invalid"] if "\ud800" not in t)]

    @given(st.builds(edited, st.sampled_from(seeds), st.lists(_edits, max_size=3)))
    def agree(text: str) -> None:
        if name not in ("date", "date-time", "time") or DIGITS_OF_A_TIME.fullmatch(text):
            assert bool(check(text)) is other.is_valid(text), text

    assert all(map(check, GOOD[name]))
    agree()
