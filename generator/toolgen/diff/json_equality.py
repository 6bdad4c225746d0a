"""JSON values that can be looked up."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any


def frozen(value: Any) -> Hashable:
    """Return a JSON value as one that is equal where JSON's are: `1` to `1.0`, not to `true`."""
    if isinstance(value, dict):
        return ("object", frozenset((key, frozen(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return ("array", tuple(map(frozen, value)))
    return (isinstance(value, bool), value)
