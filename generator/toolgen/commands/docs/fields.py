"""Describe the fields of a tool's payload for readers: names, types, constraints and choices.

The depth is limited.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from toolgen.compiler.compiled_check import CompiledChecks
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.short_text import short_json
from toolgen.compiler.value_description import Described, type_text

MAX_FIELD_DEPTH: Final = 6
"""The maximum number of levels of fields; only the type is shown for deeper fields."""
MAX_VALUES_SHOWN: Final = 40
"""The maximum number of allowed values that are listed."""
MAX_FIELDS: Final = 2_000
"""The maximum number of fields of one tool that are shown."""
MAX_SHOWN: Final = 200
"""The maximum number of characters of a value."""
_UNIONS: Final = {"oneOf": "One of", "anyOf": "Any of"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One branch of a union: its title and its fields."""

    title: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """One field. `path` is dotted, with `[]` for array items, and `constraints` are short texts."""

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


def fields_of(root: Schema | None) -> tuple[tuple[Field, ...], tuple[Choice, ...]]:
    """Return the fields of a payload and, if the root is a union, its branches."""
    if root is None:
        return (), ()
    reader, payload = _Reader(), Described([root], CompiledChecks())
    return tuple(reader.fields(payload, "", MAX_FIELD_DEPTH)), reader.choices(payload, "", MAX_FIELD_DEPTH)


class _Reader:
    """Reads the fields of one tool, up to `MAX_FIELDS`."""

    def __init__(self) -> None:
        self._left = MAX_FIELDS

    def fields(self, value: Described, path: str, depth: int) -> Iterator[Field]:
        """Yield the fields of an object."""
        if not depth:
            return
        for name, member in value.members.items():
            if self._left <= 0:
                return
            self._left -= 1
            yield self._field(name, member, f"{path}.{name}".lstrip("."), name in value.required, depth)

    def _field(self, name: str, value: Described, path: str, required: bool, depth: int) -> Field:
        inner, below = value, path
        if value.items is not None and not value.members:
            inner, below = value.items, f"{path}[]"
        description = value.annotation("description") or inner.annotation("description")
        return Field(
            name, path, type_text(value, values=False), required,
            description if isinstance(description, str) else "",
            tuple(_constraints(value)), tuple(_values(value) or _values(inner)),
            tuple(self.fields(inner, below, depth - 1)),
            next((_UNIONS[word] for word, _ in inner.unions), ""),
            self.choices(inner, below, depth - 1),
        )  # fmt: skip

    def choices(self, value: Described, path: str, depth: int) -> tuple[Choice, ...]:
        """Return the branches of a value's unions; an empty tuple if no branch has fields."""
        branches = list(_branches(value))
        if not depth or not any(branch.members for branch in branches):
            return ()
        return tuple(
            Choice(_title(branch), tuple(self.fields(branch, path, depth - 1))) for branch in branches
        )


def _branches(value: Described) -> Iterator[Described]:
    """Yield the branches of a value's unions. A branch that is only a union is replaced by its own branches."""
    for _, branches in value.unions:
        for branch in branches:
            if branch.unions and not branch.members:
                yield from _branches(branch)
            else:
                yield branch


def _title(branch: Described) -> str:
    """Return the name of a branch: its title, its constant fields, its keys or its type."""
    title = branch.annotation("title")
    if isinstance(title, str):
        return title
    tags = [
        f"{name} = {short_json(member.values[0], MAX_SHOWN)}"
        for name, member in branch.members.items()
        if member.values is not None and len(member.values) == 1
    ]
    return ", ".join(tags or [*branch.members][:4]) or type_text(branch, values=False)


def _values(value: Described) -> list[str]:
    """Return the allowed values, including those in branches of a union.

    If there are very many, return only the first.
    """
    listed = value.values
    if listed is None:
        branches = [branch for _, branches in value.unions for branch in branches]
        listed = [each for branch in branches for each in branch.values or ()]
    texts = list(dict.fromkeys(short_json(each, MAX_SHOWN) for each in listed[:MAX_VALUES_SHOWN]))
    return texts + ([f"… {len(listed) - MAX_VALUES_SHOWN} more"] if len(listed) > MAX_VALUES_SHOWN else [])


def _constraints(value: Described) -> Iterator[str]:
    yield from value.constraint_texts()
    if (default := _default(value)) is not None:
        yield f"default {default}"
    if "object" in value.types and value.refuses_other_keys:
        patterns = [pattern for part in value.parts for pattern in part.pattern_properties]
        yield f"other keys match {' or '.join(patterns)}" if patterns else "no other keys"


def _default(value: Described) -> str | None:
    """Return the default, if it is valid."""
    for part in value.parts:
        if "default" in part.annotations and value.takes(part.annotations["default"]):
            return short_json(part.annotations["default"], MAX_SHOWN)
    return None
