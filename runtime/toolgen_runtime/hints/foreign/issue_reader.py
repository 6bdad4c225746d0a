"""What another validator says, brought to the schema: places found, names canonicalised, constraints looked up."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from toolgen_runtime.hints.problems import below
from toolgen_runtime.hints.renames import same_key
from toolgen_runtime.schema.facts import Path, Place, SchemaFacts
from toolgen_runtime.schema.raw import json_type
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import MISSING, ValidationIssue

MAX_VISITED = 5_000
MAX_DEPTH = 64
_NAMED = frozenset(
    ("required", "additionalProperties", "unevaluatedProperties", "propertyNames", "dependentRequired")
)


@dataclass(frozen=True, slots=True)
class Said:
    """One problem as a library words it."""

    constraint: str
    """The JSON Schema keyword that it comes down to."""
    place: Path | str | None = None
    """Steps, or a dotted text to be matched against the schema; None where the text names no place."""
    names: tuple[str, ...] = ()
    """Keys that are missing, or that should not be there, at the place."""
    expected: Any = None
    got: Any = MISSING
    got_text: str | None = None
    """The offending value as the library printed it, for where no place is named."""


def settle(said: Said, facts: SchemaFacts, payload: Any) -> list[ValidationIssue]:
    """The issues that a saying comes down to; none where its place cannot be found."""
    if said.place is None:
        path = _search(said, facts, payload)
        if path is None:
            return []
    elif isinstance(said.place, str):
        path = follow(said.place, facts, payload)[0]
    else:
        path = known_path(said.place, facts, payload)
    value = value_at(payload, path)
    if said.constraint in _NAMED and said.names:
        return list(_about_keys(said, facts.at(path), path, value))
    place = facts.at(path)
    if said.constraint == "required" and path:
        return [ValidationIssue(path, "required", True)]
    got = value if value is not MISSING else said.got
    constraint = _measured(said.constraint, place)
    return [ValidationIssue(path, constraint, _expected(said, constraint, place), got)]


def _measured(constraint: str, place: Place) -> str:
    """Some say "length" of strings, arrays and objects alike; the schema tells which."""
    if constraint in ("minLength", "maxLength") and place.types in (("array",), ("object",)):
        return constraint[:3] + ("Items" if place.types == ("array",) else "Properties")
    return constraint


def _about_keys(said: Said, place: Place, path: Path, value: Any) -> Iterator[ValidationIssue]:
    missing = said.constraint in ("required", "dependentRequired")
    for name in said.names:
        if missing:
            known = name if name in place.properties else same_key(name, place.properties) or name
            if not isinstance(value, dict) or known not in value:
                yield ValidationIssue((*path, known), "required", True)
        else:
            got = value.get(name, MISSING) if isinstance(value, dict) else said.got
            yield ValidationIssue((*path, name), said.constraint, False, got)


def _expected(said: Said, constraint: str, place: Place) -> Any:
    """What the schema says under the constraint, or else what the text said."""
    if constraint == "type":
        if place.types:
            return place.types[0] if len(place.types) == 1 else place.types
    elif constraint in ("enum", "const"):
        if place.allowed:
            return place.allowed if constraint == "enum" else place.allowed[0]
    else:
        known = place.first(constraint, (str, int, float, list, dict))
        if known is not None:
            return known
    return said.expected


def value_at(payload: Any, path: Path) -> Any:
    """The value at a path, `MISSING` where there is none."""
    for step in path:
        payload = below(payload, step)
    return payload


# -- places named by the text -------------------------------------------------------------------------------


def known_path(steps: Path, facts: SchemaFacts, payload: Any) -> Path:
    """The steps that schema or payload know, in the schema's spelling; names of models and branches are passed over."""
    place, value, path = facts.root, payload, []
    for step in steps:
        if isinstance(step, str) and step.isdecimal() and not place.properties and "array" in place.types:
            step = int(step)
        if isinstance(step, str) and not _knows(place, value, step):
            known = same_key(step, place.properties)
            if known is None:
                continue
            step = known
        path.append(step)
        place, value = place.child(step), value_at(value, (step,))
    return tuple(path)


def _knows(place: Place, value: Any, name: str) -> bool:
    return name in place.properties or (isinstance(value, dict) and name in value)


