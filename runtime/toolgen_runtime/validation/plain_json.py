"""Conversion of any Python value to JSON values, for issues as data: payloads may have other values in them."""

from __future__ import annotations

from itertools import islice
from typing import Any

from toolgen_runtime.validation.issues import MISSING, Secret, key_text

MAX_LEVELS = 64
MAX_VALUES = 10_000
"""Most values that are converted; the rest is left out."""
_SCALARS = (str, bool, float, type(None))


def plain(value: Any) -> Any:
    """Return the value itself if it has only JSON values in it, otherwise a converted copy.

    Keys that are not strings, and values that are not JSON, become text (`toolgen_runtime.validation.issues.key_text`);
    tuples become arrays, secrets are masked; what holds a container twice is copied too. A copy has at most
    `MAX_LEVELS` levels and `MAX_VALUES` values.
    """
    return value if _is_plain(value) else _Copier().copy(value, 0)


def _is_plain(value: Any) -> bool:
    seen: set[int] = set()
    pending = [value]
    while pending:
        item = pending.pop()
        if type(item) is dict or type(item) is list:
            if id(item) in seen:  # Text of what is shared may be endless, or take any time.
                return False
            seen.add(id(item))
            if type(item) is dict and not all(type(key) is str for key in item):
                return False
            pending.extend(item.values() if type(item) is dict else item)
        elif not _is_plain_scalar(item):
            return False
    return True


def _is_plain_scalar(value: Any) -> bool:
    # Python does not write integers of more than 4,300 digits.
    return type(value) in _SCALARS or (type(value) is int and value.bit_length() < 14_000)


class _Copier:
    def __init__(self) -> None:
        self._left = MAX_VALUES

    def copy(self, value: Any, level: int) -> Any:
        self._left -= 1
        if _is_plain_scalar(value) or value is MISSING:
            return None if value is MISSING else value
        if isinstance(value, (dict, list, tuple)) and level < MAX_LEVELS:
            if isinstance(value, dict):
                members = islice(value.items(), max(self._left, 0))
                return {key_text(key): self.copy(item, level + 1) for key, item in members}
            return [self.copy(item, level + 1) for item in islice(value, max(self._left, 0))]
        return repr(value) if type(value) is Secret else key_text(value)
