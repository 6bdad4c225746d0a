"""Whether a value fits a place, as far as the schema's node says: without running the check."""

from __future__ import annotations

import math
from typing import Any

from toolgen_runtime.hints.expected import limits
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, json_type

MAX_DEPTH = 6
_Bound = int | float | None
_Bounds = tuple[_Bound, _Bound, _Bound, _Bound, _Bound]


def fits(node: SchemaNode, value: Any, depth: int = 0) -> bool:
    """Return whether type, allowed values, limits and members agree; patterns and formats are taken on trust."""
    if value is None:
        return node.nullable
    name = json_type(value)
    if not admits(node.types, name) or depth > MAX_DEPTH:
        return False
    if node.allowed and not is_allowed(node, value):
        return False
    if not _within(node, value, name):
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
    return any(v == value and type(v) is type(value) for v in node.allowed)


def sole_holder(node: SchemaNode, value: Any) -> str | None:
    """Return the one property of an object that a value can be of, where it needs no other; None else."""
    kind = json_type(value)
    names = [n for n in node.properties if kind in (child := node.child(n)).types and fits(child, value)]
    needed = [n for n in names if n in node.required]
    if len(needed) == 1 and set(needed) == set(node.required):
        names = needed
    return names[0] if len(names) == 1 and node.required <= set(names) else None


def _within(node: SchemaNode, value: Any, name: str) -> bool:
    bounds: _Bounds | None = node.memo("bounds", _bounds)
    if bounds is None or name in ("boolean", "null"):
        return True
    least, most, above, below, step = bounds
    size = value if name in ("integer", "number") else len(value)
    return (
        (least is None or size >= least)
        and (most is None or size <= most)
        and (above is None or size > above)
        and (below is None or size < below)
        and (
            step is None
            or step <= 0
            or (abs(value) < 1e15 and math.isclose(value / step, round(value / step)))
        )
    )


def _bounds(node: SchemaNode) -> _Bounds | None:
    """Return the limits of a value, least to `multipleOf`; None where nothing limits it, or types have their own."""
    if len(node.types) != 1:
        return None
    others = [node.first(k, (int, float)) for k in ("exclusiveMinimum", "exclusiveMaximum", "multipleOf")]
    bounds = (*limits(node), others[0], others[1], others[2])
    return None if bounds == (None,) * len(bounds) else bounds
