"""Whether Python's backtracking `re` runs a pattern in time linear in the text, for every text.

A backtracking matcher explores a tree with one branch for each way to read the text so far. The analysis
bounds the size of that tree from above: "linear" is proven, "not linear" means that no bound was found.

- A branch ends after a constant number of steps if the next character is not in any set that could follow.
  A repetition is deterministic if its body and its continuation begin with different characters: it keeps
  one branch alive. `\\d+-` is deterministic, `.*-` is not.
- Any other repetition leaves a branch behind at each character. One of these in a pattern is linear if the
  part after it looks at a bounded number of characters (`^.*\\.json$`). Two are quadratic.
- A choice keeps alive the options that begin with the same character. Along a sequence their numbers multiply.
- The body of an unbounded repetition must have a single way to match; two would double at each round.
- An unanchored search starts again at each character, so nothing in it may depend on the text's length.

Reaching the end of the pattern ends the search, so the set of characters that follow it is empty.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from toolgen.patterns.charsets import EVERYTHING, Ranges, overlap, single, union
from toolgen.patterns.finite import is_finite, literals
from toolgen.patterns.nodes import (
    Anchor,
    Backreference,
    Chars,
    Choice,
    Group,
    Look,
    Node,
    Repeat,
    Sequence,
    children,
)
from toolgen.patterns.widths import width

MOST_WAYS = 64
"""Most branches that may be alive at once while a whole text is read."""
MOST_STEPS = 128
"""Most characters that may be looked at from one position; beyond, the work counts as unbounded."""
MOST_STEPS_ONCE = 20_000
"""The same limit for work that is done once in a text."""
MOST_STEPS_OF_ALL = 512
"""Most characters that all options of a search may look at from one position; most fail at the first."""
MOST_STATES = 2_000
"""Most states that an automaton may go through per character; Rust takes 10 ns for each."""
MOST_QUICK_STATES = 144
"""Most of them for a search of 100,000 characters in some tenths of a second, whatever the text."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Bounds on the work of matching a node from one position.

    `ways`: branches alive at once. `steps`: characters that one branch looks at, per character of the text if
    `scans`. `exits`: branches may continue from any number of positions. `rescans`: a lookahead in it scans.
    """

    ways: int = 1
    steps: int = 0
    scans: bool = False
    exits: bool = False
    rescans: bool = False


class _TooCostlyError(Exception):
    """No linear bound was found."""


def is_linear(node: Node) -> bool:
    """Return whether `re.search` of the pattern is known to take time linear in the text."""
    if is_anchored(node) and is_finite(node):
        return True
    options = node.options if isinstance(node, Choice) else (node,)
    try:
        return _unanchored_steps(options) <= MOST_STEPS_OF_ALL and all(map(_option_is_linear, options))
    except _TooCostlyError:
        return False


def is_small(node: Node, most: int = MOST_STATES) -> bool:
    """Return whether Rust's automaton for the pattern, its repetitions expanded, has few states.

    That of a choice among literal texts is fast in any case, however long (Aho-Corasick).
    """
    return _states(node) <= most or literals(node) is not None


def _states(node: Node) -> int:
    rounds = max(node.low, node.high or 1) if isinstance(node, Repeat) else 1
    return rounds * max(1, sum(map(_states, children(node))))


def _option_is_linear(node: Node) -> bool:
    cost = _cost(node, ())
    if not is_anchored(node):
        return not cost.scans and cost.ways * cost.steps <= MOST_STEPS
    if cost.scans:
        return cost.ways <= MOST_WAYS and cost.ways * cost.steps <= MOST_STEPS
    return cost.ways * cost.steps <= MOST_STEPS_ONCE


def _unanchored_steps(options: tuple[Node, ...]) -> int:
    """Return how many characters the unanchored options look at from one position, all together."""
    costs = [_cost(option, ()) for option in options if not is_anchored(option)]
    return sum(cost.ways * cost.steps for cost in costs)


def is_anchored(node: Node) -> bool:
    """Return whether a match can only begin at the beginning of the text."""
    match node:
        case Anchor("^"):
            return True
        case Sequence(items):
            return bool(items) and is_anchored(items[0])
        case Choice(options):
            return all(map(is_anchored, options))
        case Group(body):
            return is_anchored(body)
        case _:
            return False


def _first(node: Node) -> tuple[Ranges, bool]:
    """Return the characters that a match can begin with, and whether it can be empty."""
    match node:
        case Chars(ranges, properties):
            return (EVERYTHING if properties else ranges), False
        case Sequence(items):
            return _first_of(items)
        case Choice(options):
            firsts = [_first(option) for option in options]
            return union(*(first for first, _ in firsts)), any(empty for _, empty in firsts)
        case Repeat(body, low, _):
            first, empty = _first(body)
            return first, empty or low == 0
        case Group(body):
            return _first(body)
        case Look(body):
            # A short lookaround costs a few steps; a long one must not be tried repeatedly.
            most = width(body)[1]
            return ((), True) if most is not None and most <= MOST_STEPS else (EVERYTHING, False)
        case Backreference():
            return EVERYTHING, True
        case Anchor():
            return (), True


def _first_of(items: tuple[Node, ...]) -> tuple[Ranges, bool]:
    possible: Ranges = ()
    for item in items:
        first, empty = _first(item)
        possible = union(possible, first)
        if not empty:
            return possible, False
    return possible, True


def _cost(node: Node, follow: Ranges) -> Cost:
    """Return the cost of a node before characters of `follow`; raise if there is no linear bound."""
    match node:
        case Chars() | Anchor():
            return Cost(steps=1)
        case Sequence(items):
            return _sequence_cost(items, follow)
        case Choice(options):
            return _choice_cost(options, follow)
        case Repeat():
            return _repeat_cost(node, follow)
        case Group(body):
            return _cost(body, follow)
        case Look(body):
            inside = _cost(body, ())
            return Cost(1, inside.ways * inside.steps, inside.scans, rescans=inside.scans)
        case Backreference():
            raise _TooCostlyError


def _sequence_cost(items: tuple[Node, ...], follow: Ranges) -> Cost:
    total = Cost()
    afters: list[Ranges] = []
    for item in reversed(items):
        afters.append(follow)
        first, empty = _first(item)
        follow = union(first, follow) if empty else first
    for item, after in zip(items, reversed(afters), strict=True):
        cost = _cost(item, after)
        if total.exits and cost.scans:
            raise _TooCostlyError
        total = Cost(
            _bounded_ways(total.ways * cost.ways),
            total.steps + cost.steps,
            total.scans or cost.scans,
            total.exits or cost.exits,
            total.rescans or cost.rescans,
        )
    return total


def _choice_cost(options: tuple[Node, ...], follow: Ranges) -> Cost:
    costs = [_cost(option, follow) for option in options]
    ways = [(*_first(option), cost.ways) for option, cost in zip(options, costs, strict=True)]
    return Cost(
        _bounded_ways(_most_alive(ways, follow)),
        max(cost.steps for cost in costs) + len(options),
        any(cost.scans for cost in costs),
        any(cost.exits for cost in costs),
        any(cost.rescans for cost in costs),
    )


def _most_alive(options: list[tuple[Ranges, bool, int]], follow: Ranges) -> int:
    """Return the most branches that one next character leaves alive.

    Each option is given as (characters it can begin with, whether it can be empty, its ways).
    """
    firsts = [(union(first, follow) if empty else first, ways) for first, empty, ways in options]
    alive = [sum(ways for _, empty, ways in options if empty)]  # at the end of the text
    for code in {low for first, _ in firsts for low, _ in first}:
        alive.append(sum(ways for first, ways in firsts if overlap(first, single(code))))
    return max(1, *alive)


def _repeat_cost(node: Repeat, follow: Ranges) -> Cost:
    first, empty = _first(node.body)
    if node.high == 1:
        return _choice_cost((node.body, Sequence(())), follow)
    cost = _cost(node.body, union(first, follow))
    if empty or cost.exits or cost.rescans:
        raise _TooCostlyError
    deterministic = node.low == node.high or not overlap(first, follow)
    if node.high is None or node.high * cost.steps > MOST_STEPS:
        if cost.ways > 1 or cost.steps > MOST_STEPS:
            raise _TooCostlyError
        return replace(cost, scans=True, exits=not deterministic)
    rounds = 1 if deterministic else node.high - node.low + 1
    ways = 1 if cost.ways == 1 else cost.ways ** min(node.high, 64)
    return Cost(_bounded_ways(ways * rounds), cost.steps * node.high, cost.scans)


def _bounded_ways(ways: int) -> int:
    if ways > MOST_STEPS_ONCE:
        raise _TooCostlyError
    return ways
