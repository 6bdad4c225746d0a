"""Patterns without repetition, usually a choice among words: cheap to run, however long."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Final

from toolgen.patterns.nodes import Anchor, Chars, Choice, Node, Repeat, Sequence

MOST_LITERALS: Final = 500_000
"""Most characters of all the texts that a pattern may be expanded to."""
MOST_WORDS: Final = 16
"""Most words that a pattern may be expanded to if it does not list them itself."""
MOST_CHARACTERS: Final = 400
"""Most characters of all these words together."""


def literal(node: Node) -> str | None:
    """Return the only text that a node matches; None if there are several, or it is not known."""
    items = node.items if isinstance(node, Sequence) else (node,)
    chars: list[str] = []
    for item in items:
        if not isinstance(item, Chars) or item.properties or item.negated or len(item.ranges) != 1:
            return None
        low, high = item.ranges[0]
        if low != high:
            return None
        chars.append(chr(low))
    return "".join(chars)


def literals(node: Node) -> list[str] | None:
    """Return the texts of a choice among literal texts, with literal text around it or not; None for other nodes."""
    items = node.items if isinstance(node, Sequence) else (node,)
    choices = ((i, item.options) for i, item in enumerate(items) if isinstance(item, Choice))
    at, options = next(choices, (len(items), (Sequence(()),)))
    head, tail = literal(Sequence(items[:at])), literal(Sequence(items[at + 1 :]))
    if head is None or tail is None:
        return None
    words = [word for option in options if (word := literal(option)) is not None]
    repeated = len(words) * (len(head) + len(tail))
    if len(words) < len(options) or repeated + sum(map(len, words)) > MOST_LITERALS:
        return None
    return [f"{head}{word}{tail}" for word in words]


def is_finite(node: Node) -> bool:
    """Return whether a match from one position takes at most twice as many steps as the pattern has nodes.

    True for choices among words and among sequences of small classes (`[Aa][Bb]`), anchored or not.
    """
    counted = _count(node)
    if counted is None:
        return False
    size, _, steps = counted
    return steps <= 2 * size


def _count(node: Node) -> tuple[int, int, int] | None:
    """Return (size, ways to match one text, steps to try them all) of a tree; None if something may repeat."""
    match node:
        case Chars(properties=()) | Anchor("^" | "$"):
            return 1, 1, 1
        case Sequence(parts):
            size, ways, steps = 0, 1, 0
            for part in parts:
                counted = _count(part)
                if counted is None:
                    return None
                size, steps = size + counted[0], steps + ways * counted[2]
                ways *= counted[1]
            return size, ways, steps
        case Choice(options):
            counts = [counted for option in options if (counted := _count(option)) is not None]
            if len(counts) < len(options):
                return None
            sizes, all_ways, all_steps = zip(*counts, strict=True)
            return sum(sizes) + len(options), sum(all_ways), sum(all_steps) + len(options)
        case _:
            return None


def words_of(node: Node) -> set[str] | None:
    """Return all texts that a node matches; None if there are many, or they depend on the text around them."""
    match node:
        case Chars(ranges, ()) if sum(high - low + 1 for low, high in ranges) <= MOST_WORDS:
            return {chr(code) for low, high in ranges for code in range(low, high + 1)}
        case Choice(options):
            union: set[str] = set()
            for option in options:
                words = words_of(option)
                if words is None:
                    return None
                union |= words
            return _few(union)
        case Sequence(items):
            return _concatenations(map(words_of, items))
        case Repeat(body, low, high) if high is not None and high <= MOST_CHARACTERS:
            words = words_of(body)
            optional = None if words is None else words | {""}
            return _concatenations([words] * low + [optional] * (high - low))
        case _:
            return None


def _concatenations(parts: Iterable[set[str] | None]) -> set[str] | None:
    heads: set[str] | None = {""}
    for words in parts:
        if words is None or heads is None:
            return None
        heads = _few({head + tail for head, tail in product(heads, words)})
    return heads


def _few(words: set[str]) -> set[str] | None:
    return words if len(words) <= MOST_WORDS and sum(map(len, words)) <= MOST_CHARACTERS else None
