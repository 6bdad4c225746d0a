"""Rewrites that save the engine work and do not change whether there is a match in the text.

- A repetition at either end of the pattern stops at its lower bound: if `foo\\w*` matches, so does `foo`.
  What is left is often linear.
- A lookahead at the end, or a lookbehind at the beginning, is its body: `a(?=b)` is found where `ab` is.
- The same holds for the end of a lookahead and the beginning of a lookbehind: `(?<=a+)` becomes `(?<=a)`.
- A choice among choices is one choice.
"""

from __future__ import annotations

from functools import lru_cache

from toolgen.patterns.nodes import EMPTY, Choice, Look, Node, Repeat, Sequence, sequence
from toolgen.patterns.parser import parse


@lru_cache(maxsize=4)  # callers ask for the same pattern several times in a row
def tree_of(pattern: str) -> Node:
    """Return the syntax tree of a pattern, simplified.

    Raises:
        PatternError: the text is not a regular expression.
        UnsupportedPattern: no engine can run the pattern.
    """
    return _trim(_trim(_simplified(parse(pattern)), last=True), last=False)


def _simplified(node: Node) -> Node:
    match node:
        case Sequence(items):
            return sequence(list(map(_simplified, items)))
        case Choice(options):
            parts = [_simplified(option) for option in options]
            return Choice(tuple(o for p in parts for o in (p.options if isinstance(p, Choice) else (p,))))
        case Repeat(body, low, high, lazy):
            simplified = _simplified(body)
            if high == 0 or simplified == EMPTY:
                return EMPTY
            return simplified if low == high == 1 else Repeat(simplified, low, high, lazy)
        case Look(body, behind, negated):
            return Look(_trim(_simplified(body), last=not behind), behind, negated)
        case _:
            return node


def _trim(node: Node, *, last: bool) -> Node:
    """Remove what need not match at the end (`last`) or the beginning of a pattern."""
    if isinstance(node, Sequence):
        return _trim_items(list(node.items), last=last)
    match node:
        case Choice(options):
            trimmed = tuple(_trim(option, last=last) for option in options)
            return EMPTY if EMPTY in trimmed else Choice(trimmed)
        case Look(body, behind, False) if behind is not last:  # what must follow the end may be part of it
            return _trim(body, last=last)
        case Repeat(body, low):
            if low == 0:
                return EMPTY
            edge = _trim(body, last=last)
            if low == 1 or edge == EMPTY:
                return edge
            if edge == body:
                return Repeat(body, low, low)
            rest = body if low == 2 else Repeat(body, low - 1, low - 1)
            return sequence([rest, edge] if last else [edge, rest])
        case _:
            return node


def _trim_items(items: list[Node], *, last: bool) -> Node:
    while items:
        at = -1 if last else 0
        edge = _trim(items[at], last=last)
        if edge != EMPTY:
            items[at] = edge
            break
        del items[at]
    return sequence(items)
