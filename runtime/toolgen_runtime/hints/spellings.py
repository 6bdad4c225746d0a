"""Whether two texts are one name or value in two spellings: case, and `-`, `_` and blanks between words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from toolgen_runtime.schema.spelling import MAX_NAME

_TOKEN = re.compile(
    r"(?<=[A-Za-z0-9])(?P<between>[\s_-]+)(?=[A-Za-z0-9])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|.", re.DOTALL
)
_SIGNED = re.compile(r"[-+][0-9]")
_SHORT = 3
"""Letters up to which case may be all that a text says: `Mb` and `MB`, `Cm7` and `CM7`."""


def same_words(a: str, b: str) -> bool:
    """Return whether two texts have the same words, numbers and signs, in whatever case and with whatever between.

    Words may be joined on one side, not cut at another place; case is no noise in single letters and short signs.

    >>> same_words("PullRequest", "pull_request"), same_words("filepath", "filePath"), same_words("KG", "kg")
    (True, True, True)
    >>> same_words("O", "O-"), same_words("users_id", "user_sid"), same_words("MPa", "mPa"), same_words("-d", "-D")
    (False, False, False, False)
    """
    if max(len(a), len(b)) > MAX_NAME:
        return False
    left, right = _runs(a), _runs(b)
    if len(left) != len(right):
        return False
    letters = sum(len("".join(run)) for run in left if run[0][0].isalpha())
    return all(_same_run(x, y, letters) for x, y in zip(left, right, strict=True))


def same_value(got: str, value: str, allowed: Sequence[Any]) -> bool:
    """Return whether a text is an allowed value in another spelling, and no other value differs by as little.

    A minus before a number is a sign where the values have such: `UTC1` is not `UTC-1`.
    """
    if not same_words(got, value):
        return False
    if bool(_SIGNED.search(got)) != bool(_SIGNED.search(value)) and any(map(_has_sign, allowed)):
        return False
    bare = _bare(value)
    return sum(type(v) is str and _bare(v) == bare for v in allowed) == 1


def _has_sign(value: Any) -> bool:
    return type(value) is str and _SIGNED.search(value) is not None


def _bare(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _runs(text: str) -> list[list[str]]:
    """Return the words that follow each other, and each number and sign alone."""
    tokens = [m[0] for m in _TOKEN.finditer(text.strip()) if m["between"] is None]
    runs: list[list[str]] = []
    for is_word, group in groupby(tokens, key=lambda t: t[0].isascii() and t[0].isalpha()):
        words = [*group]
        runs += [words] if is_word else [[t] for t in words]
    return runs


def _same_run(left: list[str], right: list[str], letters: int) -> bool:
    a, b = "".join(left), "".join(right)
    if min(len(left), len(right)) > 1 and [*map(len, left)] != [*map(len, right)]:
        return False
    if a == b:
        return True
    if not a[0].isascii() or not a[0].isalpha() or a.casefold() != b.casefold():
        return False
    finer = left if len(left) >= len(right) else right
    return all(_is_noise(x, y, letters) for x, y in _slices(finer, a, b) if x != y)


def _slices(words: list[str], a: str, b: str) -> Iterator[tuple[str, str]]:
    at = 0
    for word in words:
        yield a[at : at + len(word)], b[at : at + len(word)]
        at += len(word)


def _is_noise(x: str, y: str, letters: int) -> bool:
    """Return whether the case of a word says nothing."""
    if len(x) < 2:
        return False
    uniform = all(t.isupper() or t.islower() for t in (x, y))
    return len(x) >= _SHORT or letters > _SHORT or uniform
