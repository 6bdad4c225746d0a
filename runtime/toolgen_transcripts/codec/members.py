"""Read and replace the fields of native objects by key or path, and find fields that toolgen does not read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

Native = dict[str, Any]
"""A native object."""
JsonObject = Mapping[str, Any]
"""A native object that is only read."""
Schema = dict[str, Any]


Path = tuple[str, ...]


def renamed(choice: Any, names: Mapping[str, Any]) -> Any:
    """Return a copy of a native tool choice in which names (or placeholders) are replaced."""
    if isinstance(choice, dict):
        return {key: renamed(value, names) for key, value in choice.items()}
    if isinstance(choice, list):
        return [renamed(value, names) for value in choice]
    if isinstance(choice, str):
        return names.get(choice, choice)
    return choice


def at_path(value: Any, path: Path) -> Any:
    """Return the value at a path of keys, or None. From a list on the way, take the first item."""
    for key in path:
        if isinstance(value, list):
            value = next(iter(value), None)
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def nested(path: Path, value: Any) -> Native:
    """Return a new object that contains nothing but this value, at this path."""
    for key in reversed(path):
        value = {key: value}
    found: Native = value
    return found


def as_list(content: object) -> list[Any]:
    """Return content as a list of blocks, whatever form it has.

    Null becomes an empty list, and a single value becomes a list of one block.
    """
    if isinstance(content, list):
        return content
    if content is None:
        return []
    return [content]


def kind_of_call(call: Native) -> Any:
    """Return the kind of a Chat Completions call. `function` is the default, because some servers leave it
    out.
    """
    kind = call.get("type")
    if kind is None:
        return "function"
    return kind


def text_or_none(value: object) -> str | None:
    """Return a string if it is not empty; otherwise return None. An empty id, for example, is not an id."""
    if isinstance(value, str) and value:
        return value
    return None


def without(message: Mapping[str, Any], *keys: str) -> Native:
    """Return a copy of a message without some of its fields."""
    return {k: v for k, v in message.items() if k not in keys}


def without_nulls(members: Mapping[str, Any]) -> Native:
    """Return a copy of an object without the fields that are null."""
    return {key: value for key, value in members.items() if value is not None}


def unread(value: Any, reads: Collection[str]) -> tuple[str, ...]:
    """Return the dotted paths of all non-empty fields that are not listed in `reads`.

    A `Wire` lists the fields that its decoder reads (`MessageShape.reads`, `ToolShape.reads`). All other fields,
    including those that a provider may add later, are sent back to the same provider. For another provider, they are
    reported.

    A path in `reads` includes everything below it, and continues in the items of a list. Null, empty strings, lists
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
        for item in as_list(member):
            if isinstance(item, Mapping):  # else it is a short form: a URL instead of an object
                yield from _unread(item, reads, f"{path}.")
