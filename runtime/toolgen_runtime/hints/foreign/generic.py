"""Any text that names a field of the tool: `field: the error says "..."`.

The last reader: it knows no library, only keys and words that services share. It says no more than the text does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgen_runtime.hints.foreign import bodies, sentences
from toolgen_runtime.hints.foreign import sentence_patterns as patterns
from toolgen_runtime.hints.foreign.bodies import Mention
from toolgen_runtime.hints.foreign.claims import REPORTED
from toolgen_runtime.hints.foreign.phrases import names_in
from toolgen_runtime.hints.foreign.places import Place, named_place, place_of, steps_in
from toolgen_runtime.hints.foreign.wrapped import MAX_TEXT, unwrapped
from toolgen_runtime.hints.problems import below
from toolgen_runtime.hints.text import prose
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.node import Path
from toolgen_runtime.schema.spelling import same_key
from toolgen_runtime.validation.embedded import values_in
from toolgen_runtime.validation.issues import MISSING, ValidationIssue

MAX_SENTENCE = 160
"""Characters of another program's sentence that are shown."""
MAX_ISSUES = 10
_MAX_NESTING = 3
"""Bodies within texts within bodies."""


def read(text: str, facts: SchemaFacts, payload: Any) -> list[ValidationIssue]:
    """Return an issue for each field of the tool that a text names; none where it names none."""
    found: dict[Path, ValidationIssue] = {}
    for issue in _issues(text[:MAX_TEXT], _Context(facts, payload), _MAX_NESTING):
        found.setdefault(issue.path, issue)
        if len(found) == MAX_ISSUES:
            break
    return list(found.values())


class _Context:
    """What names are compared with."""

    def __init__(self, facts: SchemaFacts, payload: Any) -> None:
        self.facts = facts
        self.payload = payload

    def place(
        self, named: str | tuple[str | int, ...], *, is_marked: bool, is_certain: bool = True
    ) -> Place | None:
        if isinstance(named, str):
            loosely = is_marked and is_certain
            return named_place(named, self.facts, self.payload, anywhere=is_marked, loosely=loosely)
        if len(named) == 1:
            return self.place(str(named[0]), is_marked=is_marked, is_certain=is_certain)
        place = place_of(named, self.facts, self.payload)
        return place if place is None or place.path else None

    def unknown_key(self, name: str, sentence: str) -> Path | None:
        """Return the path of a key that the arguments may have although the schema does not declare it."""
        root = self.facts.root
        if not name.replace("-", "_").isidentifier() or name in root.properties:
            return None
        if self.payload is not MISSING:
            return None  # would be found among its keys
        is_closed = any(raw.get("additionalProperties") is False for raw in root.raws)
        is_near = same_key(name, root.properties) is not None
        lists_ours = any(known in root.properties for known in names_in(sentence))
        is_ours = is_closed or is_near or lists_ours or patterns.IS_BOUND_BY_NAME.search(sentence)
        return (name,) if is_ours else None


def _issues(text: str, context: _Context, nesting: int) -> Iterator[ValidationIssue]:
    text = unwrapped(text)
    if patterns.ABOUT_ANSWER.search(text[:500]):
        return
    values = list(values_in(text))
    structured = [
        issue
        for value, _ in values
        for mention in bodies.mentions(value)
        for issue in _of_mention(mention, context)
    ]
    yield from structured
    if structured:
        return
    said = [s for value, _ in values for s in bodies.sentences(value)][: bodies.MAX_STRINGS]
    inner = False
    for sentence in said:
        for issue in _issues(sentence, context, nesting - 1) if nesting else ():
            inner = True
            yield issue
    if not inner:
        yield from _of_text(_outside(text, values), context)


def _outside(text: str, values: list[tuple[Any, str]]) -> str:
    """Return a text without the bodies in it, which have been read."""
    return "\n".join(before for _, before in values) if values else text


def _of_mention(mention: Mention, context: _Context) -> Iterator[ValidationIssue]:
    if not mention.sentence and not mention.is_certain:
        return
    place = context.place(mention.place, is_marked=True, is_certain=mention.is_certain)
    sentence = mention.sentence or "not accepted"
    if place is not None:
        yield _issue(place, sentence, context)
    elif mention.is_certain and sentences.says_unknown(sentence):
        steps = steps_in(mention.place) if isinstance(mention.place, str) else mention.place
        path = context.unknown_key(str(steps[-1]), sentence) if steps else None
        if path is not None:
            yield ValidationIssue(path, "additionalProperties", False, MISSING)


def _of_text(text: str, context: _Context) -> Iterator[ValidationIssue]:
    for clause in sentences.clauses(text):
        yield from _of_clause(clause, context)


def _of_clause(clause: str, context: _Context) -> Iterator[ValidationIssue]:
    """Yield the issue of the surest name in a clause; of each, where several are missing or unknown."""
    is_missing = sentences.says_missing(clause)
    is_unknown = sentences.says_unknown(clause)
    for found in sentences.names_in_clause(clause):
        if is_unknown and found.is_literal and (path := context.unknown_key(found.name, clause)) is not None:
            yield ValidationIssue(path, "additionalProperties", False, MISSING)
            return
        place = context.place(found.name, is_marked=found.is_marked)
        if place is None:
            continue
        yield _issue(place, clause, context)
        if not (is_missing or is_unknown) or not found.is_marked:
            return


def _issue(place: Place, sentence: str, context: _Context) -> ValidationIssue:
    value = context.payload
    for step in place.path:
        value = below(value, step)
    if value is MISSING and place.complete and sentences.says_missing(sentence):
        return ValidationIssue(place.path, "required", True)
    parent = context.facts.at(place.path[:-1])
    if sentences.says_unknown(sentence) and place.path[-1] not in parent.properties and value is not MISSING:
        return ValidationIssue(place.path, "additionalProperties", False, value)
    return ValidationIssue(place.path, REPORTED, quoted(sentence), value)


def quoted(sentence: str) -> str:
    """Return a sentence as one bounded line that may stand between double quotes."""
    return prose(sentence.replace('"', "'"), MAX_SENTENCE)
