"""Correct values at the wrong level: an extra or missing wrapper object, or keys that belong one object
deeper.

Each move is tried and the result is checked. The move is kept if fewer issues remain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from toolgen_runtime.hints.certainty import LABELS, rule_of
from toolgen_runtime.hints.edits import Edit, apply_edits, below
from toolgen_runtime.hints.keys import inner_keys
from toolgen_runtime.hints.names import holds_arguments, word_likeness
from toolgen_runtime.hints.problems import Call, Location, Problem, general, mixes_objects, problem_of
from toolgen_runtime.hints.proposals import Finding, proposal
from toolgen_runtime.hints.quoting import clean, name_shown, skeleton
from toolgen_runtime.hints.sentence import keys_text
from toolgen_runtime.hints.values import parsed_container
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import admits, is_one_of, json_type
from toolgen_runtime.validation.helpers import equal
from toolgen_runtime.validation.issues import ANY_ITEM, MISSING, ValidationIssue, key_text

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
_EXPLAINING = ("explanation", "reason", "reasoning", "thought", "thoughts", "comment")


class Place(NamedTuple):
    """A place where values may be at the wrong level: an object with problems, or a value of the wrong type.

    In the second case, an object was expected, or was sent instead of another value.
    """

    call: Call
    path: Path
    location: Location
    issue: ValidationIssue
    """The first issue of the place."""
    missing: list[str]
    """The missing fields of the object."""


Moved = tuple[list[Finding], Call, Sequence[ValidationIssue]]


def find_moves(call: Call, problems: Sequence[Problem], issues: Sequence[ValidationIssue]) -> Moved:
    """Find values at the wrong level. Return the moves that correct them, and the call and its issues after
    the moves.
    """
    moved: list[Finding] = []
    if call.check is None or not any(map(_may_be_misplaced, problems)):
        return moved, call, issues
    for _ in range(MAX_MOVES):
        found, call, issues = next(_moves(call, issues), ([], call, issues))
        if not found:
            break
        moved += found
    return moved, call, issues


def _may_be_misplaced(problem: Problem) -> bool:
    """Return whether data may be at the wrong level.

    This is so if keys are missing or unknown, or if an object was sent instead of another value or the reverse.
    """
    if problem.unknown:
        return True
    if not problem.missing:
        return mixes_objects(problem.issues[0])
    location = problem.location
    # Every move of members needs an undeclared key, a union of an inner object, or a parameter's tag (below).
    if location.undeclared or (len(problem.path) > 1 and location.wide.unions):
        return True
    members = location.value if isinstance(location.value, dict) else {}
    return any(isinstance(member, str) and _OPEN in member for member in members.values())


def _moves(call: Call, issues: Sequence[ValidationIssue]) -> Iterator[Moved]:
    """Yield the moves that leave fewer issues. The moves for all items of a list are made together.

    A move must not add unknown keys, and must reduce either all issues or those about keys.
    """
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
            if _count(left, UNKNOWN_KEYS) <= _count(issues, UNKNOWN_KEYS) and (
                len(left) < len(issues) or _count(left, _BY_KEY) < _count(issues, _BY_KEY)
            ):
                yield found, call.sent_as(after), left


def _count(issues: Sequence[ValidationIssue], constraints: frozenset[str]) -> int:
    return sum(issue.constraint in constraints for issue in issues)


def _move(
    place: Place, at: Path, edits: Sequence[Edit], order: str, question: str = "", rules: Sequence[str] = ()
) -> Finding:
    """Return a move at path `at`.

    `order` is its sentence if it is certain; otherwise `question` is used.
    """
    problem = problem_of(place.call, at, "move", [place.issue])
    asked = question or f"did you mean to {order}"
    return Finding(problem, proposal(edits, rules, order=order, question=asked))


def _places(call: Call, issues: Sequence[ValidationIssue]) -> list[list[Place]]:
    """Return the places that values may be moved from or to, the outer ones first.

    The objects of a list are one group, and its other values another.
    """
    found: dict[Path, Place] = {}
    for issue in issues[: 4 * MAX_MOVED_ITEMS]:
        path = issue.path
        if issue.constraint in _BY_KEY and path:
            path = path[:-1]
        elif not mixes_objects(issue):
            continue
        if path not in found:
            found[path] = Place(call, path, call.locate(path), issue, [])
        if issue.constraint == "required" and issue.path:
            found[path].missing.append(key_text(issue.path[-1]))
    groups: dict[tuple[Path, bool], list[Place]] = {}
    for path, place in found.items():
        kind = general(path), isinstance(place.location.value, dict)
        if kind in groups or len(groups) < MAX_PLACES:
            groups.setdefault(kind, []).append(place)

    def outer_first(kind: tuple[Path, bool]) -> tuple[int, bool]:
        path, is_object = kind
        return len(path), not is_object

    return [groups[kind][:MAX_MOVED_ITEMS] for kind in sorted(groups, key=outer_first)]


# -- a wrapper too many --------------------------------------------------------------------------------------------


def unwrap(place: Place) -> Finding | None:
    """Propose to use an object that is inside the one that was sent.

    It is the only value in it, or the one next to labels or explanations.
    """
    value, node, at = place.location.value, place.location.node, place.path
    path, inner = _inside(value, node)
    if not path or not admits(node.types, "object"):
        return None
    edits = [Edit("unwrap", at, path)]
    rules = [rule_of(edits[0], value, inner, node, node, place.call)]
    if isinstance(inner, str) and (text := parsed_container(inner)) is not MISSING:
        edits.append(Edit("set", at, value=place.call.hidden(text)))
        rules.append(rule_of(edits[1], inner, text, node, node, place.call))
        inner = text
    if not isinstance(inner, dict) or (
        inner and node.properties and node.properties.keys().isdisjoint(inner)
    ):
        return None
    around = " and ".join(name_shown(key) for key in dict.fromkeys(path) if isinstance(key, str))
    order = f"send {skeleton(inner, node)} without {around} around it"
    return _move(place, at, edits, order, rules=rules)


def _inside(value: Any, node: SchemaNode) -> tuple[Path, Any]:
    """Return the path through the wrappers around the intended object, and the object."""
    path: list[str | int] = []
    inner = value
    while len(path) < MAX_WRAPPERS and (key := _wrapper(inner, node)) is not None:
        path.append(key)
        inner = below(inner, key)
        if isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], dict):
            path.append(0)
            inner = inner[0]
    return tuple(path), inner


def _wrapper(value: Any, node: SchemaNode) -> str | None:
    """Return the key whose value should replace the object; None if there is not exactly one."""
    if not isinstance(value, dict):
        return None
    keys = [k for k in value if isinstance(k, str) and k not in node.properties]
    if len(value) == 1:
        if keys:
            return keys[0]
        return None
    holders = [k for k in keys if holds_arguments(k)] or [k for k in keys if _holds_fields(value[k], node)]
    if len(holders) != 1:
        return None
    inner = value[holders[0]]
    for key, other in value.items():
        is_label = isinstance(other, str) and key in (*LABELS, *_EXPLAINING)
        is_repeated = isinstance(inner, dict) and equal(inner.get(key, MISSING), other)
        is_needless = key in keys and _holds_fields(inner, node)
        if key != holders[0] and not (is_label or is_repeated or is_needless):
            return None
    return holders[0]


def _holds_fields(value: Any, node: SchemaNode) -> bool:
    """Return whether a value is an object with all required fields, or looks like a call that contains arguments."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict) or not value:
        return False
    has_fields = node.required <= value.keys() and not node.properties.keys().isdisjoint(value)
    return has_fields or any(isinstance(k, str) and holds_arguments(k) for k in value)


