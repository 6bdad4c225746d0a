"""Translate patterns with lookarounds to automata.

`toolgen_runtime.validation.lookarounds` runs them in linear time.

A Glushkov automaton has one state for each character of the pattern, so every step reads a character. A step may depend
on conditions: an anchor or a lookaround that must hold before the character. A counted repetition is written out. A
lookahead is written backwards, because it runs from the end of the text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from toolgen.compiler.patterns.engine_text import Inexpressible, python_text
from toolgen.compiler.patterns.nodes import Anchor, Chars, Choice, Look, Node, Repeat, Sequence, children
from toolgen_runtime.validation.lookarounds import BOUNDARY, END, NO_BOUNDARY, START

MOST_STATES: Final = 3_000
"""The maximum number of states in all automata of a pattern together."""
MOST_COST: Final = 300
"""The maximum cost of a step. The cost is the number of its edges, or more if there are many states; each takes 0.1 us.
"""
MOST_QUICK_COST: Final = 40
"""The maximum cost for searching any 100,000 characters in some tenths of a second."""

Masks = dict[int, int]
"""States as the bits of an integer, by the conditions under which they count."""


class Automata(NamedTuple):
    """The automata for a pattern with lookarounds, as text for `compile_automata`.

    They are given as the argument for `compile_automata`, with the cost of a step.
    """

    text: str
    cost: int


class _Part(NamedTuple):
    """A part of a pattern: the states in which it begins and ends, and the conditions under which it can be empty."""

    first: Masks
    last: Masks
    empty: tuple[int, ...]


_CONDITIONS: Final = {"^": START, "$": END, "b": BOUNDARY, "B": NO_BOUNDARY}
_EMPTY: Final = _Part({}, {}, (0,))


def automata_of(node: Node) -> Automata:
    """Translate a pattern to automata.

    Raises:
        Inexpressible: the automata are too large.
    """
    writer = _Writer()
    writer.write(node, step=1, condition=0, negated=False)
    if writer.cost > MOST_COST:
        raise Inexpressible("the automata of its lookarounds are too large")
    return Automata(json.dumps(writer.automata, separators=(",", ":")), writer.cost)


class _Writer:
    """Writes the automata of a pattern, starting with those of its lookarounds."""

    def __init__(self) -> None:
        self.automata: list[list[object]] = []
        self.states = self.cost = 0
        self._looks: dict[Look, int] = {}
        """The conditions that were given to lookarounds."""

    def write(self, node: Node, *, step: int, condition: int, negated: bool) -> None:
        for look in dict.fromkeys(_outer_looks(node)):
            if look not in self._looks:
                own = NO_BOUNDARY << (len(self._looks) + 1)
                self._looks[look] = own
                self.write(look.body, step=1 if look.behind else -1, condition=own, negated=look.negated)
        one = _Automaton(self._looks, MOST_STATES - self.states, backwards=step == -1)
        part = one.part(node)
        one.join({0: 1}, part.first)
        ends = _joined(part.last, dict.fromkeys(part.empty, 1))
        edges = [[needed, start, targets] for (needed, start), targets in one.edges.items()]
        self.states += one.states
        self.cost += (len(edges) + len(ends) + 2) * (1 + one.states // 1_000)
        classes = [*one.classes]
        self.automata.append(
            [
                step,
                condition,
                negated,
                classes,
                [one.classes[c] for c in classes],
                one.shifted,
                edges,
                [*ends.items()],
            ]
        )


def _outer_looks(node: Node) -> list[Look]:
    """Return the lookarounds that are not inside another one."""
    if isinstance(node, Look):
        return [node]
    return [look for child in children(node) for look in _outer_looks(child)]


@dataclass(slots=True)
class _Automaton:
    """One automaton while it is being written."""

    looks: dict[Look, int]
    most: int
    backwards: bool
    states: int = 0
    classes: dict[str, int] = field(default_factory=dict)
    shifted: int = 0
    edges: dict[tuple[int, int], int] = field(default_factory=dict)

    def part(self, node: Node) -> _Part:
        """Add the states and edges for a part of the pattern."""
        match node:
            case Chars():
                return self.character(node)
            case Sequence(items):
                part = _EMPTY
                for item in reversed(items) if self.backwards else items:
                    part = self.sequence(part, self.part(item))
                return part
            case Choice(options):
                parts = [self.part(option) for option in options]
                return _Part(
                    _joined(*(part.first for part in parts)),
                    _joined(*(part.last for part in parts)),
                    tuple(dict.fromkeys(empty for part in parts for empty in part.empty)),
                )
            case Repeat():
                return self.repeat(node)
            case Anchor(kind):
                return _Part({}, {}, (_CONDITIONS[kind],))
            case Look():
                return _Part({}, {}, (self.looks[node],))
            case _:
                raise Inexpressible("an automaton has no backreferences")

    def character(self, node: Chars) -> _Part:
        self.states += 1
        if self.states > self.most:
            raise Inexpressible("the automata of its lookarounds are too large")
        state = 1 << self.states
        name = python_text(node)
        self.classes[name] = self.classes.get(name, 0) | state
        return _Part({0: state}, {0: state}, ())

    def repeat(self, node: Repeat) -> _Part:
        if node.low + (node.high or 0) > self.most:
            raise Inexpressible("the automata of its lookarounds are too large")
        part = _EMPTY
        for _ in range(node.low if node.high is not None else max(0, node.low - 1)):
            part = self.sequence(part, self.part(node.body))
        if node.high is None:
            body = self.part(node.body)
            self.join(body.last, body.first)
            if node.low == 0:
                body = _optional(body)
            return self.sequence(part, body)
        more = _EMPTY
        bodies = [self.part(node.body) for _ in range(node.high - node.low)]
        for body in reversed(bodies):
            more = _optional(self.sequence(body, more))
        return self.sequence(part, more)

    def sequence(self, left: _Part, right: _Part) -> _Part:
        self.join(left.last, right.first)
        first = _joined(left.first, _under(left.empty, right.first))
        last = _joined(right.last, _under(right.empty, left.last))
        empty = tuple(dict.fromkeys(a | b for a in left.empty for b in right.empty))
        return _Part(first, last, empty)

    def join(self, left: Masks, right: Masks) -> None:
        """Add edges that lead from the end of one part to the start of the next."""
        for before, start in left.items():
            for after, targets in right.items():
                needed = before | after
                if not needed and start << 1 == targets and start.bit_count() == 1:
                    self.shifted |= start
                else:
                    self.edges[needed, start] = self.edges.get((needed, start), 0) | targets
        if len(self.edges) > MOST_COST:
            raise Inexpressible("the automata of its lookarounds are too large")


def _optional(part: _Part) -> _Part:
    return _Part(part.first, part.last, (0,))  # other conditions under which it is empty add nothing


def _under(conditions: tuple[int, ...], masks: Masks) -> Masks:
    return _joined(*({one | needed: mask} for one in conditions for needed, mask in masks.items()))


def _joined(*each: Masks) -> Masks:
    joined: Masks = {}
    for masks in each:
        for needed, mask in masks.items():
            joined[needed] = joined.get(needed, 0) | mask
    return joined
