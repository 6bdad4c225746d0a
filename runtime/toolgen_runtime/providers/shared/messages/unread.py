"""What a decoder does not read of a native value.

A provider's wire says which members its decoder reads (`MessageShape.reads`, `ToolShape.reads`). Whatever else
stands in a value is `unread`: its own provider gets it back with the value, and for another it is named in a
diagnostic. A member that a provider adds tomorrow is unread, too, so that nothing is lost in silence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any


def unread(value: Any, reads: Collection[str]) -> tuple[str, ...]:
    """Return the members of a value, as dotted paths, that are not among `reads` and say something.

    A path of `reads` stands for all that is below it, and leads through the items of a list. Null and what is
    empty say nothing.
    """
    return tuple(dict.fromkeys(_unread(value, reads, ""))) if isinstance(value, Mapping) else ()


def _unread(value: Mapping[Any, Any], reads: Collection[str], at: str) -> Iterator[str]:
    for key, member in value.items():
        path = f"{at}{key}"
        if path in reads or member is None or member in ("", [], {}):
            continue
        if not any(read.startswith(f"{path}.") for read in reads):
            yield path
            continue
        for item in member if isinstance(member, list) else [member]:
            if isinstance(item, Mapping):  # else it is a short form: a URL for an object with one
                yield from _unread(item, reads, f"{path}.")
