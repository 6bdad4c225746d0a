"""From a `ForeignIssue` to validation issues: find the path, use the schema's names, look the constraint up."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from toolgen_runtime.hints.foreign.field_places import (
    MAX_DEPTH,
    Place,
    declared,
    knows,
    passes_over,
    place_of,
    sent,
    value_at,
)
from toolgen_runtime.hints.foreign.value_claims import REPORTED, contradicts
from toolgen_runtime.hints.problems import below
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.keywords import GRAPH, OTHER_KEYS, UNKNOWN_KEYS
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import json_type
from toolgen_runtime.schema.spelling import same_key
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import MISSING, ValidationIssue

MAX_KEY = 300
"""Characters of a key in brackets."""
MAX_DECLARED = 500
"""Places of a schema among which the one that a message is about is looked for."""
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
    got_text: str | None = None
    """The offending value as the library printed it, for where no place is named."""
    message: str = ""
    """The library's own sentence."""


def issues_of(foreign: ForeignIssue, facts: SchemaFacts, payload: Any) -> list[ValidationIssue]:
    """Return the issues that a foreign issue stands for; none where it is not about a place of this payload.

    What the payload contradicts ("missing" of a key that was sent) is left to the library's own sentence.
    """
    place = _place(foreign, facts, payload)
    if place is None:
        return []
    if not place.complete:
        return reported(place.path, foreign.message, payload)
    path = place.path
    if not path and foreign.constraint in _OF_SCALARS and "object" in facts.root.types:
        return []
    value = value_at(payload, path)
    names = foreign.names or _undeclared(foreign.constraint, facts.at(path), value)
    if foreign.constraint in _NAMED and names:
        found = list(_about_keys(replace(foreign, names=names), facts.at(path), path, value))
    elif foreign.constraint in OTHER_KEYS and isinstance(value, dict):
        return reported(path, foreign.message, payload)  # no key of the payload is unknown
    elif foreign.constraint == REPORTED:
        return reported(path, foreign.message, payload)
    elif foreign.constraint == "required" and path:
        found = [ValidationIssue(path, "required", True)]
    else:
        node = facts.at(path)
        constraint = _measured(foreign.constraint, node)
        got = value if value is not MISSING else foreign.got
        found = [ValidationIssue(path, constraint, _expected(foreign, constraint, node), got)]
    out: list[ValidationIssue] = []
    for issue in found:
        if contradicts(value_at(payload, issue.path), issue, facts):
            out += reported(issue.path, foreign.message, payload)
        else:
            out.append(issue)
    return out


def _undeclared(constraint: str, node: SchemaNode, value: Any) -> tuple[str, ...]:
    """Return the keys that are meant where a text says that there are unknown ones, and not which."""
    if constraint not in OTHER_KEYS or not isinstance(value, dict):
        return ()
    if any("patternProperties" in raw for raw in node.raws):
        return ()
    return tuple(key for key in value if isinstance(key, str) and key not in node.properties)


def reported(path: Path, message: str, payload: Any) -> list[ValidationIssue]:
    """Return the issue of a place of which a library or a service says something in its own words."""
    if not path or not message.strip():
        return []
    return [ValidationIssue(path, REPORTED, message, value_at(payload, path))]


def _place(foreign: ForeignIssue, facts: SchemaFacts, payload: Any) -> Place | None:
    if foreign.path is None:
        path = _search(foreign, facts, payload)
        return None if path is None else Place(path)
    if isinstance(foreign.path, str):
        return follow(foreign.path, facts, payload)
    return place_of(foreign.path, facts, payload)


def _measured(constraint: str, node: SchemaNode) -> str:
    """Return the constraint that is meant by "length", which some libraries say of arrays and objects, too."""
    if constraint in ("minLength", "maxLength") and node.types in (("array",), ("object",)):
        return constraint[:3] + ("Items" if node.types == ("array",) else "Properties")
    return constraint


