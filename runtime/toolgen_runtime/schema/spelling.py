"""Compare names that may differ in spelling only: `startDate`, `start-date`, `START_DATE`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

MAX_COMPARED_NAME = 64
"""The maximum length of a name that is compared in any way other than its folded form."""


def fold(name: str) -> str:
    """Return a name in a form that is the same for all its spellings, without case and separators.

    >>> {fold(name) for name in ("startDate", "start-date", "START_DATE")}
    {'startdate'}
    """
    if len(name) <= MAX_COMPARED_NAME:
        return _folded(name)
    return _folded.__wrapped__(name)


@lru_cache(maxsize=1024)
def _folded(name: str) -> str:
    folded = name.casefold()
    if folded.isalnum():
        return folded
    return "".join([c for c in folded if c.isalnum()]) or name


def same_key(name: str, names: Iterable[str]) -> str | None:
    """Return the only entry of `names` that is a spelling of `name`; None if there is none or more than one."""
    folded = fold(name)
    matches = [n for n in names if fold(n) == folded]
    if len(matches) == 1:
        return matches[0]
    return None
