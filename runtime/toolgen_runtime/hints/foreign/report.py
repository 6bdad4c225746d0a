"""Turn an exception or error message from another program into issues (`field: the error says "..."`).

The text of a library, JSON bodies inside a text, and ordinary sentences are read in different ways. An issue never says
more than the text does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from toolgen_runtime.calls.errors import MalformedResponseError
from toolgen_runtime.hints.edits import at
from toolgen_runtime.hints.foreign import bodies, names_in_text
from toolgen_runtime.hints.foreign.bodies import MAX_ERROR_TEXT, Mention, unwrapped
from toolgen_runtime.hints.foreign.places import Fields, Place
from toolgen_runtime.hints.problems import Check
from toolgen_runtime.hints.quoting import prose
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.node import Path
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
    if not line and not isinstance(problem, str):
        line = type(problem).__name__
    return Reported(issues, payload, "" if issues else line)


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
    reader = _Reader(facts, payload)
    for text in texts:  # the first text of a library, from the outermost exception inwards
        mentions = bodies.of_library(unwrapped(text))
        if found := _first(map(reader.of_library, mentions), bodies.MAX_MENTIONS):
            return found
    return _first(reader.issues(texts[0]), MAX_ISSUES)


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


def _first(issues: Iterable[ValidationIssue | None], most: int) -> list[ValidationIssue]:
    """Return the first issue at each path, at most `most` issues."""
    found: dict[Path, ValidationIssue] = {}
    for issue in issues:
        if issue is not None:
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

    def issues(self, text: str) -> Iterator[ValidationIssue]:
        """Yield the issues from the JSON bodies in a text. If they give none, read the sentences instead."""
        text = unwrapped(text)
        self._texts_left -= 1
        if self._texts_left < 0 or names_in_text.ABOUT_SOMETHING_ELSE.search(text[:500]):
            return
        values, around = values_in(text)
        mentions = [mention for value in values for mention in bodies.of_body(value)]
        found = [issue for mention in mentions for issue in self._of_mention(mention)]
        if not found:
            found = [i for value in values for said in bodies.sentences_of(value) for i in self.issues(said)]
        yield from found
        for clause in () if found else names_in_text.clauses(around):
            yield from self._of_clause(clause)

    def of_library(self, mention: Mention) -> ValidationIssue | None:
        """Return the issue for an error of a validation library. Its path is exact, and its keyword is known."""
        steps = mention.steps
        if not steps:
            return ValidationIssue((), REPORTED, mention.sentence, self._payload)
        place, last = self._fields.find(steps), steps[-1]
        if mention.keyword and (place is None or not place.complete):  # its last key may be undeclared
            holder = self._fields.find(steps[:-1]) if len(steps) > 1 else Place(())
            place = holder and Place((*holder.path, last))
        if place is None:
            return None
        return self._issue(place, mention.sentence, mention.keyword)

    def _of_mention(self, mention: Mention) -> Iterator[ValidationIssue]:
        steps, sentence = mention.steps, mention.sentence or "not accepted"
        place = self._fields.find(steps)
        if not steps:  # the arguments as a whole
            yield from self._of_clause(sentence)
        elif place is None:
            yield from filter(None, [self._unknown_key(steps, sentence)])
        elif place.complete:
            yield self._issue(place, sentence)
        else:
            yield self._issue(place, f"{'.'.join(map(str, steps))}: {sentence}")

    def _of_clause(self, clause: str) -> Iterator[ValidationIssue]:
        """Yield the issue for the most certain name in a clause, or for each name that it calls missing."""
        is_list = names_in_text.IS_MISSING.search(clause)
        places: list[Place] = []
        for found in names_in_text.names_in_clause(clause):
            place = self._fields.find(found.steps, anywhere=found.is_marked)
            may_be_unknown = found.is_marked and (place is None or len(found.steps) == 1)
            if may_be_unknown and not places and (unknown := self._unknown_key(found.steps, clause)):
                yield unknown
                return
            if place is not None and place not in places:
                places.append(place)
                if not is_list or not found.is_marked:
                    break
        if not places and (field := self._in_constraint(clause)):
            places.append(Place((field,)))
        above = {place.path[:n] for place in places for n in range(len(place.path))}
        yield from (self._issue(place, clause) for place in places if place.path not in above)

    def _in_constraint(self, clause: str) -> str:
        """Return the longest field name inside the name of a database constraint; an empty string if there is none."""
        name = "".join(f"_{found}_".lower() for found in names_in_text.CONSTRAINT.findall(clause)[:1])
        fields = [field for field in self._facts.root.properties if f"_{field}_".lower() in name]
        return max(fields, key=len, default="")

    def _unknown_key(self, steps: Sequence[str | int], sentence: str) -> ValidationIssue | None:
        """Return the issue for a key that an error calls unknown, if the arguments themselves are not known."""
        if self._payload is not MISSING or not steps:
            return None  # a known payload's keys are found by its names
        name, root = str(steps[-1]), self._facts.root
        if not root.closed and names_in_text.OF_REQUEST.search(sentence):
            return None
        is_name = name.replace("-", "_").isidentifier() and name not in root.properties
        if is_name and names_in_text.IS_UNKNOWN.search(sentence):
            return ValidationIssue((name,), "additionalProperties", False, MISSING)
        return None

    def _issue(self, place: Place, sentence: str, keyword: str = "") -> ValidationIssue:
        path, value = place.path, at(self._payload, place.path)
        is_missing = keyword == "required" or names_in_text.IS_MISSING.search(sentence)
        is_unknown = keyword == "additionalProperties" or names_in_text.IS_UNKNOWN.search(sentence)
        if isinstance(path[-1], str):
            if value is MISSING and place.complete and is_missing:
                return ValidationIssue(path, "required", True)
            if is_unknown and path[-1] not in self._facts.at(path[:-1]).properties:
                return ValidationIssue(path, "additionalProperties", False, value)
        return ValidationIssue(path, REPORTED, sentence, value)
