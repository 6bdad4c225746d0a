"""Rewrites that keep the verdict (is there a match anywhere in the text?) and spare the engine work.

- Groups that nothing refers to are not captured.
- A repetition at either end of the pattern stops at its lower bound: where `foo\\w*` matches, `foo` has
  matched, and where `\\s+$` matches, so does its last `\\s`. What is left is often linear by itself.
- A lookahead ends, and a lookbehind begins, in the same way; that makes `(?<=a+)` as good as `(?<=a)`.
"""

from __future__ import annotations

from toolgen.patterns.nodes import (
    EMPTY,
    Backreference,
    Choice,
    Group,
    Look,
    Node,
    Repeat,
    Sequence,
    sequence,
    walk,
)


def simplify(node: Node) -> Node:
    """The pattern in its plainest form; all numbers of groups stay as they are."""
    wanted = frozenset(part.number for part in walk(node) if isinstance(part, Backreference))
    plain = _plain(node, wanted)
    return _trim(_trim(plain, last=True), last=False)


def _plain(node: Node, wanted: frozenset[int]) -> Node:
    match node:
        case Sequence(items):
            return sequence([_plain(item, wanted) for item in items])
        case Choice(options):
            return Choice(tuple(_plain(option, wanted) for option in options))
        case Group(body, number):
            plain = _plain(body, wanted)
            return Group(plain, number) if number in wanted else plain
        case Repeat(body, low, high, lazy):
            plain = _plain(body, wanted)
            if high == 0 or plain == EMPTY:
                return EMPTY
            return plain if low == high == 1 else Repeat(plain, low, high, lazy)
        case Look(body, behind, negated):
            return Look(_trim(_plain(body, wanted), last=not behind), behind, negated)
        case _:
            return node


def _trim(node: Node, *, last: bool) -> Node:
    """Cut what need not match at the end (or the beginning) of a pattern that may go on there."""
    if isinstance(node, Sequence):
        return _trim_items(list(node.items), last=last)
    if any(isinstance(part, Group) for part in walk(node)):  # something refers to what it captures
        return node
    match node:
        case Choice(options):
            trimmed = tuple(_trim(option, last=last) for option in options)
            return EMPTY if EMPTY in trimmed else Choice(trimmed)
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
