"""Example values that a place's own schema admits, from the schema alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from toolgen_runtime.hints.advice import FORMAT_SAMPLES
from toolgen_runtime.hints.expected import limits, pattern_of
from toolgen_runtime.hints.problems import Finding
from toolgen_runtime.hints.text import compact
from toolgen_runtime.schema.facts import Path, Place
from toolgen_runtime.schema.raw import admits, is_index, json_type
from toolgen_runtime.validation.issues import MISSING

_NUMERIC = (int, float)
_EDGES = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
MAX_DEPTH = 6
MAX_MEMBERS = 20
MAX_TEXT = 200
"""Characters of a value that a schema offers (as JSON) and of a string that is made up."""


def example_input(missing: Sequence[Finding]) -> dict[str, Any] | None:
    """The missing fields with a value each, nested where they belong; array items share one item.

    None where nothing is missing below an object.
    """
    root: dict[str, Any] = {}
    for finding in missing:
        _put(root, finding.path, example(finding.place))
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


def example(place: Place) -> Any:
    """A value that the place admits, a fresh object each time; where none can be derived, a typed placeholder."""
    value = place.kept.get("example", MISSING)
    if value is MISSING:
        value = place.memo("example", lambda p: _derive(p, 0))
    return _copy(value)


def _copy(value: Any) -> Any:
    """A JSON value in containers of its own."""
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _derive(place: Place, depth: int) -> Any:
    if place.unions and not place.types:
        place = place.leaf_places[0]
    if place.write_only:
        return _made_up(place, depth)
    for value in (*place.suggestions, *place.allowed[:MAX_MEMBERS]):
        if value is not None and compact_enough(value) and fits(place, value):
            return value
    return _made_up(place.leaf_places[0] if place.unions else place, depth)


def compact_enough(value: Any) -> bool:
    """Whether a value that a schema offers is small enough to show."""
    return bool(compact(value, MAX_TEXT))


def fits(place: Place, value: Any, depth: int = 0) -> bool:
    """Whether type, allowed values, limits and members agree; patterns and formats are taken on trust."""
    if value is None:
        return place.nullable
    name = json_type(value)
    if not admits(place.types, name) or depth > MAX_DEPTH:
        return False
    if place.allowed and not any(v == value and type(v) is type(value) for v in place.allowed):
        return False
    if not _within(place, value, name):
        return False
    if name == "array":
        return all(fits(place.child(i), v, depth + 1) for i, v in enumerate(value))
    if name == "object":
        known = not place.closed or all(k in place.properties for k in value)
        return (
            known
            and place.required <= value.keys()
            and all(fits(place.child(k), v, depth + 1) for k, v in value.items())
        )
    return True


def _within(place: Place, value: Any, name: str) -> bool:
    if len(place.types) != 1 or name in ("boolean", "null"):
        return True
    least, most = limits(place)
    size = value if name in ("integer", "number") else len(value)
    above = place.first("exclusiveMinimum", (int, float))
    below = place.first("exclusiveMaximum", (int, float))
    step = place.first("multipleOf", (int, float))
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


def _made_up(place: Place, depth: int) -> Any:
    kind = next(iter(place.types), "")
    if place.allowed and not place.write_only:
        return place.allowed[0]
    if kind == "object" or (not kind and place.properties):
        return _object(place, depth)
    if kind == "array":
        return _array(place, depth)
    if kind in ("integer", "number"):
        return _number(place, kind)
    return {"boolean": False, "null": None}.get(kind, _text(place))


def _object(place: Place, depth: int) -> dict[str, Any]:
    names = sorted(
        place.required, key=list(place.properties).index if place.required <= set(place.properties) else None
    )
    return {n: _derive(place.child(n), depth + 1) for n in names[:MAX_MEMBERS]} if depth < MAX_DEPTH else {}


def _array(place: Place, depth: int) -> list[Any]:
    least = place.first("minItems", int) or 0
    most = place.first("maxItems", int)
    size = min(max(least, 1 if depth < 2 else 0), MAX_MEMBERS, MAX_MEMBERS if most is None else max(most, 0))
    if depth >= MAX_DEPTH:
        return []
    values = [_derive(place.child(i), depth + 1) for i in range(size)]
    return _distinct(place, values) if place.first("uniqueItems", bool) and size > 1 else values


def _distinct(place: Place, values: list[Any]) -> list[Any]:
    allowed = place.child(-1).allowed
    if len(allowed) >= len(values):
        return list(allowed[: len(values)])
    if all(isinstance(v, str) for v in values):
        return [v + str(i) if i else v for i, v in enumerate(values)]
    if all(type(v) in (int, float) for v in values):
        return [v + i for i, v in enumerate(values)]
    return values


def _number(place: Place, kind: str) -> int | float:
    """The number nearest to 1 that the limits allow: the first of a few candidates that fits them."""
    step = place.first("multipleOf", _NUMERIC)
    unit = step if step is not None and step > 0 else 1
    edges = [v for k in _EDGES if (v := place.first(k, _NUMERIC)) is not None and abs(v) < 1e15]
    candidates: list[int | float] = [1, unit, 0]
    for edge in edges:
        whole = math.floor(edge / unit) * unit if math.isfinite(edge / unit) else edge
        candidates += [edge, whole, whole + unit, whole - unit]
    if kind == "number" and edges:
        candidates += [sum(edges) / len(edges), edges[0] + 0.5, edges[0] - 0.5]
    whole_numbers = [int(c) if float(c).is_integer() else c for c in candidates]
    return next((c for c in whole_numbers if fits(place, c)), 1)


def _text(place: Place) -> str:
    least = min(place.first("minLength", int) or 0, MAX_TEXT)
    most = place.first("maxLength", int)
    sample = FORMAT_SAMPLES.get(place.first("format", str) or "")
    if pattern := pattern_of(place):
        return f"<text matching {pattern}>"
    if sample is not None and least <= len(sample) and (most is None or len(sample) <= most):
        return sample
    text = "text" if least <= 4 else "text" * (least // 4 + 1)
    return text[: max(least, 4)] if most is None else text[: max(least, min(most, 4))]
