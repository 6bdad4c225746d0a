"""What a text can mean where another type is wanted: a container, a number, a boolean, a list, nothing at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolgen_runtime.hints.values.list_readings import readings_of_list_text
from toolgen_runtime.hints.values.member_readings import members_in
from toolgen_runtime.hints.values.number_readings import readings_of_number_text
from toolgen_runtime.hints.values.reading import Reading
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.validation.issues import MISSING

MAX_LITERAL = 20_000
"""Characters of a Python literal that is read."""
NO_VALUE = frozenset(("", "null", "none", "nil", "undefined", "n/a", "nan"))
"""Texts that say that there is no value."""
_YES_OR_NO = {
    "yes": True,
    "y": True,
    "on": True,
    "1": True,
    "no": False,
    "n": False,
    "off": False,
    "0": False,
}


def readings_of_text(node: SchemaNode, text: str, wanted: Sequence[str], name: str = "") -> Iterator[Reading]:
    """Yield what a text can mean where a value of the types `wanted` belongs, the certain readings first.

    `name` is the field's.
    """
    stripped = text.strip()
    if stripped[:1] in ("[", "{"):
        if wanted_container(wanted) and (value := parsed_container(stripped)) is not MISSING:
            yield from _of_type(value, wanted, "parsed")
        elif "array" in wanted and len(stripped) < MAX_LITERAL:
            yield from readings_of_list_text(node, text, name)
        return
    lowered = stripped.lower() if len(stripped) < 24 else stripped
    if "integer" in wanted or "number" in wanted:
        yield from readings_of_number_text(node, stripped, wanted, name)
    if "boolean" in wanted and lowered in ("true", "false"):
        yield Reading("set", lowered == "true", True, "parsed")
    elif "boolean" in wanted and lowered in _YES_OR_NO:
        yield Reading("set", _YES_OR_NO[lowered], False, "parsed")
    if "array" in wanted and lowered not in NO_VALUE:
        yield from readings_of_list_text(node, text, name)
    elif "array" in wanted:
        yield Reading("set", [], False, "parsed")
    elif "object" in wanted and (members := members_in(node, stripped)) is not None:
        yield Reading("set", members, False, "parsed")


def wanted_container(wanted: Sequence[str]) -> bool:
    """Return whether objects or arrays are among the types."""
    return "array" in wanted or "object" in wanted


def parsed_container(text: str) -> Any:
    """Return the object or array that a text holds as JSON or as Python writes it; `MISSING` if it holds none."""
    from toolgen_runtime.hints.malformed.read_text import read_text

    reading = read_text(text)
    is_read = not reading.slips or (
        len(text) <= MAX_LITERAL and reading.is_only_reading and not reading.names
    )
    return reading.value if is_read and isinstance(reading.value, dict | list) else MISSING


def _of_type(value: Any, wanted: Sequence[str], rule: str) -> Iterator[Reading]:
    if admits(tuple(wanted), json_type(value)):
        yield Reading("set", value, True, rule)
