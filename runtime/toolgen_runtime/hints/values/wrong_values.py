"""What the wrong value of a problem was meant to be, and the edit that makes it that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.fits import fits
from toolgen_runtime.hints.problems import Problem, below
from toolgen_runtime.hints.text import MAX_ECHO
from toolgen_runtime.hints.values.allowed_values import allowed_of, readings_of_choice
from toolgen_runtime.hints.values.form_readings import readings_of_form
from toolgen_runtime.hints.values.reading import Reading
from toolgen_runtime.hints.values.text_readings import (
    NO_VALUE,
    parsed_container,
    readings_of_text,
)
from toolgen_runtime.hints.values.value_readings import (
    MAX_ITEMS,
    readings_of_list,
    readings_of_number,
    readings_of_object,
)
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue, key_text

_LISTING = ("enum", "const")
_FORMS = ("format", "pattern")
_LIMITS = ("minimum", "maximum")
_SEVERAL = re.compile(r"[,;]")
_SHARE = re.compile(
    r"percent|%|\bshare\b|\bratio\b|fraction|\b0(?:\.0)?\s*(?:-|to|and|\u2013)\s*1(?:\.0)?\b", re.IGNORECASE
)


def read_value(problem: Problem, *, changes: bool) -> None:
    """Find out what the value of a problem was meant to be; `changes`: null is not the same as leaving out."""
    if problem.got is MISSING or problem.missing or problem.unknown:
        return
    found = [*_readings(problem, changes)]
    if not found:
        return
    reading = found[0]
    if len(found) > 1:
        certain = [r for r in found if r.certain]
        reading = certain[0]._replace(certain=len(certain) == 1) if certain else reading
    if (
        reading.op == "unwrap"
        and _in_object(problem)
        and problem.path[-1] not in problem.location.node.properties
    ):
        reading = reading._replace(certain=False)  # The key is the caller's own: it may belong elsewhere.
    if reading.op == "wrap" and _is_one_of_bare_items(problem):
        items = problem.location.value
        reading = Reading("wrap", items, rule="wrapped", above=1)  # As likely as a list around each of them.
        take(problem, reading)
        problem.edits = problem.edits if problem.path[-1] == 0 else ()
        return
    take(problem, reading)


def take(problem: Problem, reading: Reading) -> None:
    """Take a reading for what was meant by the value of a problem."""
    if problem.secret and not reading.certain:
        return
    problem.reading = reading
    problem.edits = (_edit(problem, reading),)
    if reading.op == "set" and problem.reads_choice() and not problem.secret:
        problem.did_you_mean = None if isinstance(reading.value, (dict, list)) else reading.value


def _is_one_of_bare_items(problem: Problem) -> bool:
    """Return whether several values stand in a list where lists of them belong."""
    items = problem.location.value
    if not problem.path or type(problem.path[-1]) is not int or not isinstance(items, list):
        return False
    return 1 < len(items) <= MAX_ITEMS and not any(isinstance(item, list) for item in items)


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
            several = [*_of_several_in_one(problem, got)]
            return several or (readings_of_form(problem, got) if len(got) <= MAX_ECHO else ())
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
    name = _name_of(problem)
    if isinstance(got, list):
        return (*_of_items_in_a_list(problem, got), *readings_of_list(node, got, wanted, name))[:1]
    if isinstance(got, dict):
        return readings_of_object(node, got, wanted, name)
    return readings_of_number(node, got, wanted, name)


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
    yield from readings_of_text(node, got, wanted, _name_of(problem))


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


def _of_items_in_a_list(problem: Problem, got: list[Any]) -> Iterator[Reading]:
    """Yield the only item of a list is a list of its items."""
    items, node = problem.location.value, problem.node
    is_item = problem.path and type(problem.path[-1]) is int and isinstance(items, list)
    if not is_item or len(items) != 1 or not 1 < len(got) <= MAX_ITEMS or not node.types:
        return
    if all(fits(node, v) for v in got):
        yield Reading("set", got, True, "unwrapped", above=1)


def _of_several_in_one(problem: Problem, got: str) -> Iterator[Reading]:
    """Yield the only item of a list is several, with commas or semicolons between them."""
    items = problem.location.value
    parts = [part.strip() for part in _SEVERAL.split(got)] if len(got) <= 4 * MAX_ECHO else []
    if not problem.path or type(problem.path[-1]) is not int or not isinstance(items, list) or len(items) > 1:
        return
    if len(parts) > 1 and all(parts) and not any(" " in part for part in parts):
        yield Reading("set", parts, rule="split", above=1)


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
