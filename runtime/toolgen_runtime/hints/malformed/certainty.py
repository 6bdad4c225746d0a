"""The edit of a payload that came as a text, and whether the reading of the text is the only one for the tool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from toolgen_runtime.hints.edits import Edit
from toolgen_runtime.hints.malformed.read_text import KINDS, TextReading, read_text
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.raw import named
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue, revealed
from toolgen_runtime.validation.json_text import read

Check = Callable[[Any], list[ValidationIssue]]


def is_certain(reading: TextReading, facts: SchemaFacts, check: Check | None, tool: str) -> bool:
    """Return whether a text has no other reading, given the tool's name, its schema and its check.

    Each slip must be certain (`KINDS`), under its condition; a text that names a tool is a call of that one, and
    a label before the object is no field.
    """
    conditions = {KINDS[slip].certain for slip in reading.slips}
    if "never" in conditions or any(name.removeprefix("functions.") != tool for name in reading.calls):
        return False
    if "if valid" in conditions and (check is None or check(reading.value)):
        return False
    if not reading.names and not reading.label:
        return True
    declared = declared_names(facts)
    return reading.names <= declared and reading.label not in declared


def declared_names(facts: SchemaFacts) -> frozenset[str]:
    """Return the names of all properties of a schema, at any depth."""
    return frozenset(name for raw in facts.document.every_schema() for name in named(raw, "properties"))


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
    certain = is_certain(reading, facts, check, tool)
    value = Secret(reading.value) if facts.has_secrets else reading.value
    return (Edit("set", (), value=value, certain=certain),)
