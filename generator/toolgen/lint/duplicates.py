"""Findings about several tools: those that a model cannot tell apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, Final

from toolgen.diagnostics import Diagnostic
from toolgen.lint.subject import Subject

MIN_WORDS: Final = 4
"""Words that a description must have to be compared."""
_WORD: Final = re.compile(r"[a-z0-9]+")
_NEAR: Final = 0.95
MAX_TOOLS: Final = 2_000
"""Tools up to which each is compared with each; of more only the equal ones are found."""


def near_duplicates(subjects: Sequence[Subject]) -> Iterator[Diagnostic]:
    """Yield tools whose description and fields are those of an earlier tool, or nearly."""
    described = [(subject, tuple(_words(subject.spec.description)), _fields(subject)) for subject in subjects]
    described = [entry for entry in described if len(entry[1]) >= MIN_WORDS]
    by_fields: dict[tuple[str, ...], list[tuple[Subject, tuple[str, ...]]]] = {}
    for subject, words, fields in described:
        earlier = by_fields.setdefault(fields, [])
        near = next((other for other, its in earlier if _are_near(words, its, len(described))), None)
        if near is not None:
            message = f"the description and the fields are nearly those of {near.spec.name!r}"
            yield subject.finding_of_tool("near-duplicate", message)
        earlier.append((subject, words))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _fields(subject: Subject) -> tuple[str, ...]:
    schema: Any = subject.spec.schema
    members = schema.get("properties") if isinstance(schema, dict) else None
    return tuple(sorted(members)) if isinstance(members, dict) else ()


def _are_near(words: tuple[str, ...], others: tuple[str, ...], tools: int) -> bool:
    if words == others:
        return True
    if tools > MAX_TOOLS or max(len(words), len(others)) > 400:
        return False
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    return matcher.real_quick_ratio() >= _NEAR and matcher.quick_ratio() >= _NEAR and matcher.ratio() >= _NEAR
