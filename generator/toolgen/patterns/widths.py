"""The number of characters that a node matches."""

from __future__ import annotations

from toolgen.patterns.nodes import Chars, Choice, Node, Repeat, Sequence


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
        case _:
            return 0, 0


def _total(highs: list[int | None]) -> int | None:
    bounded = [high for high in highs if high is not None]
    return sum(bounded) if len(bounded) == len(highs) else None
