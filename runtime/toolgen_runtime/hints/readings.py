"""What the wrong value of a problem was meant to be, and the edit that makes it that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from toolgen_runtime.hints.allowed_readings import allowed_of, readings_of_choice, readings_of_form
from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.problems import Problem
from toolgen_runtime.hints.reading import Reading
from toolgen_runtime.hints.text import MAX_ECHO
from toolgen_runtime.hints.text_readings import NO_VALUE, parsed_container, readings_of_text, wanted_container
from toolgen_runtime.hints.value_readings import (
    MAX_ITEMS,
    readings_of_list,
    readings_of_number,
    readings_of_object,
)
from toolgen_runtime.hints.words import words_of
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue, key_text, revealed

_VERBS = (
    "update patch set edit modify change put replace upsert write save configure assign rename move manage"
    " adjust alter override reset toggle convert transform merge"
    " apply sync enable disable mark close reopen archive transition reschedule"
)
_CHANGING = frozenset(_VERBS.split())
_LISTING = ("enum", "const")
_FORMS = ("format", "pattern")
_LIMITS = ("minimum", "maximum")
_SHARE = re.compile(
    r"percent|%|\bshare\b|\bratio\b|fraction|\b0(?:\.0)?\s*(?:-|to|and|\u2013)\s*1(?:\.0)?\b", re.IGNORECASE
)


@lru_cache(maxsize=256)
def changes_things(name: str, description: str = "") -> bool:
    """Whether a tool changes what is there already, so that null may mean "clear it"."""
    first = words_of(description.split(" ", 1)[0][:40])[:1] if description else ()
    return not _CHANGING.isdisjoint((*words_of(name), *first))


def read_value(problem: Problem, *, changes: bool) -> None:
    """Find out what the value of a problem was meant to be; `changes`: null is not the same as leaving out."""
    if problem.missing or problem.unknown or problem.got is MISSING:
        return
    found = list(_readings(problem, changes))
    if not found:
        return
    certain = [r for r in found if r.certain]
    reading = certain[0] if certain else found[0]
    if len(certain) > 1:
        reading = reading._replace(certain=False)
    if problem.secret and not reading.certain:
        return
    problem.reading = reading
    choice = reading.op == "set" and problem.reads_choice() and not problem.secret
    if choice and not isinstance(reading.value, (dict, list)):
        problem.did_you_mean = reading.value
    problem.edits = (_edit(problem, reading),)


def _edit(problem: Problem, reading: Reading) -> Edit:
    path = problem.path[: len(problem.path) - reading.above]
    value = reading.value if reading.op == "set" else MISSING
    if problem.secret and value is not MISSING:
        value = Secret(value)
    return Edit(reading.op, path, None, value, reading.certain)


def _readings(problem: Problem, changes: bool) -> Iterator[Reading]:
    broken = {issue.constraint: issue for issue in problem.issues}
    got = problem.got
    listed = any(c in broken for c in _LISTING)
    if got is None and ("type" in broken or listed):
        yield from _of_null(problem, changes)
    elif "type" in broken:
        yield from _of_type(problem, broken["type"])
    elif listed:
        yield from readings_of_choice(problem.node, got, allowed_of(problem))
    elif isinstance(got, str) and len(got) <= MAX_ECHO and any(c in broken for c in _FORMS):
        yield from readings_of_form(problem, got)
    elif "not" in broken and broken["not"].expected == {} and _in_object(problem):
        yield Reading("remove", certain=False, rule="removed")
    elif any(c in broken for c in _LIMITS):
        yield from _within_limits(problem, broken)
    elif "uniqueItems" in broken and isinstance(got, list) and _are_short(got):
        yield Reading("set", list(dict.fromkeys(got)), True, "distinct")


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


def _of_null(problem: Problem, changes: bool) -> Iterator[Reading]:
    """Null for a property that may be left out; where it may mean "clear it", that is not certain."""
    if _is_optional(problem):
        yield Reading("remove", certain=not changes, rule="dropped")


def _of_type(problem: Problem, issue: ValidationIssue) -> Iterator[Reading]:
    node, got, expected = problem.node, revealed(issue.got), issue.expected
    if isinstance(expected, str):
        wanted: tuple[str, ...] = (expected,)
    else:
        wanted = tuple(expected) if isinstance(expected, (list, tuple)) else node.types
    name = next((s for s in reversed(problem.path) if isinstance(s, str)), "")
    if isinstance(got, str):
        yield from _of_text(problem, got, wanted)
    elif isinstance(got, list):
        yield from readings_of_list(node, got, wanted)
    elif isinstance(got, dict):
        yield from readings_of_object(node, got, wanted, name)
    else:
        yield from readings_of_number(node, got, wanted, name)


def _of_text(problem: Problem, got: str, wanted: tuple[str, ...]) -> Iterator[Reading]:
    node = problem.node
    if not node.types or "string" in node.types:
        return
    if len(got) < 12 and got.strip().lower() in NO_VALUE:
        if node.nullable or _is_optional(problem):
            yield Reading("remove") if _is_optional(problem) else Reading("set", None)
            return
        if "array" not in wanted:
            return
    if problem.path and type(problem.path[-1]) is int and wanted_container(wanted):
        yield from _of_items_in_a_text(problem, got)
    yield from readings_of_text(node, got, wanted)


def _of_items_in_a_text(problem: Problem, got: str) -> Iterator[Reading]:
    """The only item of a list is the JSON text of the whole list."""
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


def _within_limits(problem: Problem, broken: dict[str, ValidationIssue]) -> Iterator[Reading]:
    """The limit itself; or, of a share that was sent in percent, the share."""
    got, node = problem.got, problem.node
    for name in _LIMITS:
        limit = broken[name].expected if name in broken else None
        if type(limit) in (int, float) and type(got) in (int, float):
            described = (
                f"{key_text(problem.path[-1]) if problem.path else ''} {node.first('description', str) or ''}"
            )
            if name == "maximum" and limit == 1 and 1 < got <= 100 and _SHARE.search(described):
                yield Reading("set", got / 100)
            else:
                yield Reading("set", limit)
