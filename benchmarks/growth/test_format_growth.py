"""A format is judged in time that grows with the length of the text."""

from __future__ import annotations

import time

import pytest
from helpers.support import no_collection, slowness

from toolgen_runtime.validation.formats import FORMATS, format_check

_HOSTILE = (
    '1 a - . : / ~0 ~ %41 %4 @ \\ \\( ( [ [] [a (?<a (?<a> {a} {a, a. a@ a: :: \\1 a{1 {1,1} \\p{ é xn-- " '
    "\\u{0 1: \u0628\u200c //"
)


_PREFIXES = 'http:// http://[ P PT1 / { {a [ ( a@ " 1- 2020-01-01T00:00:00. xn--'


HOSTILE, PREFIXES = _HOSTILE.split(" "), ["", *_PREFIXES.split(" ")]


def _slow(size: int, seconds: float, prefixes: list[str]) -> list[tuple[str, str, str]]:
    slow = []
    for name in sorted(FORMATS):
        check = format_check(name)
        for piece in HOSTILE:
            for prefix in prefixes:
                text = prefix + piece * (size // len(piece)) + "\x00"
                with no_collection():
                    start = time.process_time()
                    check(text)
                    taken = time.process_time() - start
                if taken > seconds * slowness():
                    slow.append((name, prefix, piece))
    return slow


def test_time_is_linear() -> None:
    # A step of a nanosecond for each pair of characters would take 0.4 seconds.
    assert _slow(20_000, 0.2, PREFIXES[::3]) == []


@pytest.mark.long
def test_time_is_linear_in_a_megabyte() -> None:
    assert _slow(1_000_000, 10.0, [""]) == []
