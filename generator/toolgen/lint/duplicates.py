"""Findings about several tools: those that a model cannot tell apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Final

from toolgen.diagnostics import Diagnostic
from toolgen.lint.subject import Subject

MIN_WORDS: Final = 4
"""Words that a description must have to be compared."""
_WORD: Final = re.compile(r"[a-z0-9]+")
_NEAR: Final = 0.95
MAX_WORDS: Final = 400
"""Words of a description up to which it is compared with others that are not equal to it."""
MAX_COMPARED: Final = 20_000_000
"""Steps from word to word in all comparisons; after them only equal descriptions are found."""


def near_duplicates(subjects: Sequence[Subject]) -> Iterator[Diagnostic]:
    """Yield tools whose description and fields are those of an earlier tool, or nearly."""
    described = [(subject, tuple(_words(subject.spec.description)), _fields(subject)) for subject in subjects]
    described = [entry for entry in described if len(entry[1]) >= MIN_WORDS]
    by_fields: dict[tuple[str, ...], dict[tuple[str, ...], Subject]] = {}
    comparison = _Comparison()
    for subject, words, fields in described:
        earlier = by_fields.setdefault(fields, {})
        near = comparison.first_near(words, earlier)
        if near is not None:
            message = f"the description and the fields are nearly those of {near.spec.name!r}"
            yield subject.finding_of_tool("near-duplicate", message)
        earlier.setdefault(words, subject)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _fields(subject: Subject) -> tuple[str, ...]:
    schema: Any = subject.spec.schema
    members = schema.get("properties") if isinstance(schema, dict) else None
    return tuple(sorted(members)) if isinstance(members, dict) else ()


class _Comparison:
    """Compares descriptions, as long as there are steps left."""

    def __init__(self) -> None:
        self._left = MAX_COMPARED

    def first_near(
        self, words: tuple[str, ...], earlier: Mapping[tuple[str, ...], Subject]
    ) -> Subject | None:
        """Return the first tool whose description has these words, or nearly."""
        for others, subject in earlier.items():
            if self._left <= 0:
                return earlier.get(words)
            self._left -= 1
            if words == others or self._are_near(words, others):
                return subject
        return None

    def _are_near(self, words: tuple[str, ...], others: tuple[str, ...]) -> bool:
        shorter, longer = sorted((len(words), len(others)))
        if longer > MAX_WORDS or 2 * shorter < _NEAR * (shorter + longer):
            return False
        self._left -= shorter + longer
        matcher = SequenceMatcher(None, words, others, autojunk=False)
        if matcher.quick_ratio() < _NEAR:
            return False
        self._left -= shorter * longer
        return matcher.ratio() >= _NEAR
