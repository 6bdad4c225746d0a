"""Match patterns with lookarounds in linear time, which neither `re` nor Rust's `regex` can do.

`toolgen.compiler.patterns.automaton` describes a pattern as several automata: one for each lookaround, inner ones
first, and one for the pattern. Running an automaton over the text finds the positions where its lookaround holds, and
the automata that follow use these positions. The automaton of a lookahead runs from the end of the text to its
beginning. Automata that follow each other and run in the same direction run together, in one pass over the text.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Final

MAX_KNOWN: Final = 10_000
"""The maximum number of steps that a pass remembers."""
START: Final = 1
END: Final = 2
BOUNDARY: Final = 4
NO_BOUNDARY: Final = 8
"""The conditions of a position in the text: its start or end, and a word boundary or none. Lookarounds have others."""
_WORD: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")


class Pass:
    """Nondeterministic automata that run together over a text. Each bit of an integer stands for one of their states.

    The lowest bit of each automaton is its state before a match.

    If its conditions hold at the current position, a step leads from some states to all states that the next character
    allows.
    """

    def __init__(self, step: int) -> None:
        """Create a pass without automata. With a `step` of -1, it runs from the end of the text."""
        self.step = step
        self.starts = self.shifted = self.size = self.needed = 0
        self.classes: list[tuple[Callable[[str], object], int]] = []
        self.edges: list[tuple[int, int, int]] = []
        self.ends: list[tuple[int, bool, list[tuple[int, int]]]] = []
        self.by_character: dict[str, int] = {}
        self.known: dict[tuple[int, int, int], tuple[int, int]] = {}

    def add(
        self,
        condition: int,
        negated: bool,
        classes: Iterable[Callable[[str], object]],
        bits: list[int],
        shifted: int,
        edges: Any,
        ends: Any,
    ) -> None:
        """Add an automaton.

        Args:
            condition: what holds where a match ends, for this automaton at the next position and for all that follow.
            negated: whether it holds where no match ends.
            classes: for each class of characters, a function that returns whether a character is in the class.
            bits: the states that each class leads to.
            shifted: the states that lead to the next higher bit under all conditions.
            edges: the other steps, as conditions, states, and the states they lead to.
            ends: the conditions under which a match ends, and the states in which it ends.
        """
        for needed, *_ in (*edges, *ends):
            self.needed |= needed
        first = self.size
        self.size += max(bits, default=1).bit_length()
        self.starts |= 1 << first
        self.shifted |= shifted << first
        self.classes += [(is_in, states << first) for is_in, states in zip(classes, bits, strict=True)]
        self.edges += [(needed, start << first, targets << first) for needed, start, targets in edges]
        self.ends.append((condition, negated, [(needed, last << first) for needed, last in ends]))

    def run(self, text: str, conditions: list[int]) -> Iterator[int]:
        """Yield the conditions of each position, with those that the automata add, in the direction of the pass."""
        states, known = self.starts, self.known
        for here, allowed in zip(conditions[:: self.step], self._allowed(text[:: self.step]), strict=True):
            key = states, here, allowed
            step = known.get(key)
            if step is None:
                if len(known) >= MAX_KNOWN:
                    known.clear()
                step = known[key] = self._step(*key)
            held, states = step
            yield held

    def _allowed(self, text: str) -> list[int]:
        """Return the states that each character may lead to, and none for the end."""
        known = self.by_character
        new = set(text).difference(known)
        if len(new) + len(known) > MAX_KNOWN:
            known, new = {}, set(text)
            self.by_character = known  # a new one: other threads may use the old one
        for character in new:  # each state is in one class
            known[character] = sum(bits for is_in, bits in self.classes if is_in(character))
        return [*map(known.__getitem__, text), 0]

    def _step(self, states: int, here: int, allowed: int) -> tuple[int, int]:
        """Return the conditions of a position, with those that the automata add, and the states after it."""
        for condition, negated, ends in self.ends:
            if negated is not any(states & last and here & needed == needed for needed, last in ends):
                here |= condition
        following = (states & self.shifted) << 1
        for needed, start, targets in self.edges:
            if states & start and here & needed == needed:
                following |= targets
        return here, following & allowed | self.starts


def compile_automata(
    text: str, compile_class: Callable[[str], Callable[[str], object]]
) -> Callable[[str], bool]:
    """Return a function that tells whether a pattern matches anywhere in a string.

    Args:
        text: the automata as JSON. Each has the step with which it runs, the condition that it provides, and whether
            this condition is negated. That of the pattern is the last and provides none.
        compile_class: a function that compiles a class of characters in the syntax of `re`.
    """
    from json import loads

    automata = loads(text)
    # The next bit after those of the lookarounds' conditions.
    matched = 2 * max(NO_BOUNDARY, *(condition for _, condition, *_ in automata))
    passes: list[Pass] = []
    for step, condition, negated, classes, *rest in automata:
        if not passes or passes[-1].step != step:
            passes.append(Pass(step))
        passes[-1].add(condition or matched, negated, map(compile_class, classes), *rest)
    *earlier, last = passes
    has_boundary = any(one.needed & (BOUNDARY | NO_BOUNDARY) for one in passes)

    def matches(value: str) -> bool:
        conditions = _boundaries(value) if has_boundary else [0] * (len(value) + 1)
        conditions[0] |= START
        conditions[-1] |= END
        for one in earlier:
            conditions = [*one.run(value, conditions)][:: one.step]
        return any(here & matched for here in last.run(value, conditions))

    return matches


def _boundaries(text: str) -> list[int]:
    """Return for each position of a text whether it is a word boundary."""
    is_word = [False, *map(_WORD.__contains__, text), False]
    return [
        NO_BOUNDARY if left is right else BOUNDARY
        for left, right in zip(is_word, is_word[1:], strict=False)  # noqa: RUF007  itertools is not loaded here
    ]
