"""Parsing of character classes (`[...]`), class escapes (`\\d`) and property escapes (`\\p{...}`)."""

from __future__ import annotations

import re

from toolgen.patterns.charsets import CLASS_ESCAPES, EVERYTHING, Ranges, complement, single, union
from toolgen.patterns.cursor import Cursor
from toolgen.patterns.nodes import Chars, Property
from toolgen_runtime.validation.formats.unicode_names import BINARY_PROPERTIES, GENERAL_CATEGORIES

_HYPHEN = Chars(single(ord("-")))
_ASCII_HEX: Ranges = ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66))
FIXED: dict[str, Ranges] = {
    "Any": EVERYTHING,
    "ASCII": ((0, 0x7F),),
    "ASCII_Hex_Digit": _ASCII_HEX,
    "AHex": _ASCII_HEX,
}
"""Properties that are the same in every version of Unicode."""

_SCRIPT_SHAPE = re.compile(r"[A-Z][A-Za-z]*(_[A-Z][A-Za-z]*)*")


def class_escape(cursor: Cursor) -> Chars | None:
    r"""Read a `\d`, `\D`, `\s`, `\S`, `\w`, `\W`, `\p{...}` or `\P{...}`; None if none comes next."""
    start = cursor.at
    letter = cursor.text[start + 1 : start + 2] if cursor.peek() == "\\" else ""
    if letter in CLASS_ESCAPES:
        cursor.at += 2
        return Chars(CLASS_ESCAPES[letter])
    if letter not in ("p", "P"):
        return None
    cursor.at += 2
    if not cursor.take("{"):
        raise cursor.error(f"\\{letter} takes a property in braces", start)
    name = cursor.until("}", f"\\{letter}{{")
    named = _lookup(name)
    if named is None:
        raise cursor.error(
            f"ECMA-262 has no Unicode property {name!r} (scripts are \\p{{Script=...}})", start
        )
    if isinstance(named, Property):
        return Chars((), (Property(named.kind, named.value, negated=letter == "P"),))
    return Chars(complement(named) if letter == "P" else named)


def character_class(cursor: Cursor) -> Chars:
    """Read the class whose `[` comes next."""
    start = cursor.at
    cursor.at += 1
    negated = cursor.take("^")
    parts: list[Chars] = []
    while not cursor.take("]"):
        if not cursor.peek():
            raise cursor.error("the class is not closed by ']'", start)
        parts.extend(_range(cursor))
    ranges = union(*(part.ranges for part in parts))
    properties = tuple(dict.fromkeys(p for part in parts for p in part.properties))
    if properties:
        return Chars(ranges, properties, negated)
    return Chars(complement(ranges) if negated else ranges)


def _range(cursor: Cursor) -> tuple[Chars, ...]:
    """Read one character or escape, or a range of two."""
    start = cursor.at
    low = _atom(cursor)
    if cursor.peek() != "-" or cursor.text[cursor.at + 1 : cursor.at + 2] in ("]", ""):
        return (low,)
    cursor.at += 1
    high = _atom(cursor)
    first, last = _code(low), _code(high)
    if first is None or last is None:
        return (low, _HYPHEN, high)  # annex B: `[\w-.]` has a literal hyphen
    if first > last:
        raise cursor.error("the range is out of order", start)
    return (Chars(((first, last),)),)


def _atom(cursor: Cursor) -> Chars:
    if chars := class_escape(cursor):
        return chars
    start = cursor.at
    cursor.at += 1
    char = cursor.text[start]
    if char != "\\":
        return Chars(single(ord(char)))
    if cursor.take("b"):
        return Chars(single(8))
    return Chars(single(cursor.character_escape(start)))


def _code(atom: Chars) -> int | None:
    """Return the code point of a single character; None for a class escape."""
    ranges: Ranges = atom.ranges
    return ranges[0][0] if len(ranges) == 1 and ranges[0][0] == ranges[0][1] else None


def _lookup(text: str) -> Ranges | Property | None:
    """Return the property that the text in the braces of a `\\p{...}` names; None if ECMA-262 has no such property.

    Of a script only the form of its name is checked, since new ones are added every year: the engine decides whether
    it exists.
    """
    name, equals, value = text.partition("=")
    if not equals:
        if name in FIXED:
            return FIXED[name]
        if name in GENERAL_CATEGORIES:
            return Property("gc", GENERAL_CATEGORIES[name])
        return Property("binary", name) if name in BINARY_PROPERTIES else None
    if name in ("General_Category", "gc"):
        return Property("gc", GENERAL_CATEGORIES[value]) if value in GENERAL_CATEGORIES else None
    if not _SCRIPT_SHAPE.fullmatch(value):
        return None
    if name in ("Script", "sc"):
        return Property("sc", value)
    return Property("scx", value) if name in ("Script_Extensions", "scx") else None
