"""The one sentence for the user: what only the user can know."""

from __future__ import annotations

from collections.abc import Sequence

from toolgen_runtime.hints.problems import Problem
from toolgen_runtime.hints.text import first_sentence, prose
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.validation.issues import key_text

MAX_SUBJECT = 80


def question(problems: Sequence[Problem], limit: int) -> str | None:
    """Return a question for the missing fields that neither payload nor schema can fill; None where none is left."""
    subjects: list[str] = []
    for problem in problems:
        if problem.rename_from is None:
            subject = problem.node.memo("subject", _subject)
            if subject is not None and (text := subject or _name(problem)) not in subjects:
                subjects.append(text)
                if len(subjects) == limit:
                    break
    if not subjects:
        return None
    text = subjects[0] if len(subjects) == 1 else f"{', '.join(subjects[:-1])} and {subjects[-1]}"
    return f"Could you tell me: {text}?"


def _subject(node: SchemaNode) -> str | None:
    """A place's description, or title; `""` where it has neither; None where the schema itself gives the value."""
    if len(node.allowed) == 1 or any("default" in raw for raw in node.raws):
        return None
    for keyword in ("description", "title"):
        text = node.first(keyword, str)
        if text and (line := first_sentence(text, MAX_SUBJECT).rstrip("?")):
            return line
    return ""


def _name(problem: Problem) -> str:
    return prose(key_text(problem.path[-1]).replace("_", " "), MAX_SUBJECT) or "a value"
