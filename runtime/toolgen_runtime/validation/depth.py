"""Checks of recursive schemas on payloads for which Python's stack is too small."""

from __future__ import annotations

from _thread import RLock
from sys import getrecursionlimit, setrecursionlimit

from toolgen_runtime.validation.issues import ValidationIssue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from toolgen_runtime.validation.helpers import Check

MAX_LEVELS: Final = 1_000
"""Levels of containers around a value in a payload in memory; JSON texts are read to 200, by `json` to about 1,000."""
_FRAMES: Final = 100_000
"""More frames than a check can need; they are on Python's heap, since checks call each other directly."""
_CONTAINERS: Final = (dict, list)
_lock = RLock()


def check_deep(check: Check, payload: Any) -> list[ValidationIssue]:
    """Run a check again that has raised a RecursionError, with a higher limit for as long as it runs.

    A payload with more than `MAX_LEVELS`, or one that contains itself, has one issue, `json`.
    """
    if is_deeper(payload, MAX_LEVELS):
        expected = f"nesting of at most {MAX_LEVELS:,} levels"
        return [ValidationIssue((), "json", expected, payload)]
    with _lock:  # one limit holds for all threads
        limit = getrecursionlimit()
        setrecursionlimit(limit + _FRAMES)
        try:
            return check(payload)
        finally:
            setrecursionlimit(limit)


def is_deeper(value: Any, levels: int) -> bool:
    """Return whether a value, or a part of it, has more containers around it; in a circle there is no end of them."""
    level = {id(value): value} if isinstance(value, _CONTAINERS) else {}
    for _ in range(levels):
        level = {
            id(member): member
            for item in level.values()
            for member in (item.values() if isinstance(item, dict) else item)
            if isinstance(member, _CONTAINERS)
        }
    return any(level.values())
