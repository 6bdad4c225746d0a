"""Write the question to the user about missing values that only they can know."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolgen_runtime.hints.names import word_set, words_of
from toolgen_runtime.hints.quoting import prose
from toolgen_runtime.hints.sentence import enumerated
from toolgen_runtime.schema.node import SchemaNode

MAX_SUBJECT = 60
"""The most characters of a description in a question about one field."""
MAX_OF_SEVERAL = 24
"""The same in a question about several fields; longer descriptions are replaced by field names."""
MAX_LABEL = 80
_SCALARS = frozenset(("string", "integer", "number"))
_MACHINERY = word_set(
    "id uid uuid guid ref sha hash token cursor offset limit page size index idx timeout ms interval retry type kind"
    " mode format schema version nonce etag arn slug handle key selector encoding concurrency depth seed model scope"
    " operation action method command sql cmd locale timezone path file filename dir directory folder url uri query"
    " pattern glob"
)
"""Last words of names whose values the model decides or another tool returns."""
_NOUN_PHRASE = re.compile(r"(?:the|an?)\s[^{}()<>:;,`\"'\[\]?!|]+", re.IGNORECASE)
_TITLE = re.compile(r"(?:(?:the|an?)\s+)?([^\W\d_][\w -]*)", re.IGNORECASE)
_CLAUSE = re.compile(
    r"\b(?:is|are|was|be|if|when|must|should|can|will|may|use|used|using|e\.g|that|which)\b", re.IGNORECASE
)
_WORD_ENDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-.\s]+")


def clarifying_question(asked: Sequence[tuple[str, str]], limit: int) -> str | None:
    """Return one question about the first `limit` fields; None if there are no fields.

    `asked` contains the subject and the name of each field.
    """
    longest = MAX_OF_SEVERAL
    if len(asked) == 1:
        longest = MAX_SUBJECT
    named = [subject if subject and len(subject) <= longest else _in_words(name) for subject, name in asked]
    if named:
        return f"What should the {enumerated([*dict.fromkeys(named)][:limit])} be?"
    return None


def subject_of(node: SchemaNode, name: str) -> str | None:
    """Return the words that stand for a field in a question; None if the user should not be asked for it.

    These words are the description without its article if it is a short noun phrase, otherwise the title, otherwise an
    empty string.
    """
    is_open = node.types and not node.allowed and not any("default" in raw for raw in node.raws)
    if not is_open or not _SCALARS.issuperset(node.types) or not _MACHINERY.isdisjoint(words_of(name)[-1:]):
        return None
    line = prose(node.first("description", str) or "", 4 * MAX_SUBJECT).partition(". ")[0].rstrip(".")
    if len(line) <= MAX_SUBJECT and _NOUN_PHRASE.fullmatch(line) and not _CLAUSE.search(line):
        return line.partition(" ")[2]
    title = _TITLE.fullmatch(prose(node.first("title", str) or "", MAX_SUBJECT))
    if title is not None:
        return _in_words(title[1])
    return ""


def _in_words(name: str) -> str:
    """Return a field's name as words: `due date` for `dueDate`."""
    words = _WORD_ENDS.sub(" ", name[: 4 * MAX_LABEL]).strip().split(" ")
    words = [w if w.isupper() else w.lower() for w in words]
    return prose(" ".join(words), MAX_LABEL) or "value"
