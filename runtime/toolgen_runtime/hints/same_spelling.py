"""Decide whether two texts differ only in case, in separators and in the signs between words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from toolgen_runtime.schema.spelling import MAX_COMPARED_NAME, fold

_TOKEN = re.compile(
    r"(?<=[A-Za-z0-9])(?P<between>[\s_-]+(?=[A-Za-z])|(?:[\s_-]*[\s_]|(?<=\w\w)-)(?=[0-9]))"
    r"|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|.",
    re.DOTALL,
)
"""Matches a word, a number, a sign or what is between two words.

A minus after a space or a single letter is the sign of a number: `turn -90`, `T-1`.
"""
_SEPARATOR = re.compile(r"[\s_-]+")
_SIGNED = re.compile(r"[-+][0-9]")
_SHORT = 3
"""The length up to which case may carry the meaning of a text: `Mb` and `MB`, `Cm7` and `CM7`."""
_UNIT = re.compile(
    r"(?:[kmgtp]i?)?b(?:ps)?|k?cal(?:orie)?|hh|dd"
    r"|m(?:w|wh|hz|pa|g|m|s|v|a|l|j|n|ev|bq|bar|ohms?|ton(?:ne)?s?|watts?|volts?|joules?|hertz|grams?|lit(?:er|re)s?|met(?:er|re)s?|cal)",
    re.IGNORECASE,
)
"""Matches units that another case makes another unit: `MBps` and `Mbps`, `mW` and `MW`, `HH` and `hh`."""
_PLAIN_WORDS = re.compile(r"\w+(?:(?:\s+|-)\w+)*")
"""Matches words in which case has no meaning. It may have one in options, formulas, patterns and paths."""
_LETTERS = re.compile(r"[^\W\d_]+")
_SPACED = re.compile(r"[\s-]")


def same_words(a: str, b: str) -> bool:
    """Return whether two strings have the same words, numbers and signs, regardless of case and separators.

    The words must be split in the same way on both sides, because a separator inside a word is part of the word. Case
    matters in units, short symbols, and texts that do not consist of words alone.

    >>> same_words("PullRequest", "pull_request"), same_words("SEV-2", "SEV2"), same_words("KG", "kg")
    (True, True, True)
    >>> same_words("re-sign", "resign"), same_words("reSign", "resign"), same_words("O", "O-"), same_words("-d", "-D")
    (False, False, False, False)
    >>> same_words("5mW", "5MW"), same_words("CoCl2", "COCl2"), same_words("hh:mm", "HH:mm")
    (False, False, False)
    >>> same_words("rotate 90", "rotate_90"), same_words("rotate -90", "rotate_90")
    (True, False)
    """
    if max(len(a), len(b)) > MAX_COMPARED_NAME:
        return False
    left, right = _tokens(a), _tokens(b)
    if not _are_alike(left, right):
        if any(len(token) < _SHORT for token in (*left, *right)):
            return False  # `reSign` and `resign`, `5mW` and `5MW`
        left, right = _SEPARATOR.split(a.strip()), _SEPARATOR.split(b.strip())  # `GitHub` and `github`
    if left == right:
        return any(token.isalnum() for token in left)  # spaces around signs alone may be part of the text
    return _are_alike(left, right) and _has_plain_case(a, b, left, right)


def _has_plain_case(a: str, b: str, left: Sequence[str], right: Sequence[str]) -> bool:
    """Return whether the case of two texts has no meaning. `left` and `right` are their words."""
    if not all(_PLAIN_WORDS.fullmatch(text.strip()) for text in (a, b)):
        return False
    runs = zip(_LETTERS.findall(a), _LETTERS.findall(b), strict=False)
    if any(x != y and _UNIT.fullmatch(x) for x, y in runs):
        return False
    has_word = any(len(word) >= _SHORT for word in left if word.isalpha())
    pairs = [*zip(left, right, strict=True)]
    if _SPACED.search(a.strip()) and _has_one_word_in_capitals(pairs):
        return False
    return all(x == y or _is_same_in_any_case(x, y, has_word=has_word) for x, y in pairs)


def _has_one_word_in_capitals(pairs: Sequence[tuple[str, str]]) -> bool:
    """Return whether one text has only some words in capitals: in `ALL patients`, `ALL` is a leukemia."""
    is_changed = any(x != y and (x.isupper() or y.isupper()) for x, y in pairs)
    return is_changed and any(x == y and x.isalpha() for x, y in pairs)


def same_value(got: str, value: str, allowed: Sequence[Any]) -> bool:
    """Return whether a string is another spelling of this allowed value, and of no other.

    A minus before a number counts as a sign if any allowed value has a sign there: `UTC1` is not `UTC-1`.
    """
    if not same_words(got, value):
        return False
    texts = [v for v in allowed if type(v) is str]
    if bool(_SIGNED.search(got)) != bool(_SIGNED.search(value)) and any(map(_SIGNED.search, texts)):
        return False
    return [fold(v) for v in texts].count(fold(value)) == 1


def _tokens(text: str) -> list[str]:
    """Return the words, numbers and signs of a string, without the separators between words."""
    return [m[0] for m in _TOKEN.finditer(text.strip()) if m["between"] is None]


def _are_alike(left: Sequence[str], right: Sequence[str]) -> bool:
    return [word.casefold() for word in left] == [word.casefold() for word in right]


def _is_same_in_any_case(x: str, y: str, *, has_word: bool) -> bool:
    """Return whether the case of a word has no meaning. `has_word` tells whether the text has a longer word, too."""
    if len(x) < 2 or _UNIT.fullmatch(x):
        return False
    is_uniform = all(text.isupper() or text.islower() for text in (x, y))
    return has_word or is_uniform
