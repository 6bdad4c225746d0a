"""Warnings about a tool's schema as text for the build cache, without the places of the file that the tool was in.

A rebuild reports them again without reading the schema, at the place where the tool is then.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from toolgen.diagnostics import Diagnostic
from toolgen.specs.tool_spec import ToolSpec


def warnings_text(diagnostics: Sequence[Diagnostic], spec: ToolSpec) -> str | None:
    """Return the text of a tool's diagnostics, "" for none; None if they cannot be reported again from it.

    Pointers are relative to the tool's schema. The file and the tool's name are not part of the text.
    """
    if not diagnostics:
        return ""
    start = len(spec.schema_place.pointer)
    text = json.dumps([[d.place.pointer[start:], d.code, d.message, d.hint, d.level] for d in diagnostics])
    return text if warnings_of(text, spec) == tuple(diagnostics) else None


def warnings_of(text: str, spec: ToolSpec) -> tuple[Diagnostic, ...] | None:
    """Return the diagnostics that a text says of a tool, at the tool's place; None if it is not such a text."""
    if not text:
        return ()
    place = spec.schema_place
    try:
        return tuple(
            Diagnostic(replace(place, pointer=place.pointer + below), code, message, hint, spec.name, level)
            for below, code, message, hint, level in json.loads(text)
        )
    except (ValueError, TypeError, RecursionError):
        return None
