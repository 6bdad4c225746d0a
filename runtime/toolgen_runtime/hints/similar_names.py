"""How alike two names or values are, and whether they differ in spelling alone. Pure, bounded in time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from toolgen_runtime.hints.words import common_start, words_of
from toolgen_runtime.schema.spelling import MAX_NAME, fold

MAX_COMPARED = 200
"""Candidates up to which a text is compared with each; of more, with those that start as it does, and the first."""


def distance(a: str, b: str, limit: int) -> int:
    """Return the least number of insertions, deletions, replacements and swaps of neighbours, up to `limit + 1`.

    >>> distance("title", "titel", 2), distance("title", "name", 2)
    (1, 3)
    """
    if abs(len(a) - len(b)) > limit or max(len(a), len(b)) > MAX_NAME:
        return limit + 1
    if len(set(a).difference(b)) > limit or len(set(b).difference(a)) > limit:
        return limit + 1
    above: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if above and j > 1 and x == b[j - 2] and y == a[i - 2]:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        above, last = last, row
    return last[-1]


def _abbreviates(short: str, long: str) -> bool:
    """Return whether one is the other with letters left out (`qty`, `quantity`), first letter kept."""
    if len(short) < 3 or len(long) > MAX_NAME or short[0] != long[0]:
        return False
    if 3 * len(short) < len(long) and not long.startswith(short):
        return False  # Three letters are found in most long names.
    rest = iter(long)
    return all(c in rest for c in short)


def likeness(a: str, b: str) -> int | None:
    """Return how far apart two names are: 0 the same when folded, then rising; None where they are not alike.

    >>> likeness("dueDate", "due_date"), likeness("titel", "title"), likeness("qty", "quantity")
    (0, 1, 3)
    >>> likeness("name", "title") is None
    True
    """
    return _likeness(fold(a), fold(b))


def _likeness(x: str, y: str) -> int | None:
    """Return `likeness` of two folded names; longer ones are the same or not alike."""
    if x == y:
        return 0
    return _likeness_of_short(x, y) if max(len(x), len(y)) <= MAX_NAME else None


@lru_cache(maxsize=4096)
def _likeness_of_short(x: str, y: str) -> int | None:
    short, long = (x, y) if len(x) <= len(y) else (y, x)
    limit = 1 if len(short) < 6 else 2
    longer_by = len(long) - len(short)
    if len(short) > 2 and longer_by <= limit and (d := distance(x, y, limit)) <= limit:
        return d
    return 3 if longer_by and _abbreviates(short, long) else None


def nearest(name: str, candidates: Sequence[str], limit: int) -> list[str]:
    """Return the candidates that are like `name`, best first, then the others in their order; at most `limit`."""
    folded = fold(name)
    near = worth_comparing(name, candidates)
    scored = [(9 if (s := _likeness(folded, fold(c))) is None else s, i, c) for i, c in enumerate(near)]
    return [c for _, _, c in sorted(scored)[:limit]]


def worth_comparing(name: str, candidates: Sequence[Any]) -> Sequence[Any]:
    """Return the candidates to compare a text with: of very many, texts that start as it does, and the first."""
    if len(candidates) <= MAX_COMPARED:
        return candidates
    start = name[:2].casefold()
    alike = [c for c in candidates if type(c) is str and c[:2].casefold() == start]
    first = [c for c in candidates[:MAX_COMPARED] if type(c) is str]
    return [*dict.fromkeys((*alike[:MAX_COMPARED], *first))]


def value_likeness(got: str, value: Any) -> int | None:
    """Return `likeness` of a text and an allowed value, stems and single words included; None where they are not alike.

    >>> value_likeness("succeeded", "success"), value_likeness("text/html", "html"), value_likeness("a", "b")
    (5, 4, None)
    """
    if type(value) is not str or len(value) > MAX_NAME or len(got) > MAX_NAME:
        return None
    return _value_likeness(got, value)


@lru_cache(maxsize=4096)
def _value_likeness(got: str, value: str) -> int | None:
    spelt = likeness(got, value)
    if spelt is not None:
        return spelt
    left, right = set(words_of(got)), set(words_of(value))
    if left and right and (left < right or right < left):
        return 4
    alike = any(common_start(a, b) for a in left for b in right)
    return (5 if len(left) == len(right) == 1 else 6) if alike else None


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
