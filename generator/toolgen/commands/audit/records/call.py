"""One recorded call, whatever format it was recorded in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

Record = Mapping[str, Any]


class Call(NamedTuple):
    """The name of a tool, and the arguments of a call as an object or as the text that the model wrote."""

    tool: str
    arguments: Any
    executed: bool = False
    """Whether the record describes the execution. The model's own call is then in another record, or in none."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A record that could not be read, with the reason."""

    reason: str


def parsed(value: Any) -> Any:
    """Parse a value that is JSON text, as columns and attributes may be. Other values are returned unchanged."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def mapping(value: Any) -> Record:
    """Return a value if it is an object; otherwise return an empty object."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: Any) -> Iterator[Record]:
    """Yield the objects in a value that is a list."""
    if isinstance(value, list):
        return (item for item in value if isinstance(item, Mapping))
    return iter(())


def at(value: Any, *path: str) -> Any:
    """Return the value at a path of keys, or None. Values on the way may be objects as JSON text."""
    for step in path:
        value = parsed(mapping(value).get(step))
    return value


def first_of(record: Record, *keys: str) -> Any:
    """Return the value of the first of these keys that the record has, or None."""
    return next((parsed(record[key]) for key in keys if key in record), None)
