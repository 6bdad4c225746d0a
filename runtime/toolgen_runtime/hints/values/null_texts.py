"""Texts that say that there is no value (`"null"`, `["none"]`) where the schema lets them pass.

They are suspected only beside one that it does not let pass: a call that writes "null" once means it each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.problems import Location, Problem
from toolgen_runtime.hints.text import compact
from toolgen_runtime.hints.values.text_readings import NO_VALUE
from toolgen_runtime.validation.issues import ValidationIssue

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
