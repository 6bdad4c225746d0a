"""Names of fields in the sentences of others, the surest first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolgen_runtime.hints.foreign import sentence_patterns as patterns

MAX_CLAUSE = 1_000


class Found(NamedTuple):
    """A name in a sentence."""

    name: str
    is_marked: bool
    """Whether it is said to be a field, or has the form of one; otherwise it has to be a property at the root."""
    is_literal: bool = True
    """Whether it stands in quotes or after a word for it, so that it is a name even if the schema lacks it."""


def clauses(text: str) -> Iterator[str]:
    """Yield the lines and sentences of a text; not those about the code of a program."""
    text = patterns.CONTINUED.sub(
        lambda end: f"{end['colon'] or ''} {end['arrow'] or ''}{end['at'] or ''}", text
    )
    for clause in patterns.CLAUSE_ENDS.split(text):
        short = clause[:MAX_CLAUSE].strip()
        if short and not patterns.ABOUT_CODE.search(short):
            yield short


def names_in_clause(clause: str) -> Iterator[Found]:
    """Yield the names that a clause may speak of; none of those that it lists as right."""
    text = patterns.ALTERNATIVES.sub(_without_list, clause)
    for pattern, path in patterns.WITHIN:
        text = pattern.sub(path, text)
    for match in patterns.MARKED.finditer(text):
        name = _group(match)
        is_name = name.lower() not in patterns.COMMON
        yield Found(name, is_name, is_literal=is_name)
    for match in patterns.TRAILING.finditer(text):
        listed = [part[0] for part in patterns.LIST_PART.finditer(match["listed"])]
        yield from (Found(name, True) for name in listed if name.lower() not in patterns.NOT_LISTED)
    shaped = [match for pattern in (patterns.QUOTED, patterns.DOTTED) for match in pattern.finditer(text)]
    for match in sorted(shaped, key=re.Match.start):  # what is wrong is named before what was sent
        yield Found(_group(match), True, is_literal=match.re is patterns.QUOTED)
    label, *others = patterns.VAGUE
    for pattern, common in ((label, patterns.COMMON), (patterns.SUBJECT, patterns.NO_SUBJECTS)):
        for match in pattern.finditer(text):
            yield from _vague(_group(match).split(), common)
    for pattern in others:
        for match in pattern.finditer(text):
            yield from _vague(_group(match).split(), patterns.COMMON)
    yield from (Found(match["id"], False, is_literal=False) for match in patterns.IDENTIFIER.finditer(text))


def _without_list(match: re.Match[str]) -> str:
    """Return what is left of a list of what is right: the verb, which says that its subject is wrong."""
    return " must be " if match[0].lstrip(" ,.:;(").lower().startswith(("must be", "should be")) else " "


def _vague(words: list[str], common: frozenset[str]) -> Iterator[Found]:
    """Yield the words together, then fewer of them: `The due date`, `due date`, `date`."""
    for start in range(len(words)):
        name = " ".join(words[start:])
        if name.lower() not in common:
            yield Found(name, False, is_literal=False)


def _group(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group is not None)


def listed_as_right(text: str) -> frozenset[str]:
    """Return the words of what a text lists as right: `expected one of a, b`, `3 known properties: "a"`."""
    lists = [match[0] for match in patterns.ALTERNATIVES.finditer(text)]
    return frozenset(part[0] for line in lists for part in patterns.LIST_PART.finditer(line))


def says_missing(sentence: str) -> bool:
    """Return whether a sentence or a code says that a field was not sent."""
    return patterns.IS_MISSING.search(sentence) is not None


def says_unknown(sentence: str) -> bool:
    """Return whether a sentence says that a field should not be there."""
    return patterns.IS_UNKNOWN.search(sentence) is not None
