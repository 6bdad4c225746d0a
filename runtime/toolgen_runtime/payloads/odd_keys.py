"""Keys that are no strings: JSON has none, so a payload with one has no typed view."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.validation.issues import ValidationIssue

Path = tuple[Any, ...]


def odd_keys(payload: Any) -> list[ValidationIssue]:
    """Return an issue for each key of a payload that is no string."""
    issues: list[ValidationIssue] = []
    seen: set[int] = set()
    todo: list[tuple[Path, Any]] = [((), payload)]
    while todo:
        path, value = todo.pop()
        if not isinstance(value, (dict, list)) or id(value) in seen:
            continue
        seen.add(id(value))
        members = list(value.items() if isinstance(value, dict) else enumerate(value))
        if isinstance(value, dict):
            odd = [key for key, _ in members if not isinstance(key, str)]
            issues += [ValidationIssue((*path, key), "propertyNames", {"type": "string"}, key) for key in odd]
        todo += [((*path, step), member) for step, member in reversed(members)]
    return issues
