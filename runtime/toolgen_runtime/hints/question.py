"""The one sentence for the user: what only the user can know."""

from __future__ import annotations

from collections.abc import Sequence

from toolgen_runtime.hints.problems import Finding
from toolgen_runtime.hints.text import first_sentence, prose
from toolgen_runtime.schema.facts import Place
from toolgen_runtime.validation.issues import key_text

MAX_SUBJECT = 80


def question(findings: Sequence[Finding], limit: int) -> str | None:
    """Asks for the missing fields that nothing in the payload or the schema can fill; None where there is none."""
    subjects: list[str] = []
    for finding in findings:
        if finding.rename_from is None:
            subject = finding.place.memo("subject", _subject)
            if subject is not None and (text := subject or _name(finding)) not in subjects:
                subjects.append(text)
                if len(subjects) == limit:
                    break
    if not subjects:
        return None
    text = subjects[0] if len(subjects) == 1 else f"{', '.join(subjects[:-1])} and {subjects[-1]}"
    return f"Could you tell me: {text}?"


def _subject(place: Place) -> str | None:
    """A place's description, or title; `""` where it has neither; None where the schema itself gives the value."""
    if len(place.allowed) == 1 or any("default" in raw for raw in place.raws):
        return None
    for keyword in ("description", "title"):
        text = place.first(keyword, str)
        if text and (line := first_sentence(text, MAX_SUBJECT).rstrip("?")):
            return line
    return ""


def _name(finding: Finding) -> str:
    return prose(key_text(finding.path[-1]).replace("_", " "), MAX_SUBJECT) or "a value"
