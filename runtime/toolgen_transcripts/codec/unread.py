"""Find the fields of a native value that a decoder does not read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any


def unread(value: Any, reads: Collection[str]) -> tuple[str, ...]:
    """Return the non-empty fields of a value that are not in `reads`, as dotted paths.

    A `Wire` lists the fields that its decoder reads (`MessageShape.reads`, `ToolShape.reads`). All other fields,
    including those that a provider may add later, are sent back to the same provider and reported for any other.

    A path in `reads` covers everything below it, and continues in the items of a list. Null and empty strings, lists
    and objects are not returned.
    """
    if isinstance(value, Mapping):
        return tuple(dict.fromkeys(_unread(value, reads, "")))
    return ()


def _unread(value: Mapping[Any, Any], reads: Collection[str], at: str) -> Iterator[str]:
    for key, member in value.items():
        path = f"{at}{key}"
        if path in reads or member is None or member in ("", [], {}):
            continue
        if not any(read.startswith(f"{path}.") for read in reads):
            yield path
            continue
        for item in member if isinstance(member, list) else [member]:
            if isinstance(item, Mapping):  # else it is a short form: a URL instead of an object
                yield from _unread(item, reads, f"{path}.")
