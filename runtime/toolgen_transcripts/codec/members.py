"""Read, copy and replace fields of native objects, directly or at a path of keys."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

Native = dict[str, Any]


Path = tuple[str, ...]


def renamed(choice: Any, names: Mapping[str, Any]) -> Any:
    """Return a copy of a native choice with its names (or placeholders) replaced."""
    if isinstance(choice, dict):
        return {key: renamed(value, names) for key, value in choice.items()}
    if isinstance(choice, list):
        return [renamed(value, names) for value in choice]
    if isinstance(choice, str):
        return names.get(choice, choice)
    return choice


def at_path(value: Any, path: Path) -> Any:
    """Return the value at a path of keys, or None. If there is a list on the path, its first item is used."""
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
    """Return content as a list of blocks; null becomes an empty list, and a value outside a list one block."""
    if isinstance(content, list):
        return content
    if content is None:
        return []
    return [content]


def text_or_none(value: object) -> str | None:
    """Return a non-empty string unchanged, and None for any other value, because an empty id is not an id."""
    if isinstance(value, str) and value:
        return value
    return None


def without(message: Mapping[str, Any], *keys: str) -> Native:
    """Return a deep copy of a message without some of its fields."""
    return deepcopy({k: v for k, v in message.items() if k not in keys})