def split_parameters(place: Place) -> Finding | None:
    """Propose to set several fields from `<parameter>` tags that were sent in the text of one field."""
    value, node = place.location.value, place.location.node
    for key, text in value.items():
        if not isinstance(text, str) or _OPEN not in text:
            continue
        found = {name: inner for name, inner in _PARAMETER.findall(text) if name not in value}
        if not found or not found.keys() <= node.properties.keys():
            continue
        values: dict[str, Any] = {key: _ENDED.sub("", text.partition(_OPEN)[0].rstrip())}
        for name, inner in found.items():
            if "string" in node.child(name).types:
                read = MISSING
            else:
                read = parsed_container(inner)
            values[name] = inner if read is MISSING else read
        edits = [Edit("set", (*place.path, n), value=place.call.hidden(v)) for n, v in values.items()]
        tag = f'its text has a <parameter name="{clean(next(iter(found))[:40])}"> tag'
        order = f"send {keys_text([*values])} as {len(values)} fields"
        return _move(place, (*place.path, key), edits, f"{tag}: {order}", f"{tag}: did you mean to {order}")
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
        if is_one_of(key, place.call.locate(above).tags(tag)):
            edits = [Edit("unwrap", above, path), Edit("set", (*above, tag), value=place.call.hidden(key))]
            return _branch(place, above, edits, {tag: key, **fields})
    return None


