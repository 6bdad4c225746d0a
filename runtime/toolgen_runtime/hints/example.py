"""Example values that a place's own schema admits, from the schema alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from toolgen_runtime.hints.expected import pattern_of
from toolgen_runtime.hints.fits import MAX_DEPTH, fits
from toolgen_runtime.hints.limit_advice import FORMAT_SAMPLES
from toolgen_runtime.hints.problems import Problem
from toolgen_runtime.hints.text import compact
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import is_index
from toolgen_runtime.validation.issues import MISSING

_NUMERIC = (int, float)
_EDGES = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
MAX_MEMBERS = 20
MAX_TEXT = 200
"""Characters of a value that a schema offers (as JSON) and of a string that is made up."""


def example_input(missing: Sequence[Problem]) -> dict[str, Any] | None:
    """The missing fields with a value each, nested where they belong; array items share one item.

    None where nothing is missing below an object.
    """
    root: dict[str, Any] = {}
    for problem in missing:
        _put(root, problem.path, example(problem.node))
    return root or None


def _put(root: dict[str, Any], path: Path, value: Any) -> None:
    if not path or not isinstance(path[0], str) or len(path) > 50 or not all(map(_is_json_step, path)):
        return
    here: Any = root
    for step, below in pairwise(path):
        kind = list if isinstance(below, int) else dict
        if type(here) is dict:
            here = here.setdefault(step, kind())
        else:
            here[:] = here or [kind()]
            here = here[0]
        if type(here) is not kind:
            return
    if isinstance(here, list):
        here[:] = here or [value]
    else:
        here[path[-1]] = value


def _is_json_step(step: object) -> bool:
    return isinstance(step, str) or is_index(step)


def example(node: SchemaNode) -> Any:
    """A value that the place admits, a fresh object each time; where none can be derived, a typed placeholder."""
    value = node.kept.get("example", MISSING)
    if value is MISSING:
        value = node.memo("example", lambda p: _derive(p, 0))
    return _copy(value)


def _copy(value: Any) -> Any:
    """A JSON value in containers of its own."""
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _derive(node: SchemaNode, depth: int) -> Any:
    if node.unions and not node.types:
        node = node.leaf_nodes[0]
    if node.write_only:
        return _made_up(node, depth)
    for value in (*node.suggestions, *node.allowed[:MAX_MEMBERS]):
        if value is not None and compact_enough(value) and fits(node, value):
            return value
    return _made_up(node.leaf_nodes[0] if node.unions else node, depth)


def compact_enough(value: Any) -> bool:
    """Whether a value that a schema offers is small enough to show."""
    return bool(compact(value, MAX_TEXT))


def _made_up(node: SchemaNode, depth: int) -> Any:
    kind = next(iter(node.types), "")
    if node.allowed and not node.write_only:
        return node.allowed[0]
    if kind == "object" or (not kind and node.properties):
        return _object(node, depth)
    if kind == "array":
        return _array(node, depth)
    if kind in ("integer", "number"):
        return _number(node, kind)
    return {"boolean": False, "null": None}.get(kind, _text(node))


def _object(node: SchemaNode, depth: int) -> dict[str, Any]:
    names = sorted(
        node.required, key=list(node.properties).index if node.required <= set(node.properties) else None
    )
    return {n: _derive(node.child(n), depth + 1) for n in names[:MAX_MEMBERS]} if depth < MAX_DEPTH else {}


def _array(node: SchemaNode, depth: int) -> list[Any]:
    least = node.first("minItems", int) or 0
    most = node.first("maxItems", int)
    size = min(max(least, 1 if depth < 2 else 0), MAX_MEMBERS, MAX_MEMBERS if most is None else max(most, 0))
    if depth >= MAX_DEPTH:
        return []
    values = [_derive(node.child(i), depth + 1) for i in range(size)]
    return _distinct(node, values) if node.first("uniqueItems", bool) and size > 1 else values


def _distinct(node: SchemaNode, values: list[Any]) -> list[Any]:
    allowed = node.child(-1).allowed
    if len(allowed) >= len(values):
        return list(allowed[: len(values)])
    if all(isinstance(v, str) for v in values):
        return [v + str(i) if i else v for i, v in enumerate(values)]
    if all(type(v) in (int, float) for v in values):
        return [v + i for i, v in enumerate(values)]
    return values


def _number(node: SchemaNode, kind: str) -> int | float:
    """The number nearest to 1 that the limits allow: the first of a few candidates that fits them."""
    step = node.first("multipleOf", _NUMERIC)
    unit = step if step is not None and step > 0 else 1
    edges = [v for k in _EDGES if (v := node.first(k, _NUMERIC)) is not None and abs(v) < 1e15]
    candidates: list[int | float] = [1, unit, 0]
    for edge in edges:
        whole = math.floor(edge / unit) * unit if math.isfinite(edge / unit) else edge
        candidates += [edge, whole, whole + unit, whole - unit]
    if kind == "number" and edges:
        candidates += [sum(edges) / len(edges), edges[0] + 0.5, edges[0] - 0.5]
    whole_numbers = [int(c) if float(c).is_integer() else c for c in candidates]
    return next((c for c in whole_numbers if fits(node, c)), 1)


def _text(node: SchemaNode) -> str:
    least = min(node.first("minLength", int) or 0, MAX_TEXT)
    most = node.first("maxLength", int)
    sample = FORMAT_SAMPLES.get(node.first("format", str) or "")
    if pattern := pattern_of(node):
        return f"<text matching {pattern}>"
    if sample is not None and least <= len(sample) and (most is None or len(sample) <= most):
        return sample
    text = "text" if least <= 4 else "text" * (least // 4 + 1)
    return text[: max(least, 4)] if most is None else text[: max(least, min(most, 4))]
