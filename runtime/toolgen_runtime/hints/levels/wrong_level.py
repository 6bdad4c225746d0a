"""Data at the wrong level: a wrapper too many, a wrapper missing, keys one object too deep or not deep enough.

A move is found by trying: what is left to complain about, once the values stand elsewhere, says whether they belong
there. So nothing is tried unless keys are missing or unknown, or another type stands where an object belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from toolgen_runtime.hints.edits import Edit, apply_edits
from toolgen_runtime.hints.levels.moves import (
    Move,
    Place,
    push_down,
    put_under,
    split_parameters,
    unwrap,
)
from toolgen_runtime.hints.problems import UNKNOWN, Locator, Problem
from toolgen_runtime.schema.node import Path, SchemaNode
from toolgen_runtime.schema.raw import admits
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import ValidationIssue, revealed

Check = Callable[[Any], list[ValidationIssue]]

Strategy = Callable[[Place], Move | None]
_OF_OBJECTS: tuple[Strategy, ...] = (unwrap, split_parameters, push_down)
_OF_OTHERS: tuple[Strategy, ...] = (put_under,)
_BY_KEY = frozenset(("required", *UNKNOWN))
_BY_VALUE = frozenset(("type", "anyOf", "oneOf"))
_SCALARS = frozenset((str, int, float, bool, type(None)))
MAX_MOVES = 4
"""Moves of one payload, one after the other."""
MAX_PLACES = 8
"""Kinds of places that are looked at."""
MAX_ITEMS = 200
"""Items of one list that are moved together."""


def may_be_misplaced(issues: Sequence[ValidationIssue]) -> bool:
    """Return whether a key is missing or unknown, or an object stands where another value belongs, or the other way."""
    for issue in issues[:MAX_ITEMS]:
        constraint = issue.constraint
        if constraint in _BY_KEY or (constraint in _BY_VALUE and _may_be_moved(issue)):
            return True
    return False


def is_flat(locator: Locator) -> bool:
    """Return whether neither the schema nor the payload has an object in an object: nothing can be moved then."""
    payload, root = locator.payload, locator.facts.root
    if not isinstance(payload, dict) or root.memo("nests", _nests):
        return False
    for key, value in payload.items():
        kind = type(value)
        if kind is str:
            if "{" in value or _may_hold_fields(value):
                return False
        elif kind is dict or (kind is list and (key not in root.properties or _holds_containers(value))):
            return False
    return True


def _holds_containers(items: list[Any]) -> bool:
    return not _SCALARS.issuperset(map(type, items))


def _may_hold_fields(text: str) -> bool:
    """Return whether other fields may stand in the text of one."""
    return "<parameter" in text


def _nests(node: SchemaNode) -> bool:
    """Return whether members of an object, or items of those that are lists, may be objects."""
    children = [child for name in node.properties if not (child := node.child(name)).allowed]
    items = [child.child(ANY_ITEM) for child in children if admits(child.types, "array")]
    return any(admits(inner.types, "object") and not inner.allowed for inner in (*children, *items))


def find_moves(
    locator: Locator, issues: Sequence[ValidationIssue], check: Check
) -> tuple[list[Problem], Locator, Sequence[ValidationIssue]]:
    """Return the moves as problems of their own, and the payload and its issues once they are made."""
    moved: list[Problem] = []
    for _ in range(MAX_MOVES):
        found = _next_move(locator, issues, check)
        if found is None:
            break
        problems, payload, issues = found
        locator = Locator(locator.facts, payload)
        moved += problems
    return moved, locator, issues


def _next_move(
    locator: Locator, issues: Sequence[ValidationIssue], check: Check
) -> tuple[list[Problem], Any, list[ValidationIssue]] | None:
    for group in _places(locator, issues):
        # What is no move for the first item is none for the group.
        is_object = isinstance(group[0].location.value, dict)
        for strategy in _OF_OBJECTS if is_object else _OF_OTHERS:
            moves = _moves_of_all(group, strategy)
            if not moves:
                continue
            made = _tried(locator.payload, [e for m in moves for e in m.edits], issues, check)
            if made is not None:
                return [_problem(p, m) for p, m in zip(group, moves, strict=False)], *made
    return None


def _moves_of_all(group: Sequence[Place], strategy: Strategy) -> list[Move]:
    """Return one move for each of the places; none at all if one of them has none."""
    moves: list[Move] = []
    for place in group[:MAX_ITEMS]:
        move = strategy(place)
        if move is None:
            return []
        moves.append(move)
    return moves


def _tried(
    payload: Any, edits: Sequence[Edit], issues: Sequence[ValidationIssue], check: Check
) -> tuple[Any, list[ValidationIssue]] | None:
    """Return the payload with the edits and its issues, if these are fewer; those of keys count first."""
    try:
        after = apply_edits(payload, edits)
    except ValueError:
        return None
    left = check(after)
    if _by_key(left, UNKNOWN) > _by_key(issues, UNKNOWN):
        return None
    fewer = len(left) < len(issues) or _by_key(left, _BY_KEY) < _by_key(issues, _BY_KEY)
    return (after, left) if fewer else None


def _by_key(issues: Sequence[ValidationIssue], constraints: frozenset[str]) -> int:
    return sum(issue.constraint in constraints for issue in issues)


def _problem(place: Place, move: Move) -> Problem:
    issue, location = place.issue, place.location
    problem = Problem(move.at, issue, "additionalProperties", location, location.node)
    problem.missing = problem.unknown = False
    problem.said, problem.asked = move.put, move.asked or f"did you mean to {move.put}"
    problem.edits, problem.rule, problem.moves = move.edits, "moved", True
    return problem


def _places(locator: Locator, issues: Sequence[ValidationIssue]) -> list[list[Place]]:
    """Return the places that something can be moved out of or into, those of one list together, outer ones first."""
    found: dict[Path, tuple[ValidationIssue, list[str], list[str]]] = {}
    for issue in issues[: 4 * MAX_ITEMS]:
        constraint = issue.constraint
        if constraint in _BY_KEY:
            path = issue.path
            if path and isinstance(path[-1], str):
                above = path[:-1]
                if above not in found:
                    found[above] = (issue, [], [])
                _, unknown, missing = found[above]
                (missing if constraint == "required" else unknown).append(path[-1])
        elif constraint in _BY_VALUE and _may_be_moved(issue):
            found.setdefault(issue.path, (issue, [], []))
    groups: dict[Path, list[Place]] = {}
    for path, (issue, unknown, missing) in found.items():
        location = locator.locate(path)
        if (
            missing
            and not unknown
            and not location.has_strays()
            and not _may_hold(path, location.value, missing)
            and not any(locator.locate(path[:n]).has_strays() for n in range(len(path)))
        ):
            continue
        general = tuple([ANY_ITEM if type(s) is int else s for s in path])
        if general in groups or len(groups) < MAX_PLACES:
            place = Place(path, location, locator, issue, (*unknown,), (*missing,))
            groups.setdefault(general, []).append(place)
    return [group for _, group in sorted(groups.items(), key=lambda g: len(g[0]))]


def _may_hold(path: Path, value: Any, missing: Sequence[str]) -> bool:
    """Return whether what is missing in an object of declared keys alone may stand in a member of it."""
    if not isinstance(value, dict):
        return False
    any_key = len(value) == 1 or (path != () and path[-1] in value)  # The member may be the object itself.
    for member in value.values():
        if type(member) is dict:
            if any_key or not member.keys().isdisjoint(missing):
                return True
        elif type(member) is str and _may_hold_fields(member):
            return True
    return False


def _may_be_moved(issue: ValidationIssue) -> bool:
    """Return whether an object stands where another value belongs, or another value where an object belongs."""
    expected, got = issue.expected, issue.got
    if type(expected) is str and expected != "object" and type(got) in _SCALARS:
        return False
    got = revealed(got)
    return isinstance(got, dict) or (
        got is not None
        and (expected == "object" or (isinstance(expected, (list, tuple)) and "object" in expected))
    )
