"""The one question for the user: about what nobody else can know.

Nothing is asked while the payload holds data that is not in its place, since that is likely what is missing; nor what
a model, another tool or the schema decides: tags, switches, limits, identifiers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache

from toolgen_runtime.hints.problems import Problem
from toolgen_runtime.hints.text import first_sentence, prose
from toolgen_runtime.hints.words import words_of
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.validation.issues import key_text

MAX_SUBJECT = 60
"""Characters of a description that stands in a question."""
MAX_LABEL = 80
_SCALARS = frozenset(("string", "integer", "number"))
_MACHINERY_WORDS = (
    "id uid uuid guid ref sha hash token cursor offset limit page size index idx timeout ms interval retry type kind"
    " mode format schema version nonce etag arn slug handle key selector encoding concurrency depth seed model scope"
    " operation action method command sql cmd locale timezone"
)
_MACHINERY = frozenset(_MACHINERY_WORDS.split())
"""Last words of names whose values a model decides, or another tool hands out."""
_NOUN_PHRASE = re.compile(r"(?:the|an?)\s[^{}()<>:;,`\"'\[\]?!|]+", re.IGNORECASE)
_TITLE = re.compile(r"[^\W\d_][\w -]*")
_CLAUSE = re.compile(
    r"\b(?:is|are|was|be|if|when|must|should|can|will|may|use|used|using|e\.g|that|which)\b", re.IGNORECASE
)


def question(problems: Sequence[Problem], limit: int) -> str | None:
    """Return a question for the missing fields that only the user can fill; None where there are none.

    `problems` are all of the hint's, in the order of its lines.
    """
    explained = {p.rename_from for p in problems if p.rename_sure}
    for problem in problems:
        if _holds_data(problem, explained):
            return None
    subjects: list[str] = []
    for problem in problems:
        for one in problem.siblings or (problem,):
            if not one.missing or one.rename_from or not _is_for_a_user(one):
                continue
            subject = one.node.memo("subject", _subject) or _name(key_text(one.path[-1]))
            if subject not in subjects:
                subjects.append(subject)
    subjects = subjects[:limit]
    if not subjects:
        return None
    asked = subjects[0] if len(subjects) == 1 else f"{', '.join(subjects[:-1])} and {subjects[-1]}"
    return f"What should the {asked} be?"


def _holds_data(problem: Problem, explained: Set[str | None]) -> bool:
    """Return whether there is data at this place that may be what is missing elsewhere."""
    if problem.said or problem.unknown or (problem.rename_from and not problem.rename_sure):
        return True
    location = problem.location
    if not problem.missing or not location.has_strays():
        return False
    return any(key not in location.node.properties and key not in explained for key in location.value)


def _is_for_a_user(problem: Problem) -> bool:
    if problem.tag or problem.secret or not problem.node.memo("open", _is_open):
        return False
    words = words_of(key_text(problem.path[-1]))
    return not words or words[-1] not in _MACHINERY


def _is_open(node: SchemaNode) -> bool:
    """Return whether the schema leaves the value open: a text or number that it neither lists nor has a default for."""
    scalar = bool(node.types) and _SCALARS.issuperset(node.types)
    return scalar and not node.allowed and not any("default" in raw for raw in node.raws)


def _subject(node: SchemaNode) -> str:
    """Return a place's description without its article, if it is a short noun phrase; else its title, else `""`."""
    text = node.first("description", str)
    line = first_sentence(text, MAX_SUBJECT + 1) if text else ""
    if len(line) <= MAX_SUBJECT and _NOUN_PHRASE.fullmatch(line) and not _CLAUSE.search(line):
        return line.partition(" ")[2]
    title = prose(node.first("title", str) or "", MAX_SUBJECT)
    return title[:1].lower() + title[1:] if _TITLE.fullmatch(title) else ""


def _name(name: str) -> str:
    """Return a field's name in words: `dueDate` is `due date`."""
    return _in_words(name[: 4 * MAX_LABEL])


@lru_cache(maxsize=1024)
def _in_words(name: str) -> str:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\-.\s]+", " ", name).strip()
    words = [w if w.isupper() else w.lower() for w in spaced.split(" ")]
    return prose(" ".join(words), MAX_LABEL) or "value"
