"""Correct values at the wrong level: an extra or missing wrapper object, or keys that belong one object
deeper.

Each move is tried and the result is checked. The move is kept if fewer keys are wrong after it, or as many keys and
fewer values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from toolgen_runtime.hints.certainty import LABELS, rule_of
from toolgen_runtime.hints.edits import Edit, apply_edits
from toolgen_runtime.hints.keys import inner_keys
from toolgen_runtime.hints.names import holds_arguments
from toolgen_runtime.hints.problems import Call, Location, general, problem_of
from toolgen_runtime.hints.proposals import Finding, proposal
from toolgen_runtime.hints.quoting import clean, name_shown, skeleton
from toolgen_runtime.hints.sentence import keys_text
from toolgen_runtime.hints.values import parsed_container
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import json_type
from toolgen_runtime.validation.helpers import equal
from toolgen_runtime.validation.issues import MISSING, ValidationIssue

_BY_KEY = frozenset(("required", *UNKNOWN_KEYS))
MAX_MOVES = 4
"""The most moves of one payload, one after the other."""
MAX_PLACES = 8
"""The most kinds of places (paths without indices) that are examined."""
MAX_MOVED_ITEMS = 200
"""The most items of one list that are moved together."""
MAX_WRAPPERS = 4
"""The most nested wrappers."""
_OPEN = '<parameter name="'
_PARAMETER = re.compile(_OPEN + r'(\w+)">([^<]*(?:<(?!/parameter>|parameter )[^<]*)*)')
"""The tags around a field that some models write."""
_ENDED = re.compile(r"</[^\W\d]\w*>\Z")
_BESIDE = (*LABELS, "explanation", "reason", "reasoning", "thought", "thoughts", "comment")
"""Keys next to the arguments that may name the called tool or the call, or explain it."""


class Place(NamedTuple):
    """A place where values may be at the wrong level: an object, or a value that was sent instead of one."""

    call: Call
    path: Path
    location: Location
    issue: ValidationIssue
    """The first issue of the place."""


Moved = tuple[list[Finding], Call, Sequence[ValidationIssue]]


def find_moves(call: Call, issues: Sequence[ValidationIssue]) -> Moved:
    """Find values at the wrong level. Return the moves that correct them, and the call and its issues after
    the moves.
    """
    moved: list[Finding] = []
    for _ in range(MAX_MOVES if call.check else 0):
        found, call, issues = _move_in(call, issues)
        moved += found
        if not found:
            break
    return moved, call, issues


def _move_in(call: Call, issues: Sequence[ValidationIssue]) -> Moved:
    """Return the first move after which less is wrong. All items of a list are moved together."""
    for group in _places(call, issues):
        is_object = isinstance(group[0].location.value, dict)
        for move in OBJECT_MOVES if is_object else VALUE_MOVES:
            found = [each for place in group if (each := move(place)) is not None]
            if len(found) < len(group):
                continue  # A move must be possible for every item of the group.
            try:
                after = apply_edits(call.payload, [e for f in found for e in f.proposal.edits])
            except ValueError:
                continue
            left = call.issues_of(after)
            if _wrong(left) < _wrong(issues):
                return found, call.sent_as(after), left
    return [], call, issues


def _wrong(issues: Sequence[ValidationIssue]) -> tuple[int, int]:
    """Return how many issues are about keys, and how many there are at all."""
    return sum(issue.constraint in _BY_KEY for issue in issues), len(issues)


def _places(call: Call, issues: Sequence[ValidationIssue]) -> list[list[Place]]:
    """Return the places that values may be moved from or to, the outer ones first.

    The objects of a list are one group, and its other values another.
    """
    groups: dict[tuple[Path, bool], dict[Path, Place]] = {}
    for issue in issues[: 4 * MAX_MOVED_ITEMS]:
        path = issue.path
        if issue.constraint in _BY_KEY:
            path = path[:-1]
        elif isinstance(issue.got, (str, int, float)) and not _asks_for_object(issue):
            continue  # the usual case
        location = call.locate(path)
        is_object = isinstance(location.value, dict)
        if is_object and not _may_move(location):
            continue
        if not is_object and (location.node.types != ("object",) or location.value is None):
            continue
        kind = general(path), is_object
        if kind in groups or len(groups) < MAX_PLACES:
            groups.setdefault(kind, {}).setdefault(path, Place(call, path, location, issue))
    outer_first = sorted(groups, key=lambda kind: len(kind[0]))
    return [[*groups[kind].values()][:MAX_MOVED_ITEMS] for kind in outer_first]


def _asks_for_object(issue: ValidationIssue) -> bool:
    expected = issue.expected
    return issue.constraint == "type" and isinstance(expected, (str, list, tuple)) and "object" in expected


def _may_move(location: Location) -> bool:
    """Return whether members of an object may be at the wrong level: every move of them needs one of these signs."""
    if location.undeclared or location.wide.unions:
        return True
    return any(isinstance(member, str) and _OPEN in member for member in location.value.values())


def _move(
    place: Place, at: Path, edits: Sequence[Edit], question: str, order: str = "", rules: Sequence[str] = ()
) -> Finding:
    """Return a move at path `at`. Its sentence is the order if it is certain; otherwise the question."""
    problem = problem_of(place.call, at, "move", [place.issue])
    return Finding(problem, proposal(edits, rules, order=order, question=question))


# -- a wrapper too many --------------------------------------------------------------------------------------------


def unwrap(place: Place) -> Finding | None:
    """Propose to use an object, or the JSON text of one, that is inside the object that was sent."""
    value, node, at = place.location.value, place.location.node, place.path
    path, sent, inner = _inside(value, node)
    if not path:
        return None
    edits = [Edit("unwrap", at, path)]
    rules = [rule_of(edits[0], value, sent, node, node, place.call)]
    if sent is not inner:
        edits.append(Edit("set", at, value=place.call.hidden(inner)))
        rules.append(rule_of(edits[1], sent, inner, node, node, place.call))
    around = " and ".join(map(name_shown, dict.fromkeys(path)))
    order = f"send {skeleton(inner, node)} without {around} around it"
    return _move(place, at, edits, f"did you mean to {order}", order, rules)


def _inside(value: Any, node: SchemaNode) -> tuple[Path, Any, Any]:
    """Return the path through undeclared keys to an object that has fields of the node, with what was sent there and
    the object. The path is empty if there is not exactly one such object.
    """
    path: Path = ()
    for _ in range(MAX_WRAPPERS):
        inside = {k: _object(v) for k, v in value.items() if isinstance(k, str) and k not in node.properties}
        objects = [key for key, inner in inside.items() if isinstance(inner, dict)]
        found = [key for key in objects if _is_whole(inside[key], node)] or objects
        if len(found) != 1:
            break
        sent, inner = value[found[0]], inside[found[0]]
        path = (*path, found[0])
        if not all(_is_needless(k, other, inner, node) for k, other in value.items() if k != found[0]):
            break
        if not inner or not node.properties.keys().isdisjoint(inner):
            return path, sent, inner
        value = inner
    return (), None, None


def _object(value: Any) -> Any:
    """Return an object, also if it was sent as JSON text; any other value is returned as it is."""
    if isinstance(value, str):
        return parsed_container(value)
    return value


def _is_whole(value: dict[Any, Any], node: SchemaNode) -> bool:
    """Return whether an object has all required fields, and at least one field."""
    return node.required <= value.keys() and not node.properties.keys().isdisjoint(value)


def _is_needless(key: Any, value: Any, inner: dict[Any, Any], node: SchemaNode) -> bool:
    """Return whether the value of a key next to an object may be left out if the object is used."""
    if isinstance(value, str) and key in _BESIDE:
        return True
    if key in node.properties:
        return equal(inner.get(key, MISSING), value)
    return _is_whole(inner, node)


def split_parameters(place: Place) -> Finding | None:
    """Propose to set several fields from `<parameter>` tags that were sent in the text of one field."""
    value, node = place.location.value, place.location.node
    for key, text in value.items():
        if not isinstance(text, str) or _OPEN not in text:
            continue
        found = {name: inner for name, inner in _PARAMETER.findall(text) if name not in value}
        if not found or not found.keys() <= node.properties.keys():
            continue
        values: dict[str, Any] = {key: _ENDED.sub("", text.partition(_OPEN)[0].rstrip()), **found}
        for name, inner in found.items():
            if "string" not in node.child(name).types and (read := parsed_container(inner)) is not MISSING:
                values[name] = read
        edits = [Edit("set", (*place.path, n), value=place.call.hidden(v)) for n, v in values.items()]
        tag = f'its text has a <parameter name="{clean(next(iter(found))[:40])}"> tag'
        asked = f"{tag}: did you mean to send {keys_text([*values])} as {len(values)} fields"
        return _move(place, (*place.path, key), edits, asked)
    return None


def name_branch(place: Place) -> Finding | None:
    """Propose the union branch whose name was sent as the only key, or as a label next to the fields."""
    value, at, wide = place.location.value, place.path, place.location.wide
    for label, name in value.items() if wide.unions and len(value) == 2 else ():
        inner = next((key for key in value if key != label and isinstance(value[key], dict)), None)
        is_branch = isinstance(name, str) and name in wide.properties and label not in wide.properties
        if is_branch and inner is not None:
            edits = [Edit("remove", (*at, label)), Edit("rename", (*at, inner), (*at, name))]
            return _branch(place, at, edits, {name: value[inner]})
    if len(value) != 1:
        return None
    key, fields = next(iter(value.items()))
    places: list[tuple[Path, str, Path]] = [(at, tag, (key,)) for tag in wide.properties]  # {"create": {...}}
    if at and len(place.call.locate(at[:-1]).value) == 1:
        places.append((at[:-1], str(at[-1]), (at[-1], key)))  # {"operation": {"create": {...}}}
    for above, tag, path in places if isinstance(fields, dict) else ():
        if key in place.call.locate(above).tags(tag):
            edits = [Edit("unwrap", above, path), Edit("set", (*above, tag), value=place.call.hidden(key))]
            return _branch(place, above, edits, {tag: key, **fields})
    return None


def _branch(place: Place, at: Path, edits: Sequence[Edit], value: dict[str, Any]) -> Finding:
    form = skeleton(value, place.call.locate(at).wide)
    return _move(place, at, edits, f"did you mean {form}")


def split_branches(place: Place) -> Finding | None:
    """Propose to split the last item of a list if it combines several branches of a union."""
    value, at, wide = place.location.value, place.path, place.location.wide
    is_item = at != () and isinstance(at[-1], int)
    if not is_item or not wide.unions or len(value) < 2 or not value.keys() <= wide.properties.keys():
        return None
    above, index = at[:-1], int(at[-1])
    edits = [Edit("move", (*at, key), (*above, index + n, key)) for n, key in enumerate(value) if n]
    items = " and ".join(skeleton({key: value[key]}, wide) for key in value)
    return _move(place, at, edits, f"did you mean to send {len(value)} items: {items}")


# -- a wrapper that is missing -------------------------------------------------------------------------------------


def push_down(place: Place) -> Finding | None:
    """Propose to move keys one object deeper: into the object that declares them, or into a missing object
    that accepts any keys.
    """
    value, node, undeclared = place.location.value, place.location.node, place.location.undeclared
    deeper = inner_keys(node)
    targets: dict[str, list[str]] = {}
    for key in undeclared:
        names = node.properties if key in deeper else ()
        holders = [name for name in names if _takes(node.child(name), value.get(name, MISSING), key)]
        if len(holders) == 1:
            targets.setdefault(holders[0], []).append(key)
    if not targets and undeclared:
        targets = dict.fromkeys(_open_object(value, node, undeclared), undeclared)
    if len(targets) != 1:
        return None
    return _into(place, *targets.popitem())


def _open_object(value: dict[Any, Any], node: SchemaNode, undeclared: list[str]) -> list[str]:
    """Return the only missing field if it accepts any keys, and none of those that were sent is its other name."""
    missing = [*node.required - value.keys()]
    if len(missing) != 1:
        return []
    child, first = node.child(missing[0]), undeclared[0]
    is_open = child.types == ("object",) and not child.properties and not child.closed
    # One object under another name is the missing one, unless it may be one of several arguments.
    is_argument = holds_arguments(missing[0]) and not holds_arguments(first)
    if is_open and (is_argument or len(undeclared) > 1 or not isinstance(value[first], dict)):
        return missing
    return []


def _takes(node: SchemaNode, sent: Any, key: str) -> bool:
    """Return whether the object of a field, or of its list, declares a key and does not have it yet."""
    inner, below = _object_of(node)
    has_room = isinstance(sent, dict) and not below and key not in sent
    return key in inner.properties and (sent is MISSING or has_room)


def _object_of(node: SchemaNode) -> tuple[SchemaNode, Path]:
    """Return the node of a field's object, or of the first item of its list, with the path to it."""
    if "array" in node.types and "object" not in node.types:
        return node.child(0), (0,)
    return node, ()


