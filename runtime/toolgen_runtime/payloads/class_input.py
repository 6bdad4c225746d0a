"""What is given to a payload class, as a payload: by the properties' own names, model instances as JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from toolgen_runtime.validation.issues import ValidationIssue


def by_key(cls: type[BaseModel], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same values under the properties' own names; a name that is a property's own stays."""
    fields = cls.model_fields
    aliases = {name: field.alias for name, field in fields.items() if name in data and field.alias}
    return {
        key if (alias := aliases.get(key)) is None or alias in data else alias: v for key, v in data.items()
    }


def plain_copy(value: Any) -> Any:
    """Return a copy of a JSON value with the payloads of model instances in place of these."""
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True, exclude_unset=True)
    if isinstance(value, dict):
        return {key: plain_copy(item) for key, item in value.items()}
    return [plain_copy(item) for item in value] if isinstance(value, list) else value


def odd_keys(payload: Any) -> list[ValidationIssue]:
    """Return an issue for each key of a payload that is no string: JSON has none, so there is no typed view."""
    issues: list[ValidationIssue] = []
    seen: set[int] = set()
    todo: list[tuple[tuple[Any, ...], Any]] = [((), payload)]
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
