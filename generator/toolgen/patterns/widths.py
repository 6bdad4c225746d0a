"""The number of characters that a node matches, and lookbehinds as options of fixed width."""

from __future__ import annotations

from itertools import product

from toolgen.patterns.nodes import (
    Backreference,
    Chars,
    Choice,
    Group,
    Node,
    Repeat,
    Sequence,
    sequence,
)

MOST_OPTIONS = 64
"""Most fixed-width options that a lookbehind may be split into."""


def width(node: Node) -> tuple[int, int | None]:
    """Return the least and the greatest number of characters; None for no upper limit."""
    match node:
        case Chars():
            return 1, 1
        case Sequence(items):
            widths = [width(item) for item in items]
            return sum(low for low, _ in widths), _total([high for _, high in widths])
        case Choice(options):
            widths = [width(option) for option in options]
            highs = [high for _, high in widths if high is not None]
            return min(low for low, _ in widths), max(highs) if len(highs) == len(widths) else None
        case Repeat(body, low, high):
            least, most = width(body)
            bounded = most == 0 or (most is not None and high is not None)
            return least * low, (most or 0) * (high or 0) if bounded else None
        case Group(body):
            return width(body)
        case Backreference():
            return 0, None
        case _:
            return 0, 0


def _total(highs: list[int | None]) -> int | None:
    bounded = [high for high in highs if high is not None]
    return sum(bounded) if len(bounded) == len(highs) else None


def fixed_options(node: Node) -> list[Node] | None:
    """Return options of one width each that together match what the node matches; None if that is not possible."""
    least, most = width(node)
    if least == most:
        return [node]
    options: list[Node] | None = None
    match node:
        case Choice(parts):
            split = [fixed_options(part) for part in parts]
            options = [option for part in split for option in part or ()] if None not in split else None
        case Sequence(items):
            options = _split_sequence(items)
        case Repeat(body, low, high) if high is not None and high - low < MOST_OPTIONS:
            least, most = width(body)
            options = [Repeat(body, n, n) for n in range(low, high + 1)] if least == most else None
        case _:
            pass
    return options if options and len(options) <= MOST_OPTIONS else None


def _split_sequence(items: tuple[Node, ...]) -> list[Node] | None:
    options: list[tuple[Node, ...]] = [()]
    for item in items:
        split = fixed_options(item)
        if split is None or len(options) * len(split) > MOST_OPTIONS:
            return None
        options = [(*option, part) for option, part in product(options, split)]
    return [sequence(list(option)) for option in options]
