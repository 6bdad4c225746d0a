"""Find values at the wrong level: an extra or missing wrapper, fields in another's text, keys one object too high.

A move is a proposal: the edits and their sentence. It is applied and checked; it is kept if fewer issues remain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from toolgen_runtime.hints.certainty import LABELS, rule_of
from toolgen_runtime.hints.edits import Edit, apply_edits
from toolgen_runtime.hints.names import holds_arguments, word_likeness
from toolgen_runtime.hints.problems import Call, Location, Problem, general, mixes_objects
from toolgen_runtime.hints.renames import inner_keys
from toolgen_runtime.hints.text import clean, keys_text, name_shown, skeleton
from toolgen_runtime.hints.texts import parsed_container, sole_holder
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.validation.issues import ANY_ITEM, MISSING, Secret, ValidationIssue

_BY_KEY = frozenset(("required", *UNKNOWN_KEYS))
MAX_MOVES = 4
"""The most moves of one payload, one after the other."""
MAX_PLACES = 8
"""The most kinds of places (paths without indices) that are examined."""
MAX_ITEMS = 200
"""The most items of one list that are moved together."""
MAX_DEPTH = 4
"""The most nested wrappers."""
_OPEN, _CLOSE = '<parameter name="', "</parameter>"
"""The tags around a field that some models write."""
_ENDED = re.compile(r"</[^\W\d]\w*>\Z")


class Place(NamedTuple):
    """An object that has problems, or a value sent instead of an object or the reverse."""

    call: Call
    path: Path
    location: Location
    issue: ValidationIssue
    """The first issue of the place."""
    unknown: list[str]
    """The unknown keys among its issues."""
    missing: list[str]


def find_moves(
    call: Call, issues: Sequence[ValidationIssue]
) -> tuple[list[Problem], Call, Sequence[ValidationIssue]]:
    """Return the moves as problems, and the call and its issues after the moves."""
    moved: list[Problem] = []
    for _ in range(MAX_MOVES):
        problems, call, issues = next(_moves(call, issues), ((), call, issues))
        if not problems:
            break
        moved += problems
    return moved, call, issues


def _moves(
    call: Call, issues: Sequence[ValidationIssue]
) -> Iterator[tuple[Sequence[Problem], Call, Sequence[ValidationIssue]]]:
    """Yield the moves that leave fewer issues, those of all items of a list together.

    A move must not add unknown keys, and must reduce either all issues or those about keys.
    """
    for group in _places(call, issues):
        is_object = isinstance(group[0].location.value, dict)
        for strategy in (unwrap, split_parameters, push_down) if is_object else (put_under,):
            moves = [move for place in group if (move := strategy(place)) is not None]
            if len(moves) < len(group):
                continue  # A move must be possible for every item of the group.
            try:
                after = apply_edits(call.payload, [e for m in moves for e in m.edits])
            except ValueError:
                continue
            left = call.issues_of(after)
            if _count(left, UNKNOWN_KEYS) <= _count(issues, UNKNOWN_KEYS) and (
                len(left) < len(issues) or _count(left, _BY_KEY) < _count(issues, _BY_KEY)
            ):
                yield moves, call.sent_as(after), left


def _count(issues: Sequence[ValidationIssue], constraints: frozenset[str]) -> int:
    return sum(issue.constraint in constraints for issue in issues)


def _move(
    place: Place, at: Path, edits: Sequence[Edit], put: str, asked: str = "", rules: Sequence[str] = ()
) -> Problem:
    """Return a move at path `at` as a problem; `put` is its order, `asked` its question."""
    problem = Problem(at, place.issue, "additionalProperties", place.location, place.location.node)
    problem.unknown = False
    problem.said, problem.asked = put, asked or f"did you mean to {put}"
    problem.propose(*edits, rules=rules)
    if not problem.rules:
        problem.doubt()
    return problem


def _places(call: Call, issues: Sequence[ValidationIssue]) -> list[list[Place]]:
    """Return the places from or into which values may move, grouped by list, outer ones first."""
    found: dict[Path, Place] = {}
    for issue in issues[: 4 * MAX_ITEMS]:
        constraint, path = issue.constraint, issue.path
        if constraint in _BY_KEY and path and isinstance(path[-1], str):
            above = path[:-1]
            if above not in found:
                found[above] = Place(call, above, call.locate(above), issue, [], [])
            (found[above].missing if constraint == "required" else found[above].unknown).append(path[-1])
        elif mixes_objects(issue) and path not in found:
            found[path] = Place(call, path, call.locate(path), issue, [], [])
    groups: dict[Path, list[Place]] = {}
    for path, place in found.items():
        kind = general(path)
        if kind in groups or len(groups) < MAX_PLACES:
            groups.setdefault(kind, []).append(place)
    return [group[:MAX_ITEMS] for _, group in sorted(groups.items(), key=lambda g: len(g[0]))]


def unwrap(place: Place) -> Problem | None:
    """Propose the object inside the sent one: its only member, or the member next to labels of a call."""
    value, node, at = place.location.value, place.location.node, place.path
    if not admits(node.types, "object"):
        return None
    path: list[str] = []
    inner: Any = value
    while isinstance(inner, dict) and len(path) < MAX_DEPTH and (key := _wrapper(inner, node)) is not None:
        path.append(key)
        inner = inner[key]
    if not path:
        return None
    edits = [Edit("unwrap", at, tuple(path))]
    rules = [rule_of(edits[0], value, inner, node, node, place.call)]
    if isinstance(inner, str) and (text := parsed_container(inner.strip())) is not MISSING:
        edits.append(Edit("set", at, value=_hidden(text, node)))
        rules.append(rule_of(edits[1], inner, text, node, node, place.call))
        inner = text
    if not isinstance(inner, dict) or (not inner and node.required):
        return None
    if inner and node.properties and node.properties.keys().isdisjoint(inner):
        return None  # None of its keys is declared.
    around = " and ".join(name_shown(key) for key in dict.fromkeys(path))
    if at or not inner:
        put = f"send {skeleton(inner, node) if inner else '{}'} without {around} around it"
    else:
        put = f"send {keys_text([*inner])} at the top level, not inside {around}"
    return _move(place, at, edits, put, rules=rules)


def _wrapper(value: dict[Any, Any], node: SchemaNode) -> str | None:
    """Return the key whose value should replace the object: the only key, or the one next to labels of a call."""
    keys = [k for k in value if isinstance(k, str) and k not in node.properties]
    if len(value) == 1:
        return keys[0] if keys else None
    holders = [k for k in keys if holds_arguments(k)]
    rest = [k for k in value if k not in holders]
    labels = all(isinstance(k, str) and k.lower() in LABELS and isinstance(value[k], str) for k in rest)
    return holders[0] if len(holders) == 1 and labels else None


def split_parameters(place: Place) -> Problem | None:
    """Propose to set the fields that the text of another field contains as `<parameter>` tags."""
    value, node = place.location.value, place.location.node
    for key, text in value.items() if place.missing else ():
        if not isinstance(text, str) or _OPEN not in text:
            continue
        own, found = _parameters_in(text)
        if not found or not all(n in node.properties and n not in value for n in found):
            continue
        values = {key: own, **{n: _value_in(node.child(n), inner) for n, inner in found.items()}}
        edits = [Edit("set", (*place.path, n), value=_hidden(v, node)) for n, v in values.items()]
        tag = f'its text has a <parameter name="{clean(next(iter(found))[:40])}"> tag'
        put = f"send {keys_text([*values])} as {len(values)} fields"
        return _move(place, (*place.path, key), edits, f"{tag}: {put}", f"{tag}: did you mean to {put}")
    return None


def _parameters_in(text: str) -> tuple[str, dict[str, str]]:
    """Return the text before the first tag and the fields in the tags; no fields if other text is between them."""
    own, *parts = text.split(_OPEN)
    found: dict[str, str] = {}
    for part in parts:
        name, _, rest = part.partition('">')
        inner, _, tail = rest.partition(_CLOSE)
        if not name.isidentifier() or name in found or (tail.strip() and not tail.strip().startswith("</")):
            return own, {}
        found[name] = inner
    return _ENDED.sub("", own.rstrip()), found


def _hidden(value: Any, node: SchemaNode) -> Any:
    """Return a value for an edit, wrapped in a `Secret` if the schema has secrets."""
    return Secret(value) if node.schema.has_secrets else value


def _value_in(node: SchemaNode, text: str) -> Any:
    """Return the value of a field written between tags: containers as JSON, anything else as text."""
    is_container = "string" not in node.types and text.strip()[:1] in ("{", "[")
    value = parsed_container(text.strip()) if is_container else MISSING
    return text if value is MISSING else value


def push_down(place: Place) -> Problem | None:
    """Propose to move keys into the object that declares them, or unknown keys into a missing open object."""
    value, node = place.location.value, place.location.node
    strays = [k for k in value if isinstance(k, str) and k not in node.properties]
    deeper = node.memo("inner_keys", inner_keys)
    targets: dict[str, list[str]] = {}
    for key in strays:
        holders = _declaring(key, value, node) if key in deeper else []
        if len(holders) == 1:
            targets.setdefault(holders[0], []).append(key)
    if targets:
        return _into(place, *targets.popitem()) if len(targets) == 1 else None
    opened = [n for n in place.missing if (c := node.child(n)).types == ("object",) and not c.properties]
    is_the_object = len(strays) == 1 and (  # the missing object itself, under another name
        isinstance(value[strays[0]], dict) or any(word_likeness(strays[0], n) is not None for n in opened)
    )
    others = place.unknown and set(strays) != set(place.unknown)
    if opened != place.missing or len(opened) != 1 or not strays or is_the_object or others:
        return None
    return None if node.child(opened[0]).closed else _into(place, opened[0], strays)


def _declaring(key: str, value: dict[Any, Any], node: SchemaNode) -> list[str]:
    """Return the properties that declare a key in their object, or in their items, and do not have it yet."""
    found = []
    for name in node.properties:
        child, sent = node.child(name), value.get(name, MISSING)
        if "object" in child.types or (not child.types and child.properties):
            free = sent is MISSING or (isinstance(sent, dict) and key not in sent)
            if free and key in child.properties:
                found.append(name)
        elif "array" in child.types and sent is MISSING and key in child.child(ANY_ITEM).properties:
            found.append(name)
    required = [name for name in found if name in node.required and name not in value]
    return required if len(found) > 1 and len(required) == 1 else found


def _into(place: Place, name: str, keys: list[str]) -> Problem:
    node, value = place.location.node, place.location.value
    child = node.child(name)
    is_list = "object" not in child.types and "array" in child.types
    target: Path = (name, 0) if is_list else (name,)
    form = skeleton({k: value[k] for k in keys}, child.child(0) if is_list else child)
    form = f"[{form}]" if is_list else form
    if len(keys) == len(value):
        whole = "these arguments" if not place.path else "its keys"
        edit = Edit("wrap", place.path, target)
        put = f"wrap {whole} in {name_shown(name)}: {{{name_shown(name)}: {form}}}"
        return _move(
            place, place.path, [edit], put, rules=[rule_of(edit, value, value, node, node, place.call)]
        )
    edits = [Edit("move", (*place.path, k), (*place.path, *target, k)) for k in keys]
    return _move(place, (*place.path, name), edits, f"put {keys_text(keys)} into it: {form}")


def put_under(place: Place) -> Problem | None:
    """Propose to wrap a list or scalar in the expected object, under its only suitable property."""
    value, node = place.location.value, place.location.node
    is_text_of_json = isinstance(value, str) and value.lstrip()[:1] in ("{", "[")
    if node.types != ("object",) or json_type(value) in ("null", "") or is_text_of_json:
        return None
    name = sole_holder(node, value)
    if name is None:
        return None
    form = f"{{{name_shown(name)}: {skeleton(value, node.child(name))}}}"
    edit = Edit("wrap", place.path, (name,))
    return _move(place, place.path, [edit], f"send an object: {form}", f"send an object: did you mean {form}")
