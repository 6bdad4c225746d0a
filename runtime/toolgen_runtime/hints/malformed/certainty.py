"""Whether a reading of a text is the only one for a tool, whose fields and types decide between readings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolgen_runtime.hints.malformed.read_text import TextReading
from toolgen_runtime.hints.malformed.slips import KINDS
from toolgen_runtime.validation.issues import ValidationIssue

Check = Callable[[Any], list[ValidationIssue]]
MAX_SCHEMAS = 100_000


def is_certain(reading: TextReading, schema: Any, check: Check | None, tool: str) -> bool:
    """Return whether a text has no other reading, given the tool's name, its schema and its check.

    Each slip must be certain (`slips.KINDS`), under its condition; a text that names a tool is a call of that one, and
    a label before the object is no field.
    """
    conditions = {KINDS[slip.kind].certain for slip in reading.slips}
    if "never" in conditions or any(name.removeprefix("functions.") != tool for name in reading.calls):
        return False
    if "if valid" in conditions and (check is None or check(reading.value)):
        return False
    if not reading.names and not reading.label:
        return True
    declared = declared_names(schema)
    return reading.names <= declared and reading.label not in declared


def declared_names(schema: Any) -> frozenset[str]:
    """Return the names of all properties of a schema, at any depth."""
    names: set[str] = set()
    left = [schema]
    seen = 0
    while left and seen < MAX_SCHEMAS:
        value = left.pop()
        seen += 1
        if isinstance(value, Mapping):
            properties = value.get("properties")
            names |= properties.keys() if isinstance(properties, Mapping) else set()
            left += value.values()
        elif isinstance(value, list):
            left += value
    return frozenset(name for name in names if isinstance(name, str))
