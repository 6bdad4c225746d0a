"""The edit of a payload that came as a text: the value that it was meant to hold, in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.malformed.certainty import Check, is_certain
from toolgen_runtime.hints.malformed.read_text import read_text
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue, revealed
from toolgen_runtime.validation.json_text import read


def parsed_text(
    payload: str | bytes, issues: Sequence[ValidationIssue], has_secrets: bool
) -> tuple[Any, tuple[Edit, ...]]:
    """Return the value of a text that is JSON, and the edit that puts it there, where the issues are about that value.

    They may be about the text itself, if a text is what was sent for the object; it is returned as it is then.
    """
    value, faults = read(payload)
    if isinstance(value, str) and isinstance(inner := read_text(value).value, str | dict | list):
        deepest, _ = read(value)
        value = inner if isinstance(deepest, str) else value  # The issue is about the last level itself.
    if faults or any(not i.path and revealed(i.got) == payload for i in issues):
        return payload, ()
    return value, (Edit("set", (), value=Secret(value) if has_secrets else value, certain=True),)


def text_edits(payload: Any, facts: SchemaFacts, check: Check | None, tool: str) -> tuple[Edit, ...]:
    """Return the edit that puts the value in the place of the text; none where the text has no reading."""
    reading = read_text(payload) if isinstance(payload, str | bytes) else None
    if reading is None or reading.value is MISSING:
        return ()
    certain = is_certain(reading, facts.document.root, check, tool)
    value = Secret(reading.value) if facts.has_secrets else reading.value
    return (Edit("set", (), value=value, certain=certain),)
