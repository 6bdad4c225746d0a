"""Patterns without repetition: a choice among words, mostly. Such a pattern may be long and costs little."""

from __future__ import annotations

from typing import Final

from toolgen.patterns.nodes import Anchor, Chars, Choice, Group, Node, Sequence

MOST_LITERALS: Final = 500_000
"""Characters of all texts that a pattern is written out to."""


def literal(node: Node) -> str | None:
    """The one text that a node matches; None where there are several, or none for sure."""
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
    """The texts of a choice among literal texts, perhaps with literal text before and after it."""
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
    """Whether a match from one place takes no more steps than the pattern is long, whatever the text.

    True for choices among words, and among sequences of small classes (`[Aa][Bb]`), in anchors or not.
    """
    counted = _count(node)
    if counted is None:
        return False
    size, _, steps = counted
    return steps <= 2 * size


def _count(node: Node) -> tuple[int, int, int] | None:
    """(size, ways to match one text, steps to try them all) of a tree; None where something may repeat."""
    match node:
        case Chars(properties=()) | Anchor("^" | "$"):
            return 1, 1, 1
        case Group(body):
            return _count(body)
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
            found = [_count(option) for option in options]
            counts = [counted for counted in found if counted is not None]
            if len(counts) < len(found):
                return None
            sizes, all_ways, all_steps = zip(*counts, strict=True)
            return sum(sizes) + len(options), sum(all_ways), sum(all_steps) + len(options)
        case _:
            return None
