"""Read and replace the fields of native objects, directly or at a path of keys, and find fields that nobody reads."""

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
    """Return a copy of a native choice in which its names (or placeholders) are replaced."""
    if isinstance(choice, dict):
        return {key: renamed(value, names) for key, value in choice.items()}
    if isinstance(choice, list):
        return [renamed(value, names) for value in choice]
    if isinstance(choice, str):
        return names.get(choice, choice)
    return choice


def at_path(value: Any, path: Path) -> Any:
    """Return the value at a path of keys, or None. For a list on the path, its first item is used."""
    for key in path:
        if isinstance(value, list):
            value = next(iter(value), None)
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def nested(path: Path, value: Any) -> Native:
    """Return a new object that contains only this value, at a path."""
    for key in reversed(path):
        value = {key: value}
    found: Native = value
    return found


def as_list(content: object) -> list[Any]:
    """Return content as a list of blocks.

    Null becomes an empty list, and a single value becomes a list of one block.
    """
    if isinstance(content, list):
        return content
    if content is None:
        return []
    return [content]


def kind_of_call(call: Native) -> Any:
    """Return the kind of a call in Chat Completions. Servers may leave out `function`."""
    kind = call.get("type")
    if kind is None:
        return "function"
    return kind


def text_or_none(value: object) -> str | None:
    """Return a non-empty string unchanged, and None for any other value, because an empty id is not an id."""
    if isinstance(value, str) and value:
        return value
    return None


def without(message: Mapping[str, Any], *keys: str) -> Native:
    """Return a message without some of its fields."""
    return {k: v for k, v in message.items() if k not in keys}


def without_nulls(members: Mapping[str, Any]) -> Native:
    """Return an object without the members that are null."""
    return {key: value for key, value in members.items() if value is not None}


def unread(value: Any, reads: Collection[str]) -> tuple[str, ...]:
    """Return the non-empty fields of a value that are not among `reads`, as dotted paths.

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
