"""Where values belong that stand at the wrong level: what a move is, and how it is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.problems import Location, Locator
from toolgen_runtime.hints.text import choices, compact, name_shown, shown
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import is_one_of
from toolgen_runtime.validation.issues import ValidationIssue

MAX_DEPTH = 4
"""Wrappers around one another."""
MAX_SHOWN = 12
"""Keys of one object that a line names."""
MAX_FORM = 80
"""Characters of a value's form beside other things that are said of it."""
MAX_LISTED = 5
MAX_KEYS = 40
"""Keys of an object whose keys are moved."""


class Move(NamedTuple):
    """Values that belong elsewhere: the edits, and how to say so."""

    at: Path
    """The place that the line is about."""
    edits: tuple[Edit, ...]
    put: str
    """What to do, as an order without its stop."""
    asked: str = ""
    """The question, where it is not "did you mean to" do it."""
    whole: bool = False
    """Whether it is only one if nothing is wrong then."""


class Place(NamedTuple):
    """An object, or what stands in the place of one, that has problems."""

    path: Path
    location: Location
    locator: Locator
    issue: ValidationIssue
    """The first issue there."""
    unknown: tuple[str, ...]
    """The keys of its issues that are not fields."""
    missing: tuple[str, ...]


def keys_text(keys: Sequence[str]) -> str:
    """Return `title, body and labels`; after `MAX_SHOWN`, how many more."""
    return series([choices([k]) for k in list(keys)[: MAX_SHOWN + 1]], len(keys))


def series(texts: Sequence[str], count: int = 0) -> str:
    """Return texts as a series with "and"; after `MAX_SHOWN`, how many more there are of `count`, or of them."""
    more = max(count, len(texts)) - MAX_SHOWN
    parts = [*texts[:MAX_SHOWN], f"{more} more"] if more > 0 else texts
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def skeleton(value: Any, node: SchemaNode, depth: int = 0) -> str:
    """Return a value's keys, and what the schema lists: `{"kind":"a","to":{"name":…}}`; of lists the first item."""
    if depth < MAX_DEPTH and isinstance(value, dict) and value:
        members = [f"{name_shown(k)}:{skeleton(v, node.child(k), depth + 1)}" for k, v in _members(value)]
        return f"{{{','.join(members)}{',…' if len(value) > MAX_SHOWN else ''}}}"
    if depth < MAX_DEPTH and isinstance(value, list) and value and isinstance(value[0], (dict, list)):
        return f"[{skeleton(value[0], node.child(0), depth + 1)}{',…' if len(value) > 1 else ''}]"
    listed = (
        isinstance(value, str)
        and node.allowed
        and not node.schema.has_secrets
        and is_one_of(value, node.allowed)
    )
    return shown(value) if listed else "…"


def form_of(value: Any, node: SchemaNode) -> str:
    """Return the skeleton of an object, or of a list of objects or listed values; `""` for others and long ones."""
    if not value or not isinstance(value, (dict, list)):
        return ""
    if isinstance(value, list) and not isinstance(value[0], (dict, list)):
        listed = node.child(0).allowed and not node.schema.has_secrets and len(value) <= MAX_LISTED
        return compact(value) if listed and all(is_one_of(v, node.child(0).allowed) for v in value) else ""
    text = skeleton(value, node)
    return text if len(text) <= MAX_FORM else ""


def _members(value: dict[Any, Any]) -> Iterator[tuple[Any, Any]]:
    return iter(list(value.items())[:MAX_SHOWN])
