"""Any text that names a field of the tool: `field: the error says "..."`.

The last reader: it knows no library, only keys and words that services share. It says no more than the text does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgen_runtime.hints.foreign import bodies, sentences
from toolgen_runtime.hints.foreign import sentence_patterns as patterns
from toolgen_runtime.hints.foreign.bodies import Mention
from toolgen_runtime.hints.foreign.field_places import Names, Place, place_of, steps_in, value_at
from toolgen_runtime.hints.foreign.value_claims import REPORTED
from toolgen_runtime.hints.foreign.wrapped import MAX_TEXT, unwrapped
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.node import Path
from toolgen_runtime.schema.spelling import same_key
from toolgen_runtime.validation.embedded import values_in
from toolgen_runtime.validation.issues import MISSING, ValidationIssue

MAX_ISSUES = 10
MAX_TEXTS = 60
"""Texts within bodies that are read."""
MAX_NESTING = 3
"""Bodies within texts within bodies."""


def read(text: str, facts: SchemaFacts, payload: Any) -> list[ValidationIssue]:
    """Return an issue for each field of the tool that a text names; none where it names none."""
    found: dict[Path, ValidationIssue] = {}
    for issue in _Reading(facts, payload).issues(text[:MAX_TEXT], MAX_NESTING):
        found.setdefault(issue.path, issue)
        if len(found) == MAX_ISSUES:
            break
    return list(found.values())


class _Reading:
    """The reading of one text, with what its names are compared with."""

    def __init__(self, facts: SchemaFacts, payload: Any) -> None:
        self._facts = facts
        self._payload = payload
        self._names = Names(facts, payload)
        self._texts_left = MAX_TEXTS
        self._right = frozenset[str]()
        """The names that the text lists as right."""

    def issues(self, text: str, nesting: int) -> Iterator[ValidationIssue]:
        """Yield the issues of the bodies in a text; without any, of its sentences."""
        text = unwrapped(text)
        self._texts_left -= 1
        if self._texts_left < 0 or patterns.ABOUT_SOMETHING_ELSE.search(text[:500]):
            return
        self._right = self._right | sentences.listed_as_right(text)
        values = list(values_in(text))
        found = False
        for value, _ in values:
            for mention in bodies.mentions(value):
                for issue in self._of_mention(mention):
                    found = True
                    yield issue
        for value, _ in values if nesting and not found else ():
            for sentence in bodies.sentences(value):
                for issue in self.issues(sentence, nesting - 1):
                    found = True
                    yield issue
        if not found:
            outside = "\n".join(before for _, before in values) if values else text
            for clause in sentences.clauses(outside):
                yield from self._of_clause(clause)

    def _of_mention(self, mention: Mention) -> Iterator[ValidationIssue]:
        if not mention.sentence and not mention.is_certain:
            return
        place = self._place_of(mention)
        if place is not None:
            yield self._issue(place, mention.sentence or "not accepted")
        elif mention.is_certain and sentences.says_unknown(mention.sentence):
            steps = steps_in(mention.place) if isinstance(mention.place, str) else mention.place
            yield from self._unknown_key(str(steps[-1]) if steps else "", mention.sentence)

    def _place_of(self, mention: Mention) -> Place | None:
        steps = mention.place
        if isinstance(steps, str) or len(steps) == 1:
            name = steps if isinstance(steps, str) else str(steps[0])
            return self._names.place(name, loosely=mention.is_certain)
        place = place_of(steps, self._facts, self._payload)
        return place if place is None or place.path else None

    def _of_clause(self, clause: str) -> Iterator[ValidationIssue]:
        """Yield the issue of the surest name in a clause; of each, where several are missing or unknown."""
        is_missing, is_unknown = sentences.says_missing(clause), sentences.says_unknown(clause)
        for found in sentences.names_in_clause(clause):
            if is_unknown and found.is_literal:
                unknown = list(self._unknown_key(found.name, clause))
                yield from unknown
                if unknown:
                    return
            place = self._names.place(found.name, anywhere=found.is_marked, loosely=found.is_marked)
            if place is None:
                continue
            yield self._issue(place, clause)
            if not (is_missing or is_unknown) or not found.is_marked:
                return

    def _unknown_key(self, name: str, sentence: str) -> Iterator[ValidationIssue]:
        """Yield the issue of a key that the arguments may have had although the schema does not declare it."""
        root = self._facts.root
        if (
            self._payload is not MISSING
            or name in root.properties
            or not name.replace("-", "_").isidentifier()
        ):
            return  # a key of the payload is found among its own
        is_ours = (
            any(raw.get("additionalProperties") is False for raw in root.raws)
            or same_key(name, root.properties) is not None
            or not self._right.isdisjoint(root.properties)
            or patterns.IS_BOUND_BY_NAME.search(sentence) is not None
        )
        if is_ours:
            yield ValidationIssue((name,), "additionalProperties", False, MISSING)

    def _issue(self, place: Place, sentence: str) -> ValidationIssue:
        path, value = place.path, value_at(self._payload, place.path)
        if value is MISSING and place.complete and sentences.says_missing(sentence):
            return ValidationIssue(path, "required", True)
        is_declared = path[-1] in self._facts.at(path[:-1]).properties
        if value is not MISSING and not is_declared and sentences.says_unknown(sentence):
            return ValidationIssue(path, "additionalProperties", False, value)
        return ValidationIssue(path, REPORTED, sentence, value)
