"""From a `ForeignIssue` to validation issues: find the path, use the schema's names, look the constraint up."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from toolgen_runtime.hints.foreign.field_places import (
    MAX_DEPTH,
    Place,
    declared,
    knows,
    passes_over,
    place_of,
    value_at,
)
from toolgen_runtime.hints.problems import below
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.keywords import GRAPH, UNKNOWN_KEYS
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.spelling import same_key
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import MISSING, ValidationIssue

MAX_KEY = 300
"""Characters of a key in brackets."""
REPORTED = "reported"
"""The constraint of an issue that is known in its author's own words only; `expected` holds them."""
_LIMITS = frozenset(row.name for row in GRAPH.values() if row.comparison is not None)
_OF_SCALARS = frozenset(
    ("enum", "const", *(row.name for row in GRAPH.values() if row.kind not in ("any", "object")))
)
"""Constraints that arguments as a whole, an object, cannot break."""
_NAMED = UNKNOWN_KEYS | {"required", "dependentRequired"}


@dataclass(frozen=True, slots=True)
class ForeignIssue:
    """One problem as another library reports it."""

    constraint: str
    """The JSON Schema keyword that it comes down to; `reported` where it comes down to none."""
    path: Path | str | None = None
    """Steps, or a dotted text to be matched against the schema; None where the text names no place."""
    names: tuple[str, ...] = ()
    """Keys that are missing, or that should not be there, at the place."""
    expected: Any = None
    got: Any = MISSING
    message: str = ""
    """The library's own sentence."""


def issues_of(foreign: ForeignIssue, facts: SchemaFacts, payload: Any) -> list[ValidationIssue]:
    """Return the issues that a foreign issue stands for; none where it is not about a place of this payload.

    Of a payload that is known the tool's own check has found nothing wrong: its place and the library's sentence are
    all that is said then.
    """
    place = _place(foreign, facts, payload)
    if place is None:
        return []
    path = place.path
    if not place.complete or foreign.constraint == REPORTED:
        return reported(path, foreign.message, payload)
    if not path and foreign.constraint in _OF_SCALARS and "object" in facts.root.types:
        return []
    node = facts.at(path)
    if foreign.constraint in _NAMED and foreign.names:
        found = _about_keys(foreign, node, path)
    elif foreign.constraint == "required" and path:
        found = [ValidationIssue(path, "required", True)]
    else:
        constraint = _measured(foreign.constraint, node)
        found = [ValidationIssue(path, constraint, _expected(foreign, constraint, node), foreign.got)]
    if payload is MISSING:
        return found
    return [said for issue in found for said in reported(issue.path, foreign.message, payload)]


def reported(path: Path, message: str, payload: Any) -> list[ValidationIssue]:
    """Return the issue of a place of which a library or a service says something in its own words."""
    if not path or not message.strip():
        return []
    return [ValidationIssue(path, REPORTED, message, value_at(payload, path))]


def _place(foreign: ForeignIssue, facts: SchemaFacts, payload: Any) -> Place | None:
    if foreign.path is None:
        path = _of_names(foreign, facts)
        return None if path is None else Place(path)
    if isinstance(foreign.path, str):
        return follow(foreign.path, facts, payload)
    return place_of(foreign.path, facts, payload)


def _measured(constraint: str, node: SchemaNode) -> str:
    """Return the constraint that is meant by "length", which some libraries say of arrays and objects, too."""
    if constraint in ("minLength", "maxLength") and node.types in (("array",), ("object",)):
        return constraint[:3] + ("Items" if node.types == ("array",) else "Properties")
    return constraint


def _about_keys(foreign: ForeignIssue, node: SchemaNode, path: Path) -> list[ValidationIssue]:
    """Return an issue for each key; a service that calls a declared field unknown has rules of its own."""
    found: list[ValidationIssue] = []
    for name in foreign.names:
        if foreign.constraint in ("required", "dependentRequired"):
            known = name if name in node.properties else same_key(name, node.properties) or name
            found.append(ValidationIssue((*path, known), "required", True))
        elif name in node.properties:
            found += reported((*path, name), foreign.message, MISSING)
        else:
            found.append(ValidationIssue((*path, name), foreign.constraint, False, foreign.got))
    return found


