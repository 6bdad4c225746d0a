"""Character classes `[...]`, class escapes (`\\d`) and property escapes (`\\p{...}`) to `Chars`."""

from __future__ import annotations

from toolgen.patterns.charsets import CLASS_ESCAPES, Ranges, complement, single, union
from toolgen.patterns.cursor import Reader
from toolgen.patterns.nodes import Chars, Property
from toolgen.patterns.properties import lookup

_HYPHEN = Chars(single(ord("-")))


def class_escape(reader: Reader) -> Chars | None:
    r"""`\d`, `\D`, `\s`, `\S`, `\w`, `\W`, `\p{...}` or `\P{...}`, if one stands here."""
    start = reader.at
    letter = reader.text[start + 1 : start + 2] if reader.peek() == "\\" else ""
    if letter in CLASS_ESCAPES:
        reader.at += 2
        return Chars(CLASS_ESCAPES[letter])
    if letter not in ("p", "P"):
        return None
    reader.at += 2
    if not reader.take("{"):
        raise reader.error(f"\\{letter} takes a property in braces", start)
    name = reader.until("}", f"\\{letter}{{")
    found = lookup(name)
    if found is None:
        raise reader.error(
            f"ECMA-262 knows no Unicode property {name!r} (scripts are \\p{{Script=...}})", start
        )
    if isinstance(found, Property):
        return Chars((), (Property(found.kind, found.value, negated=letter == "P"),))
    return Chars(complement(found) if letter == "P" else found)


def character_class(reader: Reader) -> Chars:
    """A class; the `[` at the cursor is still to be read."""
    start = reader.at
    reader.at += 1
    negated = reader.take("^")
    parts: list[Chars] = []
    while not reader.take("]"):
        if not reader.peek():
            raise reader.error("the class is not closed by ']'", start)
        parts.extend(_range(reader))
    ranges = union(*(part.ranges for part in parts))
    properties = tuple(dict.fromkeys(p for part in parts for p in part.properties))
    if properties:
        return Chars(ranges, properties, negated)
    return Chars(complement(ranges) if negated else ranges)


def _range(reader: Reader) -> tuple[Chars, ...]:
    """One character or escape, or a range of two."""
    start = reader.at
    low = _atom(reader)
    if reader.peek() != "-" or reader.text[reader.at + 1 : reader.at + 2] in ("]", ""):
        return (low,)
    reader.at += 1
    high = _atom(reader)
    first, last = _code(low), _code(high)
    if first is None or last is None:
        return (low, _HYPHEN, high)  # annex B: `[\w-.]` has a literal hyphen
    if first > last:
        raise reader.error("the range is out of order", start)
    return (Chars(((first, last),)),)


def _atom(reader: Reader) -> Chars:
    if found := class_escape(reader):
        return found
    start = reader.at
    reader.at += 1
    char = reader.text[start]
    if char != "\\":
        return Chars(single(ord(char)))
    if reader.take("b"):
        return Chars(single(8))
    return Chars(single(reader.character_escape(start)))


def _code(atom: Chars) -> int | None:
    """The code point of a lone character; None for a class escape."""
    ranges: Ranges = atom.ranges
    return ranges[0][0] if len(ranges) == 1 and ranges[0][0] == ranges[0][1] else None
