"""Handle messages with very many values without parsing them, which would take fifty times their size in
memory.

Only `id` and `method`, which say what the message is for, are read from its text.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from threading import Lock
from typing import Any, Final

MAX_MESSAGE_VALUES: Final = 500_000
"""The maximum number of values in a message that is parsed; this many take about 100 MB."""
VALUE_BYTES: Final = 200
"""The approximate number of bytes that a parsed value takes in memory."""
MAX_HELD: Final = 256 * 1024 * 1024
"""The maximum weight of all messages that the proxy holds at the same time."""
_SCALAR: Final = re.compile(rb"\s*(-?[0-9.eE+-]+|true|false|null)")
_COLON: Final = re.compile(rb"\s*:\s*")
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
"""Matches a string with its quotes, or the beginning of one that does not end."""


def count_values(data: bytes) -> int:
    """Count the values in a JSON text.

    A result up to `MAX_MESSAGE_VALUES` is only an upper bound; a larger one is exact.
    """
    signs = _count_signs(data)
    if signs <= MAX_MESSAGE_VALUES:
        return signs
    return _count_signs(_STRING.sub(b"", data))


def envelope_of(data: bytes) -> dict[str, Any]:
    """Find the `id` and the `method` of a JSON object that is too large to be parsed."""
    found: dict[str, Any] = {}
    level, end_before, key = 0, 0, ""
    for string in _STRING.finditer(data):
        start, end = string.span()
        level += _levels(data, end_before, start)
        end_before = end
        if level != 1:
            continue
        colon = _COLON.match(data, end)
        if colon is None:
            if key:
                found[key] = _value_of(data[start:end])
            key = ""
            continue
        name = data[start:end]
        key = {b'"id"': "id", b'"method"': "method"}.get(name, "")
        if key and (scalar := _SCALAR.match(data, colon.end())) is not None:
            found[key] = _value_of(scalar[1])
            key = ""
    return found


def weight_of_value(value: Any) -> int:
    """Estimate how many bytes of memory a JSON value takes."""
    weight, pending = 0, [value]
    while pending:
        each = pending.pop()
        weight += VALUE_BYTES
        if isinstance(each, str):
            weight += len(each)
        elif isinstance(each, dict):
            weight += sum(map(len, each))
            pending += each.values()
        elif isinstance(each, list):
            pending += each
    return weight


class Held:
    """The memory that all messages of a process take together."""

    def __init__(self, most: int | None = None) -> None:
        """Allow at most `most` bytes, by default `MAX_HELD`."""
        self.weight, self.most, self.changing = 0, most or MAX_HELD, Lock()


class Share:
    """The memory that one request or response takes."""

    def __init__(self, held: Held) -> None:
        self._held, self._weight = held, 0

    def add(self, weight: int) -> bool:
        """Add a number of bytes and return True. If the total would be too large, return False."""
        with self._held.changing:
            if self._held.weight + weight > self._held.most:
                return False
            self._held.weight += weight
            self._weight += weight
        return True

    def free(self, weight: int | None = None) -> None:
        """Subtract a weight. Without an argument, subtract everything that was added."""
        with self._held.changing:
            weight = self._weight if weight is None else weight
            self._held.weight -= weight
            self._weight -= weight


def _count_signs(data: bytes) -> int:
    return sum(map(data.count, (b",", b"[", b"{")))


def _levels(data: bytes, start: int, end: int) -> int:
    opened = data.count(b"{", start, end) + data.count(b"[", start, end)
    return opened - data.count(b"}", start, end) - data.count(b"]", start, end)


def _value_of(text: bytes) -> Any:
    with suppress(ValueError):
        return json.loads(text)
    return None
