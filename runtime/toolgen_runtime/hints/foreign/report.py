"""Turn an exception or error message from another program into issues (`field: the error says "..."`).

The text of a library, JSON bodies inside a text, and ordinary sentences are read in different ways. An issue never says
more than the text does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from toolgen_runtime.calls.errors import MalformedResponseError
from toolgen_runtime.hints.edits import at
from toolgen_runtime.hints.foreign import bodies, names_in_text
from toolgen_runtime.hints.foreign.bodies import MAX_ERROR_TEXT, Mention, unwrapped
from toolgen_runtime.hints.foreign.places import Fields, Place, steps_in
from toolgen_runtime.hints.problems import Check
from toolgen_runtime.hints.quoting import prose
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.node import Path
from toolgen_runtime.schema.spelling import same_key
from toolgen_runtime.validation.embedded import values_in
from toolgen_runtime.validation.issues import MISSING, ValidationIssue
from toolgen_runtime.validation.json_text import read
from toolgen_runtime.validation.printing import spoken
from toolgen_runtime.validation.redaction import Secrets

REPORTED = "reported"
"""The constraint of an issue known only by the sentence of another program, which is its `expected`."""
MAX_ISSUES = 10
MAX_TEXTS = 60
"""The most texts in bodies that are read; a text of 20,000 characters can contain thousands of bodies."""
MAX_DETAIL = 160
_MAX_CAUSES = 8
_ABOUT_RESULT = re.compile(
    r"Output validation error\b|Structured content does not match the tool's output schema"
)
"""The texts of the MCP SDKs about a result that does not match its schema: the tool ran."""


class Reported(NamedTuple):
    """What an error from another program says about a call. `detail` is its first line if it names no field."""

    issues: list[ValidationIssue]
    payload: Any
    detail: str = ""
    is_about_result: bool = False
    """Whether the tool ran and its result is wrong, so that other arguments would not help."""


def reported(
    problem: BaseException | str,
    facts: SchemaFacts,
    check: Check | None,
    payload: Any,
    secrets: Secrets | None,
) -> Reported:
    """Find out what an exception or error message says about a call.

    `check` is the tool's check, and `secrets` are values that must not be quoted.
    """
    if isinstance(payload, (str, bytes)):
        value, faults = read(payload)
        if not faults:
            payload = value
    text = spoken(problem)[:MAX_ERROR_TEXT]
    line = prose(text if secrets is None else secrets.scrubbed(text, payload), MAX_DETAIL)
    if isinstance(problem, MalformedResponseError) or _ABOUT_RESULT.match(unwrapped(text)):
        return Reported([], payload, line, is_about_result=True)
    issues = next(filter(None, map(_own_issues, _chain(problem))), [])
    if not issues and payload is not MISSING and check is not None:
        issues = check(payload)
    issues = issues or read_problem(problem, facts, payload)
    if secrets is not None:
        issues = secrets.conceal([_without_secrets(issue, payload, secrets) for issue in issues], payload)
    return Reported(issues, payload, "" if issues else line or type(problem).__name__)


def _without_secrets(issue: ValidationIssue, payload: Any, secrets: Secrets) -> ValidationIssue:
    """Return an issue after removing the payload's secrets from its sentence, if it has one."""
    if issue.constraint != REPORTED:
        return issue
    return ValidationIssue(issue.path, REPORTED, secrets.scrubbed(str(issue.expected), payload), issue.got)


def read_problem(
    problem: BaseException | str, facts: SchemaFacts, payload: Any = MISSING
) -> list[ValidationIssue]:
    """Return one issue for each field that an error message, or an exception with its causes, names."""
    texts = [spoken(link)[:MAX_ERROR_TEXT] for link in _chain(problem)] or [spoken(problem)[:MAX_ERROR_TEXT]]
    for text in texts:  # the first text of a library, from the outermost exception inwards
        mentions = bodies.of_library(unwrapped(text))
        if found := _first(_Reader(facts, payload).of_library(mentions), bodies.MAX_MENTIONS):
            return found
    return _first(_Reader(facts, payload).issues(texts[0]), MAX_ISSUES)


def _own_issues(error: BaseException) -> list[ValidationIssue]:
    """Return the issues from an exception's method `issues()`; nothing if it has none or returns something else."""
    if not callable(getattr(error, "issues", None)):
        return []
    method: Any = getattr(error, "issues", None)
    try:
        found = [*method()]
    except Exception:  # a foreign method may raise anything; the exception's text can still be read
        return []
    if all(isinstance(issue, ValidationIssue) for issue in found):
        return found
    return []


def _chain(problem: BaseException | str) -> Iterator[BaseException]:
    """Yield an exception and its causes; nothing for a string."""
    if isinstance(problem, BaseException):
        link = problem
    else:
        link = None
    for _ in range(_MAX_CAUSES):
        if link is None:
            return
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def _first(issues: Iterable[ValidationIssue], most: int) -> list[ValidationIssue]:
    found: dict[Path, ValidationIssue] = {}
    for issue in issues:
        found.setdefault(issue.path, issue)
        if len(found) == most:
            break
    return list(found.values())