def _into(place: Place, name: str, keys: list[str]) -> Finding:
    """Return the move of keys into the object of a field, or into the first item of its list."""
    value, node = place.location.value, place.location.node
    inner, below = _object_of(node.child(name))
    target = (name, *below)
    form = skeleton({k: value[k] for k in keys}, inner)
    if below:
        form = f"[{form}]"
    if len(keys) < len(value):
        edits = [Edit("move", (*place.path, k), (*place.path, *target, k)) for k in keys]
        asked = f"did you mean to put {keys_text(keys)} into it: {form}"
        return _move(place, (*place.path, name), edits, asked)
    whole = "its keys" if place.path else "these arguments"
    edit = Edit("wrap", place.path, target)
    order = f"wrap {whole} in {name_shown(name)}: {{{name_shown(name)}: {form}}}"
    rule = rule_of(edit, value, value, node, node, place.call)
    return _move(place, place.path, [edit], f"did you mean to {order}", order, [rule])


def put_under(place: Place) -> Finding | None:
    """Propose to put a list or scalar into the expected object, under the only property that accepts it."""
    value, node = place.location.value, place.location.node
    is_text_of_json = isinstance(value, str) and value.lstrip()[:1] in ("{", "[")
    names = [n for n in node.required or node.properties if json_type(value) in node.child(n).types]
    if is_text_of_json or len(names) != 1:
        return None
    form = f"{{{name_shown(names[0])}: {skeleton(value, node.child(names[0]))}}}"
    edit = Edit("wrap", place.path, (names[0],))
    return _move(place, place.path, [edit], f"send an object: did you mean {form}")


OBJECT_MOVES: tuple[Callable[[Place], Finding | None], ...] = (
    name_branch,
    split_branches,
    unwrap,
    split_parameters,
    push_down,
)
"""The moves of an object's members, in the order in which they are tried."""
VALUE_MOVES: tuple[Callable[[Place], Finding | None], ...] = (put_under,)
"""The moves of a value that was sent instead of an object."""
