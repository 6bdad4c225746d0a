"""Sets of code points, including those that ECMA-262 defines, as sorted, disjoint, inclusive ranges.

Source: ECMA-262 22.2.1 (CharacterClassEscape, Dot), 12.2 (WhiteSpace), 12.3 (LineTerminator).
"""

from __future__ import annotations

from collections.abc import Iterable

Ranges = tuple[tuple[int, int], ...]

LAST_CODE_POINT = 0x10FFFF
SURROGATES = (0xD800, 0xDFFF)


def union(*sets: Iterable[tuple[int, int]]) -> Ranges:
    """Return the union of several sets, whose ranges may be unsorted and overlap."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(r for ranges in sets for r in ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    """Return the code points that are not in the set."""
    gaps: list[tuple[int, int]] = []
    start = 0
    for low, high in ranges:
        if start < low:
            gaps.append((start, low - 1))
        start = high + 1
    if start <= LAST_CODE_POINT:
        gaps.append((start, LAST_CODE_POINT))
    return tuple(gaps)


def without_surrogates(ranges: Ranges) -> Ranges:
    """Return a set without surrogates, which are not Unicode scalar values."""
    return complement(union(complement(ranges), (SURROGATES,)))


def single(code: int) -> Ranges:
    """Return the set that contains one code point."""
    return ((code, code),)


def only_code(ranges: Ranges) -> int | None:
    """Return the code point of a set that has exactly one; otherwise return None."""
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return ranges[0][0]
    return None


EVERYTHING: Ranges = ((0, LAST_CODE_POINT),)
DIGIT: Ranges = ((0x30, 0x39),)
WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
LINE_END: Ranges = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
_SPACE_SEPARATOR: Ranges = (
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
)
SPACE: Ranges = union(((0x09, 0x0D), (0xFEFF, 0xFEFF)), LINE_END, _SPACE_SEPARATOR)
DOT: Ranges = complement(LINE_END)

CLASS_ESCAPES: dict[str, Ranges] = {
    "d": DIGIT,
    "D": complement(DIGIT),
    "s": SPACE,
    "S": complement(SPACE),
    "w": WORD,
    "W": complement(WORD),
}
"""The code points that `\\d`, `\\D` and so on match."""