def _about_keys(foreign: ForeignIssue, node: SchemaNode, path: Path, value: Any) -> Iterator[ValidationIssue]:
    missing = foreign.constraint in ("required", "dependentRequired")
    for name in foreign.names:
        if missing:
            known = name if name in node.properties else same_key(name, node.properties) or name
            if not isinstance(value, dict) or known not in value:
                yield ValidationIssue((*path, known), "required", True)
        else:
            got = value.get(name, MISSING) if isinstance(value, dict) else foreign.got
            yield ValidationIssue((*path, name), foreign.constraint, False, got)


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


# -- paths that only the schema can tell -------------------------------------------------------------------


def _search(foreign: ForeignIssue, facts: SchemaFacts, payload: Any) -> Path | None:
    """Return the first path, nearest to the root, that a text without a path can be about."""
    if payload is not MISSING:
        return next((path for path, node, value in sent(facts, payload) if _fits(foreign, node, value)), None)
    if foreign.got_text or foreign.constraint == "const":
        return _only_one_that_asks(foreign, facts)
    if not foreign.names or foreign.constraint not in ("required", "dependentRequired"):
        return ()
    return next((path for path, node in declared(facts) if set(foreign.names) <= node.properties.keys()), ())


def _only_one_that_asks(foreign: ForeignIssue, facts: SchemaFacts) -> Path | None:
    """Return the one declared place whose schema asks for what a message prints; None if there may be others."""
    found: list[Path] = []
    todo: list[tuple[Path, SchemaNode]] = [((), facts.root)]
    for path, node in todo:  # it grows; a schema used at two places is two places
        if len(todo) > MAX_DECLARED:
            return None
        if path and _asks(foreign, node):
            found.append(path)
        todo += [((*path, name), node.child(name)) for name in node.properties]
        if "array" in node.types:
            todo.append(((*path, ANY_ITEM), node.child(ANY_ITEM)))
    return found[0] if len(found) == 1 and ANY_ITEM not in found[0] else None  # which item is not known


def _asks(foreign: ForeignIssue, node: SchemaNode) -> bool:
    """Return whether a message prints what a schema, or a branch of it, says under its constraint."""
    raws = [*node.raws, *(raw for union in node.unions for leaf in union for raw in leaf)]
    asked = [raw[foreign.constraint] for raw in raws if isinstance(raw, dict) and foreign.constraint in raw]
    return any(text in f" {foreign.message} " for value in asked for text in _printed(value))


def _printed(value: Any) -> tuple[str, ...]:
    return (f" {value!r} ", f" {json.dumps(value, ensure_ascii=False)} ")


def _fits(foreign: ForeignIssue, node: SchemaNode, value: Any) -> bool:
    if foreign.names:
        if not isinstance(value, dict):
            return False
        if foreign.constraint in ("required", "dependentRequired"):
            return all(n not in value and (n in node.properties or n in node.required) for n in foreign.names)
        return all(n in value for n in foreign.names)
    if foreign.got_text is None or isinstance(value, dict | list):
        return False
    if not _prints_as(value, foreign.got_text):
        return False
    return _breaks(foreign.constraint, node, value)


def _prints_as(value: Any, text: str) -> bool:
    plain = {None: ("None", "null"), True: ("True", "true"), False: ("False", "false")}
    if value is None or isinstance(value, bool):
        return text in plain[value]
    return repr(value) == text or (isinstance(value, str) and text[1:-1] == value[: len(text) - 2])


def _breaks(constraint: str, node: SchemaNode, value: Any) -> bool:
    if constraint == "type":
        return bool(node.types) and json_type(value) not in node.types
    if constraint in ("enum", "const"):
        return bool(node.allowed) and value not in node.allowed
    return node.first(constraint, (str, int, float)) is not None


Reader = Callable[[str], list[ForeignIssue]]
"""Reads a text; an empty list where it is not in that library's words."""
