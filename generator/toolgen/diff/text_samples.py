"""Strings that a pattern or a format takes, to be tried as payloads."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import islice, product
from typing import Final

from toolgen.patterns.nodes import Anchor, Chars, Choice, Look, Node, Repeat, Sequence
from toolgen.patterns.simplify import tree_of
from toolgen.patterns.translate import PatternError

FORMATS: Final = {
    "date-time": ("2026-01-31T09:30:00Z", "1999-12-31T23:59:59.5+02:00"),
    "date": ("2026-01-31", "1999-12-31"),
    "time": ("09:30:00Z", "23:59:59.5+02:00"),
    "duration": ("PT1H", "P1DT30M"),
    "email": ("jane@example.com", "first.last+tag@mail.example.org"),
    "idn-email": ("a@example.com", "first.last@mail.example.org"),
    "hostname": ("example.com", "x-1.test"),
    "idn-hostname": ("example.com", "x-1.test"),
    "ipv4": ("192.0.2.1", "8.8.8.8"),
    "ipv6": ("::1", "2001:db8::8a2e:370:7334"),
    "uri": ("https://example.com/", "urn:x:y", "http://b.test?c=d#e"),
    "uri-reference": ("/a", "https://example.com/a", "?q"),
    "iri": ("https://example.com/a", "urn:x:y"),
    "iri-reference": ("/a", "https://example.com/a"),
    "uri-template": ("/{a}", "https://example.com/{b*}"),
    "uuid": ("123e4567-e89b-42d3-a456-426614174000", "ffffffff-ffff-4fff-8fff-ffffffffffff"),
    "json-pointer": ("/a", "", "/b/0"),
    "relative-json-pointer": ("0", "1/a"),
    "regex": ("a", "^b+$"),
}
"""Texts of each format, the likeliest first."""
_PREFERRED: Final = "aA0 -_.@/:,#b1"
_MOST: Final = 6


@lru_cache(maxsize=1_000)
def of_pattern(pattern: str, most: int = _MOST) -> tuple[str, ...]:
    """Return a few texts that an ECMA-262 pattern may match; lookarounds are not asked."""
    try:
        return tuple(dict.fromkeys(islice(_texts(tree_of(pattern)), most)))
    except (PatternError, RecursionError):
        return ()


def _texts(node: Node) -> Iterable[str]:
    match node:
        case Chars():
            return _characters(node)
        case Sequence(items):
            parts = [list(islice(_texts(item), 3)) for item in items]
            return ("".join(words) for words in islice(product(*parts), _MOST))
        case Choice(options):
            return (text for option in options for text in islice(_texts(option), 2))
        case Repeat(body, low, high):
            counts = dict.fromkeys((max(low, 1) if high != 0 else 0, low, low + 1 if high is None else high))
            bodies = list(islice(_texts(body), 2))
            return (text * min(count, 1_000) for count in counts for text in bodies)
        case Look() | Anchor():
            return [""]


def _characters(chars: Chars) -> list[str]:
    if chars.properties:
        return ["a", "0"]

    def is_in(code: int) -> bool:
        return any(low <= code <= high for low, high in chars.ranges) != chars.negated

    found = [c for c in _PREFERRED if is_in(ord(c))]
    last = chars.ranges[-1][1] if chars.ranges and not chars.negated else 0
    if found and 0 < last < 0x7F:  # where another pattern may end
        found.insert(1, chr(last))
    if not found and not chars.negated and chars.ranges:
        found = [chr(chars.ranges[0][0])]
    return found or ["~"]
