"""What the wrong value of a problem was meant to be, and the edit that makes it that; texts that say "no value"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from toolgen_runtime.hints.edits import Edit, Reading
from toolgen_runtime.hints.problems import Location, Problem, below
from toolgen_runtime.hints.text import MAX_ECHO, compact
from toolgen_runtime.hints.values.allowed_values import allowed_of, readings_of_choice
from toolgen_runtime.hints.values.text_readings import NO_VALUE, parsed_container
from toolgen_runtime.hints.values.value_readings import MAX_ITEMS, readings_of
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue, key_text

_LISTING = ("enum", "const")
_FORMS = ("format", "pattern")
_LIMITS = ("minimum", "maximum")
_SHARE = re.compile(
    r"percent|%|\bshare\b|\bratio\b|fraction|\b0(?:\.0)?\s*(?:-|to|and|\u2013)\s*1(?:\.0)?\b", re.IGNORECASE
)


def read_value(problem: Problem, *, changes: bool, tried: bool) -> None:
    """Find out what the value of a problem was meant to be.

    Args:
        problem: one whose value is wrong.
        changes: whether null is not the same as leaving out.
        tried: whether the check can be asked; else a reading that only the check can confirm is none.
    """
    if problem.got is MISSING or problem.missing or problem.unknown:
        return
    found = [r for r in _readings(problem, changes) if tried or not r.whole]
    if len(found) > 1:
        found.sort(key=lambda r: not r.certain)
        if sum(r.certain and not r.whole for r in found) > 1:
            found = [r._replace(certain=False) for r in found]
    problem.readings = found
    take_next(problem)


def take_next(problem: Problem) -> None:
    """Take the next of the readings for what was meant by the value of a problem; none if there is no other."""
    if not problem.readings:
        problem.withdraw()
        return
    reading = problem.readings.pop(0)
    if reading.op == "unwrap" and _in_object(problem):
        own_key = problem.path[-1] not in problem.location.node.properties
        reading = reading._replace(certain=reading.certain and not own_key)  # It may belong elsewhere.
    elif reading.op == "wrap" and _is_bare_item(problem):
        reading = reading._replace(certain=False)  # As likely as one list of them all.
    _take(problem, reading)


def _is_bare_item(problem: Problem) -> bool:
    """Return whether several values, none of them a list, are in a list where lists of them belong."""
    items = problem.location.value
    return isinstance(items, list) and len(items) > 1 and not any(isinstance(v, list) for v in items)


def _of_form(node: SchemaNode, got: str) -> Iterable[Reading]:
    from toolgen_runtime.hints.values.times import readings_of_form

    return readings_of_form(node, got)


def _take(problem: Problem, reading: Reading) -> None:
    """Take a reading for what was meant by the value of a problem."""
    if problem.secret and not reading.certain:
        return
    problem.reading = reading
    problem.edits = (_edit(problem, reading),)
    if reading.op == "set" and problem.reads_choice() and not problem.secret:
        problem.did_you_mean = None if isinstance(reading.value, (dict, list)) else reading.value


def _edit(problem: Problem, reading: Reading) -> Edit:
    path = problem.path[: len(problem.path) - reading.above]
    value = reading.value if reading.op == "set" else MISSING
    if problem.secret and value is not MISSING:
        value = Secret(value)
    return Edit(reading.op, path, None, value, reading.certain)


def _readings(problem: Problem, changes: bool) -> Iterable[Reading]:
    got = problem.got
    for issue in problem.issues:
        constraint = issue.constraint
        if constraint == "type":
            return _of_null(problem, changes) if got is None else _of_type(problem, issue)
        if constraint in _LISTING:
            if got is None:
                return _of_null(problem, changes)
            found = readings_of_choice(problem.node, got, allowed_of(problem))
            if isinstance(got, str) and _says_nothing(got) and _is_optional(problem):
                return [r for r in found if r.certain] or (Reading("remove", rule="dropped"),)
            return found
        if constraint in _FORMS and isinstance(got, str):
            return _of_form(problem.node, got) if len(got) <= MAX_ECHO else ()
        if constraint == "not" and issue.expected == {}:
            return (Reading("remove", rule="removed"),) if _in_object(problem) else ()
        if constraint in _LIMITS:
            return _within_limit(problem, issue)
        if constraint == "uniqueItems":
            return _once_each(problem)
    return ()


def _once_each(problem: Problem) -> Iterable[Reading]:
    """Return the list without what repeats in it; the issue itself may be about one of its items."""
    items = below(problem.location.value, problem.path[-1]) if problem.path else problem.location.value
    if not isinstance(items, list) or not _are_short(items):
        return ()
    return (Reading("set", list(dict.fromkeys(items)), rule="distinct"),)


def _are_short(items: list[Any]) -> bool:
    return len(items) <= MAX_ITEMS and all(
        type(v) is int or (type(v) is str and len(v) <= MAX_ECHO) for v in items
    )


def _in_object(problem: Problem) -> bool:
    return (
        bool(problem.path) and isinstance(problem.path[-1], str) and isinstance(problem.location.value, dict)
    )


def _is_optional(problem: Problem) -> bool:
    return _in_object(problem) and problem.path[-1] not in problem.location.node.required


def _of_null(problem: Problem, changes: bool) -> Iterable[Reading]:
    """Null for a property that may be left out; where it may mean "clear it", that is not certain."""
    return (Reading("remove", certain=not changes, rule="dropped"),) if _is_optional(problem) else ()


def _of_type(problem: Problem, issue: ValidationIssue) -> Iterable[Reading]:
    node, got, expected = problem.node, problem.got, issue.expected
    if type(expected) is str:
        wanted: tuple[str, ...] = (expected,)
    else:
        wanted = tuple(expected) if isinstance(expected, (list, tuple)) else node.types
    if isinstance(got, str):
        if not node.types or "string" in node.types:
            return ()
        return _of_text(problem, got, wanted)
    return readings_of(node, got, wanted, _name_of(problem))


def _name_of(problem: Problem) -> str:
    """Return the last key on the way to a problem; `""` where there is none."""
    for step in reversed(problem.path):
        if isinstance(step, str):
            return step
    return ""


def _of_text(problem: Problem, got: str, wanted: tuple[str, ...]) -> Iterator[Reading]:
    node = problem.node
    if _says_nothing(got):
        if node.nullable or _is_optional(problem):
            yield Reading("remove") if _is_optional(problem) else Reading("set", None)
            return
        if "array" not in wanted:
            return
    if problem.path and type(problem.path[-1]) is int:
        yield from _of_items_in_a_text(problem, got)
    yield from readings_of(node, got, wanted, _name_of(problem))


def _says_nothing(text: str) -> bool:
    """Return whether a text says that there is no value."""
    return len(text) < 12 and text.strip().lower() in NO_VALUE


def _of_items_in_a_text(problem: Problem, got: str) -> Iterator[Reading]:
    """Yield the only item of a list is the JSON text of the whole list."""
    items = problem.location.value
    if (
        isinstance(items, list)
        and len(items) == 1
        and got.lstrip()[:1] == "["
        and "array" not in problem.node.types
    ):
        value = parsed_container(got)
        if isinstance(value, list) and all(admits(problem.node.types, json_type(v)) for v in value):
            yield Reading("set", value, True, "parsed", above=1)


def _within_limit(problem: Problem, issue: ValidationIssue) -> Iterable[Reading]:
    """Return the limit itself; or, of a share that was sent in percent, the share."""
    got, limit, node = problem.got, issue.expected, problem.node
    if type(limit) not in (int, float) or type(got) not in (int, float):
        return ()
    if issue.constraint == "maximum" and limit == 1 and 1 < got <= 100:
        name = key_text(problem.path[-1]) if problem.path else ""
        if _SHARE.search(f"{name} {node.first('description', str) or ''}"):
            return (Reading("set", got / 100),)
    return (Reading("set", limit),)


MAX_SUSPECTED = 20
MAX_WORD = 12
_WORDS = NO_VALUE - {""}


def other_no_values(problems: Sequence[Problem]) -> list[Problem]:
    """Return, as problems, the optional fields beside a text that says that there is no value, which say so, too."""
    locations = {id(p.location): p.location for p in problems if not p.secret and says_nothing(p.got)}
    known = {p.path[:n] for p in problems for n in range(len(p.path) + 1)}
    path_of = {id(p.location): p.path[:-1] for p in problems}
    found = [p for key, place in locations.items() for p in _suspected(place, path_of[key])]
    return [p for p in found if p.path not in known][:MAX_SUSPECTED]


def _suspected(location: Location, path: tuple[str | int, ...]) -> Iterator[Problem]:
    value, node = location.value, location.node
    for name in value if isinstance(value, dict) else ():
        sent = value[name]
        text = sent[0] if isinstance(sent, list) and len(sent) == 1 else sent
        if name in node.properties and name not in node.required and says_nothing(text):
            at = (*path, name)
            problem = Problem(
                at, ValidationIssue(at, "noValue", None, sent), "noValue", location, node.child(name)
            )
            if not problem.secret and text not in node.child(name).allowed:
                problem.said = f"leave it out if you have none, {compact(sent)} is a value"
                problem.edits = (Edit("remove", at),)
                yield problem


def says_nothing(value: Any) -> bool:
    """Return whether a value is a word that says that there is none."""
    return isinstance(value, str) and 0 < len(value) <= MAX_WORD and value.strip().lower() in _WORDS
