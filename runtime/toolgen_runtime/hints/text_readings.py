"""What a text can mean where another type is wanted: a container, a number, a boolean, a list, nothing at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from toolgen_runtime.hints.allowed_readings import readings_of_choice
from toolgen_runtime.hints.fits import fits, is_allowed, sole_holder
from toolgen_runtime.hints.reading import Reading
from toolgen_runtime.hints.text import MAX_ECHO
from toolgen_runtime.hints.times import unix_time
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, json_type
from toolgen_runtime.validation.field_path import ANY_ITEM
from toolgen_runtime.validation.issues import MISSING

MAX_LITERAL = 20_000
"""Characters of a Python literal that is read."""
NO_VALUE = frozenset(("", "null", "none", "nil", "undefined", "n/a", "nan"))
"""Texts that say that there is no value."""
_NOT_ONE = frozenset(("all", "any", "*", "everything", "each", "true", "false", "yes", "no", "default"))
"""Texts that are not one item of a list, but say which items or whether any."""
_SEPARATOR = re.compile(r"\s*[,;|\n]\s*|\s+and\s+|\s+&\s+")
_WORDS = re.compile(r"[,;|\s]+")
_ONE_ITEM = re.compile(r"https?://\S+|[^\s+&]+")
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?([eE][+-]?[0-9]{1,2})?")
_ABOUT_A_NUMBER = re.compile(
    r"[$€£~]?\s*(-?[0-9]{1,3}(?:,[0-9]{3})+|-?[0-9]{1,15})(\.[0-9]{1,15})?\s*([a-zA-Z%°]{0,12})"
)
_UNIT_NAMES = "m sec second min minute h hr hour d day w week month y year k kb mb gb"
_UNITS = frozenset(_UNIT_NAMES.split())
"""Units of which a field can have another one."""
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


def readings_of_text(node: SchemaNode, text: str, wanted: Sequence[str]) -> Iterator[Reading]:
    """Yield what a text can mean where a value of the types `wanted` belongs, the certain readings first."""
    stripped = text.strip()
    head = stripped[:1]
    if head in ("[", "{"):
        if wanted_container(wanted) and (value := parsed_container(stripped)) is not MISSING:
            yield from _of_type(value, wanted, "parsed")
        return
    lowered = stripped.lower() if len(stripped) < 24 else stripped
    if "integer" in wanted or "number" in wanted:
        if (number := _number(stripped, wanted)) is not None:
            yield number
        elif (time := unix_time(node, stripped)) is not None:
            yield Reading("set", time)
    if "boolean" in wanted and lowered in ("true", "false"):
        yield Reading("set", lowered == "true", True, "parsed")
    elif "boolean" in wanted and lowered in _YES_OR_NO:
        yield Reading("set", _YES_OR_NO[lowered], False, "parsed")
    if "array" in wanted and lowered not in NO_VALUE:
        yield from _lists(node.child(ANY_ITEM), text, lowered)
    elif "array" in wanted:
        yield Reading("set", [], False, "parsed")


def wanted_container(wanted: Sequence[str]) -> bool:
    """Return whether objects or arrays are among the types."""
    return "array" in wanted or "object" in wanted


def parsed_container(text: str) -> Any:
    """Return the object or array that a text holds as JSON or as Python writes it; `MISSING` where it holds none."""
    from toolgen_runtime.hints.malformed.relaxed import to_json
    from toolgen_runtime.validation.json_text import read

    value, issues = read(text)
    if issues and len(text) <= MAX_LITERAL and (strict := to_json(text)) is not None:
        value, issues = read(strict)
    return value if not issues and isinstance(value, (dict, list)) else MISSING


def _of_type(value: Any, wanted: Sequence[str], rule: str) -> Iterator[Reading]:
    if admits(tuple(wanted), json_type(value)):
        yield Reading("set", value, True, rule)


def _number(text: str, wanted: Sequence[str]) -> Reading | None:
    """Return the number that a text says, where one is wanted."""
    certain = _NUMBER.fullmatch(text) is not None
    if not certain:
        match = _ABOUT_A_NUMBER.fullmatch(text) if len(text) < 40 else None
        if match is None or match[1].lstrip("-").startswith("0") != (match[1].lstrip("-") == "0"):
            return None
        if match[3] and match[3].lower().removesuffix("s") in ("", *_UNITS):
            return None  # The field may be in another unit.
        text = match[1].replace(",", "") + (match[2] or "")
    value: int | float = int(text) if _INTEGER.fullmatch(text) else float(text)
    if "number" not in wanted:
        if json_type(value) != "integer" or "integer" not in wanted:
            return None
        value = int(value)
    return Reading("set", value, certain, "parsed")


def _lists(item: SchemaNode, text: str, lowered: str) -> Iterator[Reading]:
    """Yield one item, or several with a separator between them."""
    between = _SEPARATOR if "string" in item.types else _WORDS
    parts = [part for part in between.split(text.strip()) if part] if len(text) < 1000 else [text]
    if len(parts) > 1:
        values = [_as_item(item, part) for part in parts]
        if MISSING not in values and max(map(len, parts)) <= MAX_ECHO:
            yield Reading("set", values, False, "split")
        return
    value = _as_item(item, text)
    if value is not MISSING:
        certain = value is text and lowered not in _NOT_ONE and _ONE_ITEM.fullmatch(text) is not None
        yield Reading(
            "wrap" if value is text else "set", value if value is text else [value], certain, "wrapped"
        )


def _as_item(item: SchemaNode, text: str) -> Any:
    """Return a part of a text as an item of the list; `MISSING` where it cannot be one."""
    if not item.types:
        return MISSING
    if "string" in item.types:
        if not item.allowed or is_allowed(item, text):
            return text
        likely = next(readings_of_choice(item, text, item.allowed), None)
        return MISSING if likely is None or likely.op != "set" else likely.value
    if item.types == ("object",):
        name = sole_holder(item, text)
        return MISSING if name is None else {name: text}
    read = _number(text, item.types)
    return read.value if read is not None and read.certain and fits(item, read.value) else MISSING
