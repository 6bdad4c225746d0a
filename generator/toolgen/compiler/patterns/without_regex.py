"""Check some patterns without a regular expression, because comparing words is much faster."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from toolgen.compiler.patterns.charsets import only_code
from toolgen.compiler.patterns.nodes import Anchor, Chars, Choice, Node, Repeat, Sequence, items_of, sequence
from toolgen.compiler.patterns.parser import tree_of

MOST_WORDS: Final = 16
"""The maximum number of words that are searched for one by one, or written in a check and not as a constant."""
MOST_LISTED: Final = 500_000
"""The maximum number of characters of all words in a pattern that lists them."""


_Place = Literal["whole", "start", "end", "anywhere"]
_PLACES: Final[dict[tuple[bool, bool], _Place]] = {
    (True, True): "whole",
    (True, False): "start",
    (False, True): "end",
    (False, False): "anywhere",
}
"""Where the words must be, depending on whether a pattern has `^` and `$`."""


class Words(NamedTuple):
    """A sorted list of words. A text must equal, begin with, end with or contain one of them."""

    words: tuple[str, ...]
    place: _Place


class OnlyOf(NamedTuple):
    """The characters of which a text must consist. `may_be_empty` says whether it may be empty."""

    characters: str
    may_be_empty: bool


def plain(pattern: str) -> Words | OnlyOf | None:
    """Return which texts an ECMA-262 pattern matches; None if a regular expression is needed to find out.

    Raises:
        PatternError: the text is not a regular expression.
    """
    items = items_of(tree_of(pattern))
    from_start = items[:1] == [Anchor("^")]
    to_end = items[-1:] == [Anchor("$")]
    body = sequence(items[from_start : len(items) - to_end])
    place = _PLACES[from_start, to_end]
    words = listed(body)
    if words and (place != "anywhere" or len(words) <= MOST_WORDS):
        return Words(tuple(sorted(set(words))), place)
    if place == "whole":
        return _only_of(body)
    return None


def _only_of(node: Node) -> OnlyOf | None:
    match node:
        case Repeat(Chars(ranges, (), False), 0 | 1 as low, None) if all(high < 128 for _, high in ranges):
            codes = {code for first, last in ranges for code in range(first, last + 1)}
            return OnlyOf("".join(map(chr, sorted(codes))), may_be_empty=not low)
        case _:
            return None


def listed(node: Node) -> list[str] | None:
    """Return the texts that a pattern matches if it is a choice between words, with or without fixed text
    around it; otherwise None.
    """
    items = items_of(node)
    choices = ((i, item.options) for i, item in enumerate(items) if isinstance(item, Choice))
    at, options = next(choices, (len(items), (Sequence(()),)))
    around = _literal(sequence(items[:at])), _literal(sequence(items[at + 1 :]))
    head, tail = around
    words = [word for option in options if (word := _literal(option)) is not None]
    if head is None or tail is None or len(words) < len(options):
        return None
    size = len(words) * (len(head) + len(tail)) + sum(map(len, words))
    if size <= MOST_LISTED:
        return [f"{head}{word}{tail}" for word in words]
    return None


def _literal(node: Node) -> str | None:
    """Return the only text that a node matches; None if there are several or it is unknown."""
    text = ""
    for item in items_of(node):
        code = only_code(item.ranges) if isinstance(item, Chars) and not item.properties else None
        if code is None:
            return None
        text += chr(code)
    return text
