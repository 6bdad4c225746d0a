"""Patterns of which no text matches two: then a key need not be held against the rest once one has matched."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from toolgen.patterns.charsets import overlap, single
from toolgen.patterns.without_regex import Run, Words, plain

_MOST_PATTERNS: Final = 20
"""Patterns up to which each is compared with each; they make one chain of `elif`, which Python takes only so long."""
_MOST_COMPARED: Final = 10_000
"""Pairs of words, or characters of words, up to which two patterns are compared."""


def are_exclusive(patterns: Sequence[str]) -> bool:
    """Return whether it is known that no text matches two of these patterns of ECMA-262."""
    if len(patterns) > _MOST_PATTERNS:
        return False
    forms = [plain(pattern) for pattern in patterns]
    return None not in forms and all(_exclude(one, other) for one, other in combinations(forms, 2))


def _exclude(one: Words | Run | None, other: Words | Run | None) -> bool:
    match one, other:
        case Run(), Run():
            return one.low + other.low > 0 and not overlap(one.chars, other.chars)
        case Words(), Run():
            return _excludes_run(one, other)
        case Run(), Words():
            return _excludes_run(other, one)
        case Words(), Words():
            return _exclude_words(one, other)
    return False


def _excludes_run(form: Words, run: Run) -> bool:
    """Return whether each word, which stands in the text wherever it is, has a character that the run has not."""
    if sum(map(len, form.words)) > _MOST_COMPARED:
        return False
    return all(any(not overlap(single(ord(c)), run.chars) for c in word) for word in form.words)


def _exclude_words(one: Words, other: Words) -> bool:
    """Return whether no text is or begins with a word of each."""
    if {one.place, other.place} - {"whole", "start"} or len(one.words) * len(other.words) > _MOST_COMPARED:
        return False
    return not any(
        a == b or (one.place == "start" and b.startswith(a)) or (other.place == "start" and a.startswith(b))
        for a in one.words
        for b in other.words
    )
