"""A tool's schema as fields to read: names, types, constraints, choices; references followed, nesting bounded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.merged_schemas import MergedSchemas, listed
from toolgen.type_text import type_text

MAX_DEPTH: Final = 6
"""Levels of fields that are shown; deeper ones are named by their type."""
MAX_VALUES: Final = 40
"""Allowed values that are listed."""
MAX_FIELDS: Final = 2_000
"""Fields of one tool that are shown."""
_LIMITS: Final = {
    "minLength": "at least {} characters", "maxLength": "at most {} characters", "minimum": "≥ {}",
    "maximum": "≤ {}", "exclusiveMinimum": "> {}", "exclusiveMaximum": "< {}", "multipleOf": "a multiple of {}",
    "minItems": "at least {} items", "maxItems": "at most {} items", "minProperties": "at least {} keys",
    "maxProperties": "at most {} keys", "pattern": "matches {}", "format": "{}",
}  # fmt: skip
_UNIONS: Final = {"oneOf": "One of", "anyOf": "Any of"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One branch of a union: what tells it apart, and its fields."""

    title: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """One field: `path` is dotted, with `[]` for items; `constraints` are short texts."""

    name: str
    path: str
    type: str
    required: bool
    description: str
    constraints: tuple[str, ...]
    values: tuple[str, ...]
    fields: tuple[Field, ...]
    union: str
    choices: tuple[Choice, ...]


def fields_of(schema: Mapping[str, Any] | bool) -> tuple[tuple[Field, ...], tuple[Choice, ...]]:
    """Return the fields of a payload, and, where its root is a union, the choices."""
    if not isinstance(schema, Mapping):
        return (), ()
    reader = _Reader(schema)
    root = reader.merged(schema)
    return tuple(reader.fields(root, "", MAX_DEPTH)), reader.choices(root, "", MAX_DEPTH)


class _Reader(MergedSchemas):
    """Reads one schema; stops at `MAX_FIELDS`."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        super().__init__(root)
        self._left = MAX_FIELDS

    def fields(self, schema: Mapping[str, Any], path: str, depth: int) -> Iterator[Field]:
        """Yield the fields of an object's schema."""
        if not depth:
            return
        required = listed(schema.get("required"))
        for name, inner in (schema.get("properties") or {}).items():
            if self._left <= 0:
                return
            self._left -= 1
            yield self._field(
                str(name), self.merged(inner), f"{path}.{name}".lstrip("."), name in required, depth
            )

    def _field(self, name: str, schema: Mapping[str, Any], path: str, required: bool, depth: int) -> Field:
        items = self.merged(schema.get("items")) if isinstance(schema.get("items"), Mapping) else {}
        inner, below = (schema, path) if schema.get("properties") or not items else (items, f"{path}[]")
        values = [schema["const"]] if "const" in schema else listed(schema.get("enum") or items.get("enum"))
        return Field(
            name, path, self._type(schema), required, _text(schema.get("description") or items.get("description")),
            tuple(_constraints(schema)), tuple(_json(value) for value in values[:MAX_VALUES]),
            tuple(self.fields(inner, below, depth - 1)),
            next((_UNIONS[word] for word in _UNIONS if listed(inner.get(word))), ""),
            self.choices(inner, below, depth - 1),
        )  # fmt: skip

    def choices(self, schema: Mapping[str, Any], path: str, depth: int) -> tuple[Choice, ...]:
        """Return the branches of a schema's union that say more than a type."""
        branches = [self.merged(branch) for word in _UNIONS for branch in listed(schema.get(word))]
        if not depth or not any(branch.get("properties") for branch in branches):
            return ()
        return tuple(
            Choice(self._title(branch, number), tuple(self.fields(branch, path, depth - 1)))
            for number, branch in enumerate(branches, 1)
        )

    def _title(self, branch: Mapping[str, Any], number: int) -> str:
        """Return what tells a branch apart: its title, the constants that it asks for, its keys, its type."""
        if isinstance(branch.get("title"), str):
            return str(branch["title"])
        properties: Mapping[str, Any] = branch.get("properties") or {}
        tags = [
            f"{name} = {_json(self.merged(inner)['const'])}"
            for name, inner in properties.items()
            if "const" in self.merged(inner)
        ]
        return (
            ", ".join(tags or [str(name) for name in properties][:4])
            or self._type(branch)
            or f"form {number}"
        )

    def _type(self, schema: Mapping[str, Any]) -> str:
        return type_text(schema, self, values=False)


def _constraints(schema: Mapping[str, Any]) -> Iterator[str]:
    for word, text in _LIMITS.items():
        if word in schema and not isinstance(schema[word], bool | Mapping | list):
            yield _singular(text.format(schema[word])) if schema[word] == 1 else text.format(schema[word])
    if schema.get("uniqueItems") is True:
        yield "no item twice"
    if "default" in schema:
        yield f"default {_json(schema['default'])}"
    if schema.get("additionalProperties") is False and schema.get("properties"):
        yield "no other keys"


def _singular(text: str) -> str:
    return text.removesuffix("s") if text.endswith(("characters", "items", "keys")) else text


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:199]}…"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
