"""Make issues from an exception or text of another program: `field: the error says "..."`.

A text comes from a library, contains JSON bodies, or consists of sentences. Issues claim no more than the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from toolgen_runtime.calls.errors import MalformedResponseError
from toolgen_runtime.hints.edits import at
from toolgen_runtime.hints.foreign import mentions as reports, sentences
from toolgen_runtime.hints.foreign.field_places import Names, Place, place_of
from toolgen_runtime.hints.foreign.mentions import MAX_TEXT, Mention, unwrapped
from toolgen_runtime.hints.text import prose
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.node import Path
from toolgen_runtime.schema.spelling import fold, same_key
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
_OUTPUT_ERROR = re.compile(
    r"Output validation error\b|Structured content does not match the tool's output schema"
    r"|\d{1,6} validation errors? for \w{1,100}Output\b"
)
"""Matches the texts of the MCP SDKs about a result that does not match its schema: the tool ran."""


class Reported(NamedTuple):
    """The report of another program about a call; `detail` is its first line if it names no field."""

    issues: list[ValidationIssue]
    payload: Any
    detail: str = ""
    is_about_result: bool = False
    """Whether the tool ran and its result is wrong, so that other arguments would not help."""


def reported(
    problem: BaseException | str,
    facts: SchemaFacts,
    check: Callable[[Any], list[ValidationIssue]],
    payload: Any,
    secrets: Secrets | None,
) -> Reported:
    """Return the report of an exception or text; `check` is the tool's check, `secrets` must not be quoted."""
    if isinstance(payload, (str, bytes)):
        value, faults = read(payload)
        payload = payload if faults else value
    text = spoken(problem)[:MAX_TEXT]
    line = prose(text if secrets is None else secrets.scrubbed(text, payload), MAX_DETAIL)
    if isinstance(problem, MalformedResponseError) or _OUTPUT_ERROR.match(unwrapped(text)):
        return Reported([], payload, line, is_about_result=True)
    issues = next(filter(None, map(reports.own_issues, _chain(problem))), [])
    if not issues and payload is not MISSING:
        issues = check(payload)
        said = [issue.path for issue in _of_libraries(problem, facts)] if issues else []
        issues = [i for i in issues if any(path and i.path[: len(path)] == path for path in said)] or issues
    issues = issues or read_problem(problem, facts, payload)
    if secrets is not None:
        issues = secrets.conceal([_without_secrets(issue, payload, secrets) for issue in issues])
    return Reported(issues, payload, "" if issues else line or type(problem).__name__)


def _without_secrets(issue: ValidationIssue, payload: Any, secrets: Secrets) -> ValidationIssue:
    """Return an issue with the payload's secrets removed from its sentence, if it has one."""
    if issue.constraint != REPORTED or not isinstance(issue.expected, str):
        return issue
    return ValidationIssue(issue.path, REPORTED, secrets.scrubbed(issue.expected, payload), issue.got)


def read_problem(
    problem: BaseException | str, facts: SchemaFacts, payload: Any = MISSING
) -> list[ValidationIssue]:
    """Return the issues of a text or of an exception: from `errors()` of it or its causes, or from its text.

    There is one issue for each field of the tool that is named.
    """
    found = _of_libraries(problem, facts, payload)
    return found or _first(_Reading(facts, payload).issues(spoken(problem)[:MAX_TEXT]), MAX_ISSUES)


def _of_libraries(
    problem: BaseException | str, facts: SchemaFacts, payload: Any = MISSING
) -> list[ValidationIssue]:
    """Return the issues of the first `errors()` or text of a library, from the outermost exception inwards."""
    links = [*_chain(problem)]
    told: list[object] = [*links] or [problem]
    texts = (reports.in_text(unwrapped(spoken(each))) for each in told)
    for mentions in (*map(reports.listed_errors, links), *texts):
        if found := _first(_Reading(facts, payload).of_library(mentions), reports.MAX_ISSUES):
            return found
    return []


