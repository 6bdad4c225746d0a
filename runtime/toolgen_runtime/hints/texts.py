"""Read a string that was sent instead of a container, a number, a boolean, a list or an allowed value.

Readings are proposals; the tool's check decides whether they are valid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from toolgen_runtime.hints.edits import Reading
from toolgen_runtime.hints.names import fellows, value_likeness, word_set, worth_comparing
from toolgen_runtime.hints.text import MAX_ECHO, NO_VALUE, compact
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.raw import admits, is_one_of, json_type
from toolgen_runtime.schema.spelling import MAX_NAME, fold
from toolgen_runtime.validation.issues import ANY_ITEM, MISSING

MAX_LITERAL = 20_000
"""The most characters of a container that is not valid JSON, such as a Python literal."""
MAX_TEXT = 1_000
"""The most characters of a text that is split into parts."""
MAX_NUMBER = 40
_BOOLEANS = {"true": True, "false": False, "yes": True, "no": False}
_SEPARATOR = re.compile(r"\s*[,;|\n]\s*|\s+and\s+|\s+&\s+")
_WORDS = re.compile(r"[,;|\s]+")
_BRACKETED = re.compile(r"\[[^\[\]{}]{0,20000}\]")
_QUOTED = re.compile(r"(['\"`])(.*)\1", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*\u2022]|\d{1,2}[.)])\s+", re.MULTILINE)
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:")
_TOKEN = re.compile(r"[\d/\\._@:#=]|^-|\w-\w")
"""Matches characters of file names, options, addresses and identifiers that are rare in words."""
_VALUES = re.compile(r"\s*[,;x\u00d7|]\s*|\s+")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?([eE][+-]?[0-9]{1,2})?")
_ABOUT_A_NUMBER = re.compile(
    r"[$€£~#]?\s*(-?(?!0[0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,15}))(\.[0-9]{1,15})?\s*([a-zA-Z%°]{0,12})"
)
_UNITS = word_set(
    "ms msec milli millis millisecond milliseconds s sec secs second seconds m min mins minute minutes h hr hrs hour"
    " hours d day days w week weeks month months y year years b byte bytes k kb mb gb g"
)
"""Units of time and size: the field may use another unit of the same quantity."""
_SEVERAL = re.compile(r"[,;|]")
"""Separators of several values in one text."""
_SAME = fellows(
    "delete remove erase destroy rm|markdown md|= == eq equals equal is|!= <> ne neq not_equals not_equal"
    "|> gt greater_than greater|>= gte ge greater_than_or_equal greater_or_equal|< lt less_than less"
    "|<= lte le less_than_or_equal less_or_equal"
)
"""Words and signs with the same meaning."""


def readings_of_text(node: SchemaNode, text: str, wanted: Sequence[str], name: str = "") -> Iterator[Reading]:
    """Yield the readings of a text that was sent instead of a value of the types `wanted`; `name` is the field."""
    stripped = text.strip()
    lowered = stripped.lower()
    if not {"array", "object"}.isdisjoint(wanted):
        from toolgen_runtime.hints.malformed.in_fields import read_field

        value, is_certain = read_field(text, wanted, name)
        if value is not MISSING:
            yield Reading("set", value, is_certain, whole=not is_certain)
            return
    if stripped[:1] in ("[", "{"):
        if "array" in wanted and _BRACKETED.fullmatch(stripped):
            parts = [_unquoted(p) for p in _SEPARATOR.split(stripped[1:-1].strip())]
            yield from _several(node.child(ANY_ITEM), parts)
        return
    if (number := number_in(stripped, wanted)) is not None:
        is_share = stripped.endswith("%") and node.first("maximum", (int, float)) == 1
        yield Reading("set", number.value / 100, False) if is_share else number
    if "boolean" in wanted and lowered in _BOOLEANS:
        yield Reading("set", _BOOLEANS[lowered], lowered in ("true", "false"))
    if "array" in wanted:
        yield from [Reading("set", [], False)] if lowered in NO_VALUE else _of_list(node, text)
    elif "object" in wanted and (members := _members(node, stripped)) is not None:
        yield Reading("set", members, False, whole=True)


def parsed_container(text: str) -> Any:
    """Return the object or array that a text contains in the syntax of JSON or Python, or `MISSING`."""
    from toolgen_runtime.hints.malformed.read_text import KINDS, read_text

    reading = read_text(text)
    is_only_one = not reading.names and all(KINDS[slip].certain == "always" for slip in reading.slips)
    is_read = not reading.slips or (len(text) <= MAX_LITERAL and is_only_one)
    return reading.value if is_read and isinstance(reading.value, dict | list) else MISSING


def _of_list(node: SchemaNode, text: str) -> Iterator[Reading]:
    """Yield the readings of a text as a list: its separated parts, its words, or one item."""
    item, bare = node.child(ANY_ITEM), _BULLET.sub("", text.strip()) if "\n" in text else text.strip()
    between = _SEPARATOR if "string" in item.types else _WORDS
    parts = [_unquoted(p) for p in between.split(bare) if p] if len(bare) < MAX_TEXT else [text]
    if len(parts) > 1:
        yield from _several(item, parts)
        return
    bare = _unquoted(text)
    value = _as_item(item, bare)
    words = bare.split() if len(bare) < MAX_TEXT and not _TIME.match(bare) else []
    several = [_as_item(item, word) for word in words] if len(words) > 1 else []
    if several and MISSING not in several and max(map(len, words)) <= MAX_ECHO:
        whole = MISSING if value is MISSING else [value]
        are_items = value is MISSING or item.allowed or any(map(_TOKEN.search, words))
        first, second = (several, whole) if are_items else (whole, several)
        yield Reading("set", first, False, other=second)
    elif value is not MISSING:
        yield Reading("wrap", text) if value is text else Reading("set", [value], False, whole=True)


def _several(item: SchemaNode, parts: Sequence[str]) -> Iterator[Reading]:
    values = [_as_item(item, part) for part in parts if part]
    if values and MISSING not in values and max(map(len, parts)) <= MAX_ECHO:
        yield Reading("set", values, False, whole=True)


def _unquoted(part: str) -> str:
    match = _QUOTED.fullmatch(part.strip())
    return match[2] if match is not None else part


def _as_item(item: SchemaNode, text: str) -> Any:
    """Return a part of a text as a value of the node `item`, or `MISSING` if it cannot be one."""
    if "string" in item.types:
        if not item.allowed or is_one_of(text, item.allowed):
            return text
        likely = next(readings_of_choice(text, item.allowed), None)
        return MISSING if likely is None else likely.value
    if item.types == ("object",):
        name = sole_holder(item, text)
        members = _members(item, text) if name is None else {name: text}
        return MISSING if members is None else members
    if "boolean" in item.types and text.lower() in ("true", "false"):
        return text.lower() == "true"
    read = number_in(text, item.types)
    return read.value if read is not None and read.certain else MISSING


def sole_holder(node: SchemaNode, value: Any) -> str | None:
    """Return the only property that a value can belong to if no other property is required, else None."""
    kind, needed = json_type(value), node.required
    names = [n for n in node.properties if kind in node.child(n).types and (len(needed) != 1 or n in needed)]
    return names[0] if len(names) == 1 and needed <= {*names} else None


def _members(node: SchemaNode, text: str) -> dict[str, Any] | None:
    """Return the object whose members a text gives by position (`1024x768`); None if it is ambiguous or unfit."""
    parts = [part for part in _VALUES.split(text[:MAX_TEXT]) if part]
    found = [m for form in node.leaf_nodes if (m := by_position(form, parts)) is not None]
    fitting = [m for m in found if not any(type(v) is str for v in m.values())]
    return fitting[0] if len(fitting) == 1 else None


def by_position(node: SchemaNode, values: Sequence[Any]) -> dict[str, Any] | None:
    """Return an object with the values as members in order, or None if their number or types do not fit.

    The members are the required ones or, if at most one is required, all properties.
    """
    needed = [n for n in node.properties if n in node.required]
    names = needed if len(needed) > 1 else [*node.properties]
    if not len(names) == len(values) > 1:
        return None
    children = [node.child(name) for name in names]
    members = [
        _as_item(c, v) if c.types and type(v) is str else v for c, v in zip(children, values, strict=True)
    ]
    fit = all(
        type(v) is not dict and admits(c.types, json_type(v)) for c, v in zip(children, members, strict=True)
    )
    return dict(zip(names, members, strict=True)) if fit else None


def number_in(text: str, wanted: Sequence[str]) -> Reading | None:
    """Return the reading of a text that is only a number, perhaps with a currency or unit; None for other texts."""
    certain = _NUMBER.fullmatch(text) is not None
    if not certain:
        match = _ABOUT_A_NUMBER.fullmatch(text) if len(text) < MAX_NUMBER else None
        if match is None or match[3].lower() in _UNITS:
            return None  # The field may use another unit.
        text = match[1].replace(",", "") + (match[2] or "")
    value: float = int(text) if text.lstrip("-").isdecimal() else float(text)
    if "number" not in wanted:
        if json_type(value) != "integer" or "integer" not in wanted:
            return None
        value = int(value)
    return Reading("set", value, certain)


def readings_of_choice(got: Any, allowed: Sequence[Any]) -> Iterator[Reading]:
    """Yield the allowed value that `got` most likely means, if there is a clear one."""
    if (same := _same_value(got, allowed)) is not None:
        yield Reading("set", same)
    elif (likely := _likely_value(got, allowed)) is not None:
        yield Reading("set", likely, False)
    elif len(allowed) == 1:
        yield Reading("set", allowed[0], False)


def _same_value(got: Any, allowed: Sequence[Any]) -> Any:
    """Return the only allowed value that equals `got` except for case, separators, quotes or text for a number."""
    text = got[: 4 * MAX_NAME].partition("</")[0].strip() if type(got) is str else compact(got)
    folded = fold(text)
    spelt = [(v if type(v) is str else compact(v), v) for v in allowed]
    matches = [(name, v) for name, v in spelt if fold(name) == folded]
    if len(matches) > 1 or type(got) is not str:
        matches = [(name, v) for name, v in matches if name.casefold() == text.casefold()]
    return matches[0][1] if len(matches) == 1 else None


def _likely_value(got: Any, allowed: Sequence[Any]) -> Any:
    """Return the allowed value that `got` resembles: a misspelling, the same stem, or a synonym."""
    if type(got) is not str or not got or len(got) > MAX_NAME or _SEVERAL.search(got):
        return None
    near, same = worth_comparing(got, allowed), _SAME.get(got.strip().lower(), ())
    matches = [v for v in near if isinstance(v, str) and v.lower().lstrip("$") in same]
    meant = matches[0] if len(matches) == 1 else None
    if meant is not None and not got.isalpha():
        return meant
    scored = sorted((s, i) for i, v in enumerate(near) if (s := value_likeness(got, v)) is not None)
    if scored and (len(scored) == 1 or scored[0][0] < scored[1][0]):
        return near[scored[0][1]]
    return meant