def _branch(place: Place, at: Path, edits: Sequence[Edit], value: dict[str, Any]) -> Finding:
    form = skeleton(value, place.call.locate(at).wide)
    return _move(place, at, edits, f"send {form}", f"did you mean {form}")


def split_branches(place: Place) -> Finding | None:
    """Propose to split the last item of a list if it combines several branches of a union."""
    value, at, wide = place.location.value, place.path, place.location.wide
    if at:
        index = at[-1]
    else:
        index = ""
    if (
        not isinstance(index, int)
        or not wide.unions
        or len(value) < 2
        or not value.keys() <= wide.properties.keys()
    ):
        return None
    if place.call.locate((*at[:-1], index + 1)).value is not MISSING:
        return None  # new items can only stand at the end
    edits = [Edit("move", (*at, key), (*at[:-1], index + n, key)) for n, key in enumerate(value) if n]
    items = " and ".join(skeleton({key: value[key]}, wide) for key in value)
    return _move(place, at, edits, f"send {len(value)} items: {items}")


# -- a wrapper that is missing -------------------------------------------------------------------------------------


def push_down(place: Place) -> Finding | None:
    """Propose to move keys one object deeper: into the object that declares them, or into a missing object
    that accepts any keys.
    """
    value, node = place.location.value, place.location.node
    undeclared = place.location.undeclared
    deeper = inner_keys(node)
    targets: dict[str, list[str]] = {}
    for key in undeclared:
        if key in deeper:
            holders = _declaring(key, value, node)
        else:
            holders = []
        if len(holders) == 1:
            targets.setdefault(holders[0], []).append(key)
    if targets:
        if len(targets) == 1:
            return _into(place, *targets.popitem())
        return None
    if len(place.missing) != 1 or not undeclared:
        return None
    name = place.missing[0]
    child = node.child(name)
    is_open = child.types == ("object",) and not child.properties and not child.closed
    # One object under another name is the missing one, unless it may be one of several arguments.
    first = undeclared[0]
    is_object = isinstance(value[first], dict) and (holds_arguments(first) or not holds_arguments(name))
    is_itself = len(undeclared) == 1 and (is_object or word_likeness(first, name) is not None)
    if is_open and not is_itself:
        return _into(place, name, undeclared)
    return None


def _declaring(key: str, value: dict[Any, Any], node: SchemaNode) -> list[str]:
    """Return the properties that a key may belong to.

    The object of such a property, or its items, declares the key and does not have it yet.
    """
    found = []
    for name in node.properties:
        child, sent = node.child(name), value.get(name, MISSING)
        is_list = _is_list(child)
        if is_list:
            declared = child.child(ANY_ITEM).properties
        else:
            declared = child.properties
        has_room = not is_list and isinstance(sent, dict) and key not in sent
        if key in declared and (sent is MISSING or has_room):
            found.append(name)
    return found


def _is_list(node: SchemaNode) -> bool:
    return "array" in node.types and "object" not in node.types


def _into(place: Place, name: str, keys: list[str]) -> Finding:
    node, value = place.location.node, place.location.value
    child = node.child(name)
    if _is_list(child):
        target: Path = (name, 0)
    else:
        target = (name,)
    form = skeleton({k: value[k] for k in keys}, child.child(0) if _is_list(child) else child)
    if _is_list(child):
        form = f"[{form}]"
    if len(keys) == len(value):
        whole = "its keys" if place.path else "these arguments"
        edit = Edit("wrap", place.path, target)
        order = f"wrap {whole} in {name_shown(name)}: {{{name_shown(name)}: {form}}}"
        rule = rule_of(edit, value, value, node, node, place.call)
        return _move(place, place.path, [edit], order, rules=[rule])
    edits = [Edit("move", (*place.path, k), (*place.path, *target, k)) for k in keys]
    return _move(place, (*place.path, name), edits, f"put {keys_text(keys)} into it: {form}")


def put_under(place: Place) -> Finding | None:
    """Propose to put a list or scalar into the expected object, under the only property that accepts it."""
    value, node = place.location.value, place.location.node
    is_text_of_json = isinstance(value, str) and value.lstrip()[:1] in ("{", "[")
    fields = [*node.required] or [*node.properties]
    names = [name for name in fields if json_type(value) in node.child(name).types]
    if is_text_of_json or len(node.required) > 1 or len(names) != 1 or node.types != ("object",):
        return None
    form = f"{{{name_shown(names[0])}: {skeleton(value, node.child(names[0]))}}}"
    edit = Edit("wrap", place.path, (names[0],))
    return _move(place, place.path, [edit], f"send an object: {form}", f"send an object: did you mean {form}")


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
