"""From a `ForeignIssue` to validation issues: find the path, use the schema's names, look the constraint up."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from toolgen_runtime.hints.problems import below
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import json_type
from toolgen_runtime.schema.spelling import same_key
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import MISSING, ValidationIssue

MAX_VISITED = 5_000
MAX_DEPTH = 64
_NAMED = frozenset(
    ("required", "additionalProperties", "unevaluatedProperties", "propertyNames", "dependentRequired")
)


@dataclass(frozen=True, slots=True)
class ForeignIssue:
    """One problem as another library reports it."""

    constraint: str
    """The JSON Schema keyword that it comes down to."""
    path: Path | str | None = None
    """Steps, or a dotted text to be matched against the schema; None where the text names no place."""
    names: tuple[str, ...] = ()
    """Keys that are missing, or that should not be there, at the place."""
    expected: Any = None
    got: Any = MISSING
    got_text: str | None = None
    """The offending value as the library printed it, for where no place is named."""


def issues_of(foreign: ForeignIssue, facts: SchemaFacts, payload: Any) -> list[ValidationIssue]:
    """Return the issues that a foreign issue stands for; none where its path cannot be found."""
    if foreign.path is None:
        path = _search(foreign, facts, payload)
        if path is None:
            return []
    elif isinstance(foreign.path, str):
        path = follow(foreign.path, facts, payload)[0]
    else:
        path = known_path(foreign.path, facts, payload)
    value = value_at(payload, path)
    if foreign.constraint in _NAMED and foreign.names:
        return list(_about_keys(foreign, facts.at(path), path, value))
    node = facts.at(path)
    if foreign.constraint == "required" and path:
        return [ValidationIssue(path, "required", True)]
    got = value if value is not MISSING else foreign.got
    constraint = _measured(foreign.constraint, node)
    return [ValidationIssue(path, constraint, _expected(foreign, constraint, node), got)]


def _measured(constraint: str, node: SchemaNode) -> str:
    """Some libraries use "length" for strings, arrays and objects alike; the schema tells which."""
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
    """What the schema says under the constraint, or else what the text says."""
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
    return foreign.expected


def value_at(payload: Any, path: Path) -> Any:
    """The value at a path, `MISSING` where there is none."""
    for step in path:
        payload = below(payload, step)
    return payload


# -- paths that the text names -------------------------------------------------------------------------------


def known_path(steps: Path, facts: SchemaFacts, payload: Any) -> Path:
    """The steps that schema or payload know, in the schema's spelling; names of models and branches are passed over."""
    node, value, path = facts.root, payload, []
    for step in steps:
        if isinstance(step, str) and step.isdecimal() and not node.properties and "array" in node.types:
            step = int(step)
        if isinstance(step, str) and not _knows(node, value, step):
            known = same_key(step, node.properties)
            if known is None:
                continue
            step = known
        path.append(step)
        node, value = node.child(step), value_at(value, (step,))
    return tuple(path)


def _knows(node: SchemaNode, value: Any, name: str) -> bool:
    return name in node.properties or (isinstance(value, dict) and name in value)


def follow(text: str, facts: SchemaFacts, payload: Any) -> tuple[Path, str]:
    """The path that begins a text (`.rows[3].qty must be ...`, `/rows/3/qty`, `.rows.3`), and the text after it.

    Keys may hold dots and spaces: at each step the longest key that schema or payload know is taken.
    """
    node, value = facts.root, payload
    path: list[str | int] = []
    at = 0
    while at < len(text) and text[at] in ".[/" and len(path) < MAX_DEPTH:
        step, at = _step(text, at, node, value)
        if step is None:
            break
        if step != "":
            path.append(step)
            node, value = node.child(step), value_at(value, (step,))
    return tuple(path), text[at:]


def _step(text: str, at: int, node: SchemaNode, value: Any) -> tuple[str | int | None, int]:
    """One step from `at` on: the key or index (`""` to pass over, None for no step) and where it ends."""
    begin = at + 1
    if text[at] == "[":
        close = text.find("]", begin)
        inside = text[begin:close] if close > 0 else ""
        if inside.isdecimal() and len(inside) < 10:
            return int(inside), close + 1
        if inside == "...":
            return (next(iter(value), "") if isinstance(value, dict) else ANY_ITEM), close + 1
        quoted = inside[1:-1] if len(inside) > 1 and inside[0] == inside[-1] and inside[0] in "'\"" else None
        return (None, at) if quoted is None else (quoted, close + 1)
    sent = [k for k in value if isinstance(k, str)] if isinstance(value, dict) else []
    keys = [*node.properties, *sent]
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
    return same_key(word, node.properties) or "", end


def _ends(text: str, at: int) -> bool:
    return at == len(text) or text[at] in " .[/:,\n"


# -- paths that only the schema can tell -------------------------------------------------------------------


def _search(foreign: ForeignIssue, facts: SchemaFacts, payload: Any) -> Path | None:
    """Return the first path, nearest to the root, that a text without a path can be about."""
    if payload is not MISSING:
        return next(
            (path for path, node, value in _sent(facts, payload) if _fits(foreign, node, value)), None
        )
    if not foreign.names or foreign.constraint not in ("required", "dependentRequired"):
        return () if not foreign.got_text else None
    return next((path for path, node in _declared(facts) if set(foreign.names) <= node.properties.keys()), ())


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


def _sent(facts: SchemaFacts, payload: Any) -> Iterator[tuple[Path, SchemaNode, Any]]:
    """Every place of the payload, nearest to the root first; bounded."""
    todo: deque[tuple[Path, SchemaNode, Any]] = deque([((), facts.root, payload)])
    for _ in range(MAX_VISITED):
        if not todo:
            return
        path, node, value = todo.popleft()
        yield path, node, value
        if len(path) < MAX_DEPTH and isinstance(value, dict | list):
            narrow = node.narrow(value)[0]
            members = value.items() if isinstance(value, dict) else enumerate(value)
            for step, member in members:
                if len(todo) < MAX_VISITED:
                    todo.append(((*path, step), narrow.child(step), member))


def _declared(facts: SchemaFacts) -> Iterator[tuple[Path, SchemaNode]]:
    """Every object of the schema, nearest to the root first; bounded."""
    todo: deque[tuple[Path, SchemaNode]] = deque([((), facts.root)])
    seen: set[int] = set()
    while todo and len(seen) < MAX_VISITED:
        path, node = todo.popleft()
        if id(node) in seen or len(path) > MAX_DEPTH:
            continue
        seen.add(id(node))
        yield path, node
        todo.extend(((*path, name), node.child(name)) for name in node.properties)
        if "array" in node.types:
            todo.append(((*path, 0), node.child(ANY_ITEM)))


Reader = Callable[[str], list[ForeignIssue]]
"""Reads a text; an empty list where it is not in that library's words."""