def _expected(foreign: ForeignIssue, constraint: str, node: SchemaNode) -> Any:
    """Return what the schema says under the constraint, or else what the text says."""
    if constraint == "type":
        if node.types:
            return node.types[0] if len(node.types) == 1 else node.types
    elif constraint in ("enum", "const"):
        if node.allowed:
            return node.allowed if constraint == "enum" else node.allowed[0]
    else:
        known = node.first(constraint, (str, int, float, list, dict))
        if known is not None:
            return known
    return foreign.expected if _can_be_expected(foreign.expected, constraint) else None


def _can_be_expected(expected: Any, constraint: str) -> bool:
    """Return whether a keyword can have this value; a text may say anything."""
    if constraint == "type":
        names = expected if isinstance(expected, list | tuple) else [expected]
        return all(isinstance(name, str) for name in names)
    if constraint == "enum":
        return isinstance(expected, list | tuple)
    if constraint in _LIMITS:
        is_whole = isinstance(expected, int) and not isinstance(expected, bool)
        return is_whole or (isinstance(expected, float) and math.isfinite(expected))
    return constraint not in ("format", "pattern") or isinstance(expected, str)


# -- paths that the text names -------------------------------------------------------------------------------


def follow(text: str, facts: SchemaFacts, payload: Any) -> Place | None:
    """Return the place that begins a text: `.rows[3].qty must be ...`, `/rows/3/qty`, `.rows.3`.

    Keys may hold dots and spaces: at each step the longest key that schema or payload know is taken. Otherwise as
    `place_of`.
    """
    steps: list[str | int] = []
    node, value = facts.root, payload
    at = 0
    while at < len(text) and text[at] in ".[/" and len(steps) < MAX_DEPTH:
        step, at = _step(text, at, node, value)
        if step is None:
            break
        steps.append(step)
        if not isinstance(step, str) or knows(node, value, step):
            node, value = node.child(step), below(value, step)
        elif not passes_over(step, node, at_root=node is facts.root):
            break
    return place_of(steps, facts, payload)


def _step(text: str, at: int, node: SchemaNode, value: Any) -> tuple[str | int | None, int]:
    """Return one step from `at` on: the key or index (None for no step), and where it ends."""
    begin = at + 1
    if text[at] == "[":
        close = text.find("]", begin, begin + MAX_KEY)
        inside = text[begin:close] if close > 0 else ""
        if inside.isdecimal() and len(inside) < 10:
            return int(inside), close + 1
        if inside == "...":
            return (next(iter(value), None) if isinstance(value, dict) else ANY_ITEM), close + 1
        quoted = inside[1:-1] if len(inside) > 1 and inside[0] == inside[-1] and inside[0] in "'\"" else None
        return (None, at) if quoted is None else (quoted, close + 1)
    keys = (
        [*node.properties, *(k for k in value if isinstance(k, str))]
        if isinstance(value, dict)
        else node.properties
    )
    best = max(
        (k for k in keys if k and text.startswith(k, begin) and _ends(text, begin + len(k))),
        key=len,
        default="",
    )
    if best:
        return best, begin + len(best)
    end = begin
    while end < len(text) and (text[end].isalnum() or text[end] in "_-"):
        end += 1
    word = text[begin:end]
    if not word:
        return None, at
    if word.isdecimal() and len(word) < 10 and (isinstance(value, list) or "array" in node.types):
        return int(word), end
    return same_key(word, node.properties) or word, end


def _ends(text: str, at: int) -> bool:
    return at == len(text) or text[at] in " .[/:,\n"


def _of_names(foreign: ForeignIssue, facts: SchemaFacts) -> Path | None:
    """Return the first object, nearest to the root, that declares the names of a text without a path."""
    if foreign.constraint not in _NAMED or not foreign.names:
        return None
    names = set(foreign.names)
    return next((path for path, node in declared(facts) if names <= node.properties.keys()), ())


Reader = Callable[[str], list[ForeignIssue]]
"""Reads a text; an empty list where it is not in that library's words."""
