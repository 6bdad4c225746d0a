"""Checks of recursive schemas on payloads deeper than the interpreter's recursion limit."""

from __future__ import annotations

import sys
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from toolgen_runtime.validation.helpers import Check
    from toolgen_runtime.validation.issues import ValidationIssue

FRAMES_PER_LEVEL = 20
"""Usual limit of the generated functions called for one level of a payload, references included."""
MAX_FRAMES_PER_LEVEL = 200_000
"""More than the longest chain of references in a spec."""

_lock = allocate_lock()
_raised: list[int] = []
_usual = 0


def check_deep(check: Check, payload: Any) -> list[ValidationIssue]:
    """Run a check with a recursion limit that fits the payload's depth.

    Since CPython 3.11 the frames of Python functions are on the heap, so this takes memory in proportion to the
    depth, but no stack. All threads share the limit; it is restored when the last such check ends.
    """
    levels, frames = depth_of(payload), FRAMES_PER_LEVEL
    while True:
        _raise_limit(frames * levels)
        try:
            return check(payload)
        except RecursionError:
            if frames > MAX_FRAMES_PER_LEVEL:
                raise
        finally:
            _lower_limit(frames * levels)
        frames *= 10


def _raise_limit(by: int) -> None:
    global _usual
    with _lock:
        if not _raised:
            _usual = sys.getrecursionlimit()
        _raised.append(by)
        sys.setrecursionlimit(_usual + sum(_raised))


def _lower_limit(by: int) -> None:
    with _lock:
        _raised.remove(by)
        sys.setrecursionlimit(_usual + sum(_raised))


def depth_of(payload: Any) -> int:
    """Return the number of levels of a payload, a scalar having one, without recursion."""
    depth = 0
    level = [payload]
    while level:
        depth += 1
        level = [
            item
            for holder in level
            if isinstance(holder, dict | list)
            for item in (holder.values() if isinstance(holder, dict) else holder)
        ]
    return depth
