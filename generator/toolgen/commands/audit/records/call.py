"""`Call`: one recorded call, whatever the format of its record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

Record = Mapping[str, Any]


class Call(NamedTuple):
    """A tool's name and its arguments, as an object or as the text that the model wrote."""

    tool: str
    arguments: Any
    executed: bool = False
    """Whether the record describes the execution. The model's own call is then in another record, or in none."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A record that could not be read, and the reason."""

    reason: str


def parsed(value: Any) -> Any:
    """Parse the JSON text in a column or attribute and return its value. Any other value is returned unchanged."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def mapping(value: Any) -> Record:
    """Return a value if it is an object, else an empty object."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: Any) -> Iterator[Record]:
    """Yield the items of a list that are objects. For any other value, yield nothing."""
    if isinstance(value, list):
        return (item for item in value if isinstance(item, Mapping))
    return iter(())


def at(value: Any, *path: str) -> Any:
    """Return the value at a path of keys, or None. Values on the way may be JSON text."""
    for step in path:
        value = parsed(mapping(value).get(step))
    return value


def first_of(record: Record, *keys: str) -> Any:
    """Return the value of the first of these keys that a record has, or None."""
    return next((parsed(record[key]) for key in keys if key in record), None)