def follow(text: str, facts: SchemaFacts, payload: Any) -> tuple[Path, str]:
    """The path that begins a text (`.rows[3].qty must be ...`, `/rows/3/qty`, `.rows.3`), and the text after it.

    Keys may hold dots and spaces: at each step the longest key that schema or payload know is taken.
    """
    place, value = facts.root, payload
    path: list[str | int] = []
    at = 0
    while at < len(text) and text[at] in ".[/" and len(path) < MAX_DEPTH:
        step, at = _step(text, at, place, value)
        if step is None:
            break
        if step != "":
            path.append(step)
            place, value = place.child(step), value_at(value, (step,))
    return tuple(path), text[at:]


def _step(text: str, at: int, place: Place, value: Any) -> tuple[str | int | None, int]:
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
    keys = [*place.properties, *sent]
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
    if word.isdecimal() and len(word) < 10 and (isinstance(value, list) or "array" in place.types):
        return int(word), end
    return same_key(word, place.properties) or "", end


def _ends(text: str, at: int) -> bool:
    return at == len(text) or text[at] in " .[/:,\n"


# -- places that only the schema can tell -------------------------------------------------------------------


def _search(said: Said, facts: SchemaFacts, payload: Any) -> Path | None:
    """The first place, nearest to the root, of which a text without a place can speak."""
    if payload is not MISSING:
        return next(
            (path for path, place, value in _sent(facts, payload) if _speaks_of(said, place, value)), None
        )
    if not said.names or said.constraint not in ("required", "dependentRequired"):
        return () if not said.got_text else None
    return next((path for path, place in _declared(facts) if set(said.names) <= place.properties.keys()), ())


def _speaks_of(said: Said, place: Place, value: Any) -> bool:
    if said.names:
        if not isinstance(value, dict):
            return False
        if said.constraint in ("required", "dependentRequired"):
            return all(n not in value and (n in place.properties or n in place.required) for n in said.names)
        return all(n in value for n in said.names)
    if said.got_text is None or isinstance(value, dict | list):
        return False
    if not _prints_as(value, said.got_text):
        return False
    return _breaks(said.constraint, place, value)


def _prints_as(value: Any, text: str) -> bool:
    plain = {None: ("None", "null"), True: ("True", "true"), False: ("False", "false")}
    if value is None or isinstance(value, bool):
        return text in plain[value]
    return repr(value) == text or (isinstance(value, str) and text[1:-1] == value[: len(text) - 2])


def _breaks(constraint: str, place: Place, value: Any) -> bool:
    if constraint == "type":
        return bool(place.types) and json_type(value) not in place.types
    if constraint in ("enum", "const"):
        return bool(place.allowed) and value not in place.allowed
    return place.first(constraint, (str, int, float)) is not None


def _sent(facts: SchemaFacts, payload: Any) -> Iterator[tuple[Path, Place, Any]]:
    """Every place of the payload, nearest to the root first; bounded."""
    todo: deque[tuple[Path, Place, Any]] = deque([((), facts.root, payload)])
    for _ in range(MAX_VISITED):
        if not todo:
            return
        path, place, value = todo.popleft()
        yield path, place, value
        if len(path) < MAX_DEPTH and isinstance(value, dict | list):
            narrow = place.narrow(value)[0]
            members = value.items() if isinstance(value, dict) else enumerate(value)
            for step, member in members:
                if len(todo) < MAX_VISITED:
                    todo.append(((*path, step), narrow.child(step), member))


def _declared(facts: SchemaFacts) -> Iterator[tuple[Path, Place]]:
    """Every object of the schema, nearest to the root first; bounded."""
    todo: deque[tuple[Path, Place]] = deque([((), facts.root)])
    seen: set[int] = set()
    while todo and len(seen) < MAX_VISITED:
        path, place = todo.popleft()
        if id(place) in seen or len(path) > MAX_DEPTH:
            continue
        seen.add(id(place))
        yield path, place
        todo.extend(((*path, name), place.child(name)) for name in place.properties)
        if "array" in place.types:
            todo.append(((*path, 0), place.child(ANY_ITEM)))


Reader = Callable[[str], list[Said]]
"""Reads a text; an empty list where it is not in that library's words."""
