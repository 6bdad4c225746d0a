"""Patterns that can be checked without a regular expression: a few words, or characters of one set.

Comparisons and methods of `str` do the same at a fraction of the cost of a match.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toolgen.patterns.charsets import Ranges
from toolgen.patterns.finite import literals, words_of
from toolgen.patterns.nodes import Anchor, Chars, Node, Repeat, Sequence, sequence
from toolgen.patterns.tree import tree_of


@dataclass(frozen=True, slots=True)
class Words:
    """A text that equals, begins with, ends with or contains one of these words (sorted, at least one)."""

    words: tuple[str, ...]
    place: Literal["whole", "start", "end", "anywhere"]


@dataclass(frozen=True, slots=True)
class Run:
    """A text of `low` to `high` characters of one set; `high` is None without a limit."""

    chars: Ranges
    low: int
    high: int | None


def plain(pattern: str) -> Words | Run | None:
    """Return the words or the run that an ECMA-262 pattern means; None if it needs a regular expression.

    Raises:
        PatternError: the text is not a regular expression.
    """
    node = tree_of(pattern)
    items: list[Node] = list(node.items) if isinstance(node, Sequence) else [node]
    from_start = items[:1] == [Anchor("^")]
    to_end = items[-1:] == [Anchor("$")]
    body = sequence(items[from_start : len(items) - to_end])
    place: Literal["whole", "start", "end", "anywhere"] = (
        ("whole" if to_end else "start") if from_start else "end" if to_end else "anywhere"
    )
    words = words_of(body) or (literals(body) if place != "anywhere" else None)
    if words:
        return Words(tuple(sorted(set(words))), place)
    return _run(body) if place == "whole" else None


def _run(node: Node) -> Run | None:
    match node:
        case Chars(ranges, ()):
            return Run(ranges, 1, 1)
        case Repeat(Chars(ranges, ()), low, high):
            return Run(ranges, low, high)
        case _:
            return None