def _chain(problem: BaseException | str) -> Iterator[BaseException]:
    """Yield an exception and its causes; none for a text."""
    link = problem if isinstance(problem, BaseException) else None
    for _ in range(_MAX_CAUSES):
        if link is None:
            return
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def _first(issues: Iterator[ValidationIssue], most: int) -> list[ValidationIssue]:
    found: dict[Path, ValidationIssue] = {}
    for issue in issues:
        found.setdefault(issue.path, issue)
        if len(found) == most:
            break
    return list(found.values())


_ROOTS = frozenset(
    ("/", "#", "#/", "$", "(root)", "root", "_schema", "__all__", "__root__", "non_field_errors")
)
"""Names of other programs for the arguments as a whole."""


class _Reading:
    """The state of reading one text, with the names of the tool's fields."""

    def __init__(self, facts: SchemaFacts, payload: Any) -> None:
        self._facts = facts
        self._payload = payload
        self._names = Names(facts, payload)
        self._ends = set[str | int]()
        """The last steps of the places found so far."""
        self._texts_left = MAX_TEXTS
        self._right = frozenset[str]()
        """The names that the text lists as valid."""

    def issues(self, text: str) -> Iterator[ValidationIssue]:
        """Yield the issues of the bodies in a text or, if there are none, of its sentences."""
        text = unwrapped(text)
        self._texts_left -= 1
        if mentions := reports.in_text(text):
            yield from self.of_library(mentions)
            return
        if self._texts_left < 0 or sentences.ABOUT_SOMETHING_ELSE.search(text[:500]):
            return
        self._right = self._right | sentences.listed_as_right(text)
        values, around = values_in(text)
        found = False
        for value in values:
            for mention in (*self._of_flat_map(value), *reports.in_body(value)):
                for issue in self._of_mention(mention):
                    found = True
                    yield issue
        for value in values if not found else ():
            for sentence in reports.sentences(value):
                for issue in self.issues(sentence):
                    found = True
                    yield issue
        if not found:
            for clause in sentences.clauses(around):
                yield from self._of_clause(clause)

    def of_library(self, mentions: list[Mention]) -> Iterator[ValidationIssue]:
        """Yield the issues of a library's mentions: their paths are exact and their keywords known."""
        for mention in mentions:
            place = self._of_steps(mention.steps, mention.keyword)
            if place is not None and place.path:
                yield self._issue(place, mention.sentence, mention.keyword)
            elif not mention.steps and mention.sentence:
                yield ValidationIssue((), REPORTED, mention.sentence, self._payload)

    def _of_steps(self, steps: tuple[str | int, ...], keyword: str) -> Place | None:
        """Return the place of a library's path; with a keyword, its last key may be undeclared."""
        place = place_of(steps, self._facts, self._payload)
        is_declared = place is not None and place.complete and keyword != "additionalProperties"
        if is_declared or not keyword or not steps or isinstance(steps[-1], int):
            return place
        holder = place_of(steps[:-1], self._facts, self._payload)
        return Place((*holder.path, steps[-1])) if holder is not None and holder.complete else place

    def _of_mention(self, mention: Mention) -> Iterator[ValidationIssue]:
        if not mention.sentence and not mention.is_certain:
            return
        place, written = self._place_of(mention), mention.place
        if not isinstance(written, str):
            written = ".".join(map(str, written))
        if place is not None:
            self._ends.add(place.path[-1])
            said = mention.sentence or "not accepted"
            yield self._issue(place, said if place.complete else f"{written}: {said}")
        elif written in _ROOTS:
            yield from self._of_clause(mention.sentence)
        elif mention.is_certain and sentences.IS_UNKNOWN.search(mention.sentence):
            yield from self._unknown_key(str(mention.steps[-1]) if mention.steps else "", mention.sentence)

    def _of_flat_map(self, value: Any) -> Iterator[Mention]:
        """Yield the mentions of a map from the tool's fields to sentences; maps with other keys are ignored."""
        if (
            isinstance(value, dict)
            and all(isinstance(said, str) and sentences.COMPLAINS.search(said) for said in value.values())
            and all(self._names.place(str(name), anywhere=False) for name in value)
            and not reports.ENVELOPE_KEYS.issuperset(fold(str(name)) for name in value)
        ):
            yield from (Mention(str(name), said) for name, said in value.items())

    def _place_of(self, mention: Mention) -> Place | None:
        steps = mention.place
        if isinstance(steps, str) or len(steps) == 1:
            name = steps if isinstance(steps, str) else str(steps[0])
            if name in self._ends and name not in self._facts.root.properties:
                return None  # it was already found with its full path
            return self._names.place(name)
        place = place_of(steps, self._facts, self._payload)
        return place if place is None or place.path else None

    def _of_clause(self, clause: str) -> Iterator[ValidationIssue]:
        """Yield the issue of the most certain name in a clause, or of each name that is missing or unknown."""
        is_missing, is_unknown = sentences.IS_MISSING.search(clause), sentences.IS_UNKNOWN.search(clause)
        places: list[Place] = []
        for found in sentences.names_in_clause(clause):
            if is_unknown and found.is_literal and not places:
                unknown = list(self._unknown_key(found.name, clause))
                yield from unknown
                if unknown:
                    return
            place = self._within(places, found.name) if is_missing or is_unknown else None
            place = place or self._names.place(found.name, anywhere=found.is_marked)
            if place is None or place in places:
                continue
            places.append(place)
            if not (is_missing or is_unknown) or not found.is_marked:
                break
        if not places and (field := self._in_constraint(clause)):
            places.append(Place((field,)))
        for place in places:
            size = len(place.path)
            if not any(size < len(other.path) and other.path[:size] == place.path for other in places):
                yield self._issue(place, clause)

    def _in_constraint(self, clause: str) -> str:
        """Return the longest field name in the name of a database constraint, or `""`."""
        found = sentences.CONSTRAINT.search(clause)
        name = f"_{found['name']}_".lower() if found is not None else ""
        return max((f for f in self._facts.root.properties if f"_{f}_".lower() in name), key=len, default="")

    def _within(self, places: list[Place], name: str) -> Place | None:
        """Return the place of a name in the object named before it: `items.0: sku is required`."""
        holder = places[-1].path if places else ()
        is_there = bool(holder) and name in self._facts.at(holder).properties
        return Place((*holder, name)) if is_there else None

    def _unknown_key(self, name: str, sentence: str) -> Iterator[ValidationIssue]:
        """Yield the issue of an undeclared key that the unknown arguments probably had."""
        root = self._facts.root
        if (
            self._payload is not MISSING
            or name in root.properties
            or not name.replace("-", "_").isidentifier()
        ):
            return  # a known payload's keys are found by its names
        is_ours = (
            any(raw.get("additionalProperties") is False for raw in root.raws)
            or same_key(name, root.properties) is not None
            or not self._right.isdisjoint(root.properties)
            or sentences.IS_BOUND_BY_NAME.search(sentence) is not None
        )
        if is_ours:
            yield ValidationIssue((name,), "additionalProperties", False, MISSING)

    def _issue(self, place: Place, sentence: str, keyword: str = "") -> ValidationIssue:
        path, value = place.path, at(self._payload, place.path)
        is_key = isinstance(path[-1], str)
        is_missing = keyword == "required" or sentences.IS_MISSING.search(sentence)
        if value is MISSING and is_key and place.complete and is_missing:
            return ValidationIssue(path, "required", True)
        is_declared = path[-1] in self._facts.at(path[:-1]).properties
        is_unknown = (
            keyword == "additionalProperties"
            if self._payload is MISSING
            else sentences.IS_UNKNOWN.search(sentence)
        )
        if is_key and not is_declared and is_unknown:
            return ValidationIssue(path, "additionalProperties", False, value)
        return ValidationIssue(path, REPORTED, sentence, value)
