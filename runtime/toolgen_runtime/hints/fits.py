"""Whether a value fits a place, as far as the schema's node says: without running the check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.schema.keywords import LIMITS
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, json_type

MAX_DEPTH = 6


def fits(node: SchemaNode, value: Any, depth: int = 0) -> bool:
    """Return whether type, allowed values, limits and members agree; patterns and formats are taken on trust."""
    if value is None:
        return node.nullable
    name = json_type(value)
    if not admits(node.types, name) or depth > MAX_DEPTH:
        return False
    if node.allowed and not is_allowed(node, value):
        return False
    if not _within(node, value):
        return False
    if name == "array":
        return all(fits(node.child(i), v, depth + 1) for i, v in enumerate(value))
    if name == "object":
        known = not node.closed or all(k in node.properties for k in value)
        return (
            known
            and node.required <= value.keys()
            and all(fits(node.child(k), v, depth + 1) for k, v in value.items())
        )
    return True


def is_allowed(node: SchemaNode, value: Any) -> bool:
    """Return whether a value is one of those listed; `true` is not `1`."""
    return is_one_of(value, node.allowed)


def is_one_of(value: Any, values: Sequence[Any]) -> bool:
    """Return whether a value is among others; `true` is not `1`."""
    return any(v == value and type(v) is type(value) for v in values)


def sole_holder(node: SchemaNode, value: Any) -> str | None:
    """Return the one property of an object that a value can be of, where it needs no other; None else."""
    kind = json_type(value)
    names = [n for n in node.properties if kind in (child := node.child(n)).types and fits(child, value)]
    needed = [n for n in names if n in node.required]
    if len(needed) == 1 and set(needed) == set(node.required):
        names = needed
    return names[0] if len(names) == 1 and node.required <= set(names) else None


def _within(node: SchemaNode, value: Any) -> bool:
    """Return whether a value keeps the limits that the schema states for its place."""
    name = json_type(value)
    kind = "number" if name == "integer" else name
    return all(
        row.keeps(limit, value)
        for row in LIMITS.values()
        if row.kind == kind
        for raw in node.raws
        if isinstance(limit := raw.get(row.name), (int, float)) and not isinstance(limit, bool)
    )
