"""Decide whether an engine can match a pattern in linear time, using a simple upper bound.

Python's `re` backtracks. The bound counts the branches that it may follow: an unbounded repetition must begin with
other characters than the part after it, and must match in only one way; options of a choice that may begin with the
same character are added up. A search with few branches is linear if the pattern is anchored or its matches are
short, because an unanchored search starts again at each character. Rust's engine is always linear, but the automaton
of a counted repetition can be large.
"""

from __future__ import annotations

from math import inf

from toolgen.compiler.patterns.charsets import EVERYTHING, Ranges, union
from toolgen.compiler.patterns.nodes import (
    Anchor,
    Chars,
    Choice,
    Look,
    Node,
    Repeat,
    Sequence,
    can_be_empty,
    children,
    width,
)
from toolgen.compiler.patterns.without_regex import listed

MOST_WAYS = 64
"""The maximum number of branches that may be followed through a whole text."""
MOST_STEPS = 128
"""The maximum number of characters that a search may read from each character of the text."""
MOST_STEPS_ONCE = 20_000
"""The maximum number of characters that a search may read if it only starts at the beginning of the text."""
MOST_STATES = 2_500
"""The maximum number of states of an automaton per character. Each takes Rust 10 ns, or 2.5 s for 100,000 characters.
"""
MOST_QUICK_STATES = 144
"""The maximum number of states for a search of 100,000 characters in some tenths of a second, for every text."""


def is_linear(node: Node) -> bool:
    """Return whether `re.search` is certain to take time linear in the length of the text."""
    match node:
        case Sequence((Anchor("^"), Repeat(Chars(), _, None), *rest)) if (
            _steps(Sequence(tuple(rest))) <= MOST_STEPS
        ):
            return True  # `^.*x`: a short rest is tried once at each place
    if is_anchored(node):
        return _ways(node, ()) <= MOST_WAYS or _steps(node) <= MOST_STEPS_ONCE
    return _steps(node) <= MOST_STEPS


def _steps(node: Node) -> float:
    """Return the number of characters that may be read on all ways through a node."""
    return width(node)[1] * _ways(node, ())


def is_small(node: Node, most: int = MOST_STATES) -> bool:
    """Return whether Rust's automaton for a pattern has few states, even after its repetitions are expanded.

    The automaton of a choice among literal texts is always fast, however long it is (Aho-Corasick).
    """
    return _states(node) <= most or listed(node) is not None


def _states(node: Node) -> int:
    if isinstance(node, Repeat):
        rounds = max(node.low, node.high or 1)
    else:
        rounds = 1
    return rounds * max(1, sum(map(_states, children(node))))


def is_anchored(node: Node) -> bool:
    """Return whether a match can start only at the beginning of the text."""
    match node:
        case Anchor("^"):
            return True
        case Sequence(items):
            return bool(items) and is_anchored(items[0])
        case Choice(options):
            return all(map(is_anchored, options))
        case _:
            return False


def _ways(node: Node, follow: Ranges) -> float:
    """Return the number of branches through a node that may be followed before characters of `follow`."""
    match node:
        case Chars() | Anchor():
            return 1
        case Sequence(items):
            ways: float = 1
            for item in reversed(items):
                ways *= _ways(item, follow)
                follow = _next(item, follow)
            return ways
        case Choice(options):
            each = [_ways(option, follow) for option in options]
            if _are_exclusive(options, follow):
                return max(each)
            return sum(each)
        case Repeat(body, low, high):
            first = _first(body)
            ways = _ways(body, follow if high == 1 else union(first, follow))
            is_sure = low == high or _are_disjoint(first, follow)
            if high is None or high > MOST_STEPS:
                return 1 if ways == 1 and is_sure and not can_be_empty(body) else inf
            return min(ways, MOST_STEPS_ONCE + 1) ** min(high, MOST_WAYS) * (1 if is_sure else high - low + 1)
        case Look(body) if _is_short(body):
            return _ways(body, ())
        case _:
            return inf


def _is_short(body: Node) -> bool:
    """Return whether a lookaround reads few characters, so that it may be tried at each character."""
    return width(body)[1] <= MOST_STEPS


def _are_exclusive(options: tuple[Node, ...], follow: Ranges) -> bool:
    """Return whether the next character leaves at most one option of a choice."""
    firsts = [_next(option, follow) for option in options]
    return sum(map(can_be_empty, options)) <= 1 and _are_disjoint(*firsts)


def _are_disjoint(*sets: Ranges) -> bool:
    return sum(map(_size, sets)) == _size(union(*sets))


def _size(ranges: Ranges) -> int:
    return sum(high - low + 1 for low, high in ranges)


def _first(node: Node) -> Ranges:
    """Return the characters that a match can begin with."""
    match node:
        case Chars(ranges, properties):
            return EVERYTHING if properties else ranges
        case Sequence(items):
            possible: Ranges = ()
            for item in items:
                possible = union(possible, _first(item))
                if not can_be_empty(item):
                    break
            return possible
        case Choice(options):
            return union(*map(_first, options))
        case Repeat(body):
            return _first(body)
        case Anchor():
            return ()
        case Look(body) if _is_short(body):
            return ()
        case _:
            return EVERYTHING


def _next(node: Node, follow: Ranges) -> Ranges:
    """Return the characters that can come next, before a node and characters of `follow`."""
    return union(_first(node), follow if can_be_empty(node) else ())
