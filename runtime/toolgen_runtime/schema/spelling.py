"""Compare different spellings of a name: `startDate`, `start-date`, `START_DATE`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

MAX_NAME = 64
"""Longer names are compared by their folded form only."""


def fold(name: str) -> str:
    """Return a name without case and separators.

    >>> {fold(name) for name in ("startDate", "start-date", "START_DATE")}
    {'startdate'}
    """
    if len(name) <= MAX_NAME:
        return _folded(name)
    return _folded.__wrapped__(name)


@lru_cache(maxsize=1024)
def _folded(name: str) -> str:
    folded = name.casefold()
    if folded.isalnum():
        return folded
    return "".join([c for c in folded if c.isalnum()]) or name


def same_key(name: str, names: Iterable[str]) -> str | None:
    """Return the only one of `names` that is `name` in some spelling, or None."""
    folded = fold(name)
    matches = [n for n in names if fold(n) == folded]
    if len(matches) == 1:
        return matches[0]
    return None