class _Reader:
    """Finds a tool's fields in one error text."""

    def __init__(self, facts: SchemaFacts, payload: Any) -> None:
        self._facts = facts
        self._payload = payload
        self._fields = Fields(facts, payload)
        self._texts_left = MAX_TEXTS
        self._valid_names = frozenset[str]()
        """The names that the text lists as valid."""

    def issues(self, text: str) -> Iterator[ValidationIssue]:
        """Yield the issues from the JSON bodies in a text. If they give none, read the sentences instead."""
        text = unwrapped(text)
        self._texts_left -= 1
        if self._texts_left < 0 or names_in_text.ABOUT_SOMETHING_ELSE.search(text[:500]):
            return
        self._valid_names |= names_in_text.listed_as_right(text)
        values, around = values_in(text)
        mentions = [mention for value in values for mention in bodies.of_body(value)]
        found = [issue for mention in mentions for issue in self._of_mention(mention)]
        if not found:
            found = [i for value in values for said in bodies.sentences_of(value) for i in self.issues(said)]
        yield from found
        for clause in () if found else names_in_text.clauses(around):
            yield from self._of_clause(clause)

    def of_library(self, mentions: list[Mention]) -> Iterator[ValidationIssue]:
        """Yield an issue for each error of a validation library. Its path is exact, and its keyword is known."""
        for mention in mentions:
            steps, place = mention.steps, self._fields.at(mention.steps)
            is_known = place is not None and place.complete and place.path
            if mention.keyword and steps and not is_known:  # its last key may be undeclared
                holder = self._fields.at(steps[:-1])
                if holder is not None:
                    place = Place((*holder.path, steps[-1]))
                else:
                    place = None
            if place is not None and place.path:
                yield self._issue(place, mention.sentence, mention.keyword)
            elif not steps and mention.sentence:
                yield ValidationIssue((), REPORTED, mention.sentence, self._payload)

    def _of_mention(self, mention: Mention) -> Iterator[ValidationIssue]:
        place = self._place_of(mention)
        if place is not None:
            said = mention.sentence or "not accepted"
            written = ".".join(map(str, mention.steps))
            yield self._issue(place, said if place.complete else f"{written}: {said}")
        elif mention.is_certain and names_in_text.IS_UNKNOWN.search(mention.sentence):
            yield from self._unknown_key(str(mention.steps[-1]), mention.sentence)
        elif not steps_in(str(mention.steps[-1])):  # the root
            yield from self._of_clause(mention.sentence)

    def _place_of(self, mention: Mention) -> Place | None:
        steps: list[str | int] = [*mention.steps]
        while len(steps) > 1:
            place = self._fields.at(steps)
            if place is not None and place.path:
                return place
            if not mention.may_begin_later or not bodies.is_container(steps[0]):
                return None
            steps = steps[1:]
        return self._fields.named(str(steps[0]))

    def _of_clause(self, clause: str) -> Iterator[ValidationIssue]:
        """Yield the issue for the most certain name in a clause.

        If the clause says that names are missing or unknown, yield an issue for each of these names.
        """
        is_unknown = names_in_text.IS_UNKNOWN.search(clause)
        is_list = is_unknown or names_in_text.IS_MISSING.search(clause)
        places: list[Place] = []
        for found in names_in_text.names_in_clause(clause):
            if is_unknown and found.is_literal:
                unknown = [*self._unknown_key(found.name, clause)]
            else:
                unknown = []
            if unknown and not places:
                yield from unknown
                return
            place = self._fields.named(found.name, anywhere=found.is_marked)
            if place is not None and place not in places:
                places.append(place)
                if not is_list or not found.is_marked:
                    break
        if not places and (field := self._in_constraint(clause)):
            places.append(Place((field,)))
        above = {place.path[:n] for place in places for n in range(len(place.path))}
        for place in places:
            if place.path not in above:
                yield self._issue(place, clause)

    def _in_constraint(self, clause: str) -> str:
        """Return the longest field name inside the name of a database constraint; an empty string if there is none."""
        found = names_in_text.CONSTRAINT.search(clause)
        if found is not None:
            name = f"_{found['name']}_".lower()
        else:
            name = ""
        fields = [field for field in self._facts.root.properties if f"_{field}_".lower() in name]
        return max(fields, key=len, default="")

    def _unknown_key(self, name: str, sentence: str) -> Iterator[ValidationIssue]:
        """Yield the issue for an unknown key that the error names, if the arguments themselves are not available."""
        root = self._facts.root
        if (
            self._payload is not MISSING
            or name in root.properties
            or not name.replace("-", "_").isidentifier()
        ):
            return  # a known payload's keys are found by its names
        is_alike = same_key(name, root.properties) is not None
        is_listed = not self._valid_names.isdisjoint(root.properties)
        if is_alike or is_listed or root.closed or names_in_text.IS_BOUND_BY_NAME.search(sentence):
            yield ValidationIssue((name,), "additionalProperties", False, MISSING)

    def _issue(self, place: Place, sentence: str, keyword: str = "") -> ValidationIssue:
        path, value = place.path, at(self._payload, place.path)
        is_missing = keyword == "required" or names_in_text.IS_MISSING.search(sentence)
        is_unknown = keyword == "additionalProperties"
        if self._payload is not MISSING:
            is_unknown = names_in_text.IS_UNKNOWN.search(sentence) is not None
        if isinstance(path[-1], str):
            if value is MISSING and place.complete and is_missing:
                return ValidationIssue(path, "required", True)
            if is_unknown and path[-1] not in self._facts.at(path[:-1]).properties:
                return ValidationIssue(path, "additionalProperties", False, value)
        return ValidationIssue(path, REPORTED, sentence, value)
