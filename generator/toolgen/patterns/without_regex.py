"""Patterns that need no regular expression: a few words, or a run of characters of one set.

Comparisons and methods of `str` say what such a pattern means, at a fraction of a match's cost.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal

from toolgen.patterns.charsets import Ranges
from toolgen.patterns.finite import literals
from toolgen.patterns.nodes import Anchor, Chars, Choice, Node, Repeat, Sequence, sequence
from toolgen.patterns.tree import tree_of

MOST_WORDS: Final = 16
"""Words that a pattern may stand for where it does not spell them out."""
MOST_CHARACTERS: Final = 400
"""Characters of all these words together."""


@dataclass(frozen=True, slots=True)
class Words:
    """The text is, begins with, ends with or contains one of these words (sorted, at least one)."""

    words: tuple[str, ...]
    place: Literal["whole", "start", "end", "anywhere"]


@dataclass(frozen=True, slots=True)
class Run:
    """The text is `low` to `high` characters of one set; `high` None is no limit."""

    chars: Ranges
    low: int
    high: int | None


def plain(pattern: str) -> Words | Run | None:
    """What a pattern of ECMA-262 asks of a text, if it can be said so.

    Raises:
        PatternError: the text is no regular expression.
    """
    node = tree_of(pattern)
    items: list[Node] = list(node.items) if isinstance(node, Sequence) else [node]
    from_start = items[:1] == [Anchor("^")]
    to_end = items[-1:] == [Anchor("$")]
    body = sequence(items[from_start : len(items) - to_end])
    place: Literal["whole", "start", "end", "anywhere"] = (
        ("whole" if to_end else "start") if from_start else "end" if to_end else "anywhere"
    )
    words = _words(body) or (literals(body) if place != "anywhere" else None)
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


def _words(node: Node) -> set[str] | None:
    """All texts that a node matches; None where they are many or depend on what stands around them."""
    match node:
        case Chars(ranges, ()) if sum(high - low + 1 for low, high in ranges) <= MOST_WORDS:
            return {chr(code) for low, high in ranges for code in range(low, high + 1)}
        case Choice(options):
            found: set[str] = set()
            for option in options:
                words = _words(option)
                if words is None:
                    return None
                found |= words
            return _few(found)
        case Sequence(items):
            return _one_after_the_other(map(_words, items))
        case Repeat(body, low, high) if high is not None and high <= MOST_CHARACTERS:
            words = _words(body)
            perhaps = None if words is None else words | {""}
            return _one_after_the_other([words] * low + [perhaps] * (high - low))
        case _:
            return None


def _one_after_the_other(parts: Iterable[set[str] | None]) -> set[str] | None:
    found: set[str] | None = {""}
    for words in parts:
        if words is None or found is None:
            return None
        found = _few({head + tail for head, tail in product(found, words)})
    return found


def _few(words: set[str]) -> set[str] | None:
    return words if len(words) <= MOST_WORDS and sum(map(len, words)) <= MOST_CHARACTERS else None
