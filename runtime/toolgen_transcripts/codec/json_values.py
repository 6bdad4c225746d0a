"""Convert values in a transcript to JSON, even bytes, Decimals and others that JSON does not have."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from toolgen_transcripts.codec.media import to_base64


def same(one: object, other: object) -> bool:
    """Return whether two values are equal. Here 1, 1.0 and True are all different."""
    return one == other and repr(one) == repr(other)


SCALARS = (str, int, float, bool, type(None))
_MAX_DIGITS = 300
"""The maximum number of digits of a number that is written as a JSON number."""


def json_text(value: Any) -> str:
    """Return a value as compact JSON text.

    Values that JSON does not have are written with `str()`, and bytes as base64.
    """
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_odd_value)
    except TypeError:  # a key that is not a string, a number or null
        return json.dumps(as_json(value), ensure_ascii=False, separators=(",", ":"))


def _odd_value(value: object) -> str | int | float:
    if isinstance(value, Decimal) and value.is_finite():
        return number(value)
    if isinstance(value, bytes):
        return to_base64(value)
    return str(value)


def number(value: Decimal) -> int | float | str:
    """Convert a finite Decimal (the number type of DynamoDB) to a JSON number, or to a string if it is too
    large.
    """
    if value.adjusted() >= _MAX_DIGITS:
        return str(value)
    if value == value.to_integral_value():
        return int(value)
    return float(value)


def as_json(value: Any) -> Any:
    """Return a copy of a value that is plain JSON. Other values are replaced as in `json_text`."""
    if isinstance(value, dict):
        return {str(key): as_json(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(member) for member in value]
    if isinstance(value, SCALARS):
        return value
    return _odd_value(value)
