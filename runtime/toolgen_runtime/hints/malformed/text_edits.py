"""The edit of a payload that came as a text: the value that it was meant to hold, in its place."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.malformed.reading import read_loosely
from toolgen_runtime.validation.issues import Secret


def text_edits(payload: Any, has_secrets: bool) -> tuple[Edit, ...]:
    """Return the edit that puts the value in the place of the text; none where the text has no reading."""
    reading = read_loosely(payload) if isinstance(payload, str | bytes) else None
    if reading is None:
        return ()
    value = Secret(reading.value) if has_secrets else reading.value
    return (Edit("set", (), value=value, certain=reading.certain),)
