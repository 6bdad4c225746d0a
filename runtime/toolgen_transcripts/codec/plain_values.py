"""Convert SDK objects, enums and Decimals to plain JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from decimal import Decimal
from enum import Enum
from typing import Any

from toolgen_transcripts.codec.json_values import SCALARS, number


def is_dumpable(value: object) -> bool:
    """Return whether a value is an object (and not a class) that has a `model_dump` method."""
    return not isinstance(value, type) and callable(getattr(value, "model_dump", None))


def dump(value: object, **options: Any) -> Any:
    """Call an object's `model_dump`, with pydantic's options if it accepts them."""
    dump: Any = getattr(value, "model_dump")  # noqa: B009  any object may have it
    try:
        return dump(warnings=False, **options)
    except TypeError:  # not a pydantic model
        return dump()


MAX_PLAIN_DEPTH = 200
"""The maximum depth of a native value, the same as for JSON text."""
MAX_PLAIN_VALUES = 500_000
"""The maximum number of values in one message or other field of a request; a shared value counts each time."""


def plain(value: Any) -> Any:
    """Copy a native value to plain dicts and lists.

    Enum members become their values, as in dumps of SDK objects, and finite Decimals become numbers.

    Raises:
        ValueError: the value is nested deeper than `MAX_PLAIN_DEPTH`, has more than `MAX_PLAIN_VALUES` values, or
            contains itself.
    """
    return _Copier().copy(value, 0)


class _Copier:
    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MAX_PLAIN_VALUES

    def copy(self, value: Any, level: int) -> Any:
        if type(value) in SCALARS:
            return value
        if type(value) is dict or isinstance(value, Mapping):  # the first test is fast and usually true
            self._count(value, level)
            return {key: self.copy(item, level + 1) for key, item in value.items()}
        if isinstance(value, list | tuple):
            self._count(value, level)
            return [self.copy(item, level + 1) for item in value]
        if is_dumpable(value):  # without nulls, which are in responses but may be invalid in requests
            return self.copy(dump(value, mode="json", by_alias=True, exclude_none=True), level)
        if isinstance(value, Enum):
            return value.value
        if isinstance(value, Decimal) and value.is_finite():
            return number(value)
        return value

    def _count(self, container: Sized, level: int) -> None:
        self._left -= len(container)
        if level >= MAX_PLAIN_DEPTH:
            raise ValueError(f"a value is nested deeper than {MAX_PLAIN_DEPTH} levels, or contains itself")
        if self._left < 0:
            raise ValueError(f"there are more than {MAX_PLAIN_VALUES:,} values in one message")
