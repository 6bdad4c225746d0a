"""Match patterns with lookarounds in linear time, which neither `re` nor Rust's `regex` can do.

`toolgen.compiler.patterns.automaton` describes a pattern as several automata: one for each lookaround, inner ones
first, and one for the pattern. Running an automaton over the text finds the positions where its lookaround holds, and
the automata that follow use these positions. The automaton of a lookahead runs from the end of the text to its
beginning.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Final

MAX_KNOWN: Final = 10_000
"""The maximum number of steps that an automaton remembers."""
START: Final = 1
END: Final = 2
BOUNDARY: Final = 4
NO_BOUNDARY: Final = 8
"""The conditions of a position in the text: its start or end, and a word boundary or none. Lookarounds have others."""
_WORD: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")


class Automaton:
    """A nondeterministic automaton. Each bit of an integer stands for one of its states.

    The lowest bit is the state before a match.

    If its conditions hold at the current position, a step leads from some states to all states that the next character
    allows.
    """

    def __init__(
        self, classes: list[Callable[[str], object]], bits: list[int], shifted: int, edges: Any, ends: Any
    ) -> None:
        """Create an automaton.

        Args:
            classes: for each class of characters, a function that returns whether a character is in the class.
            bits: the states that each class leads to.
            shifted: the states that lead to the next higher bit under all conditions.
            edges: the other steps, as conditions, states, and the states they lead to.
            ends: the conditions under which a match ends, and the states in which it ends.
        """
        self.classes = [*zip(classes, bits, strict=True)]
        self.shifted, self.edges, self.ends = shifted, edges, ends
        self.by_character: dict[str, int] = {}
        self.known: dict[tuple[int, int, int], int] = {}

    def run(self, text: str, conditions: list[int], step: int) -> Iterator[int]:
        """Yield the positions where a match ends. With a `step` of -1, run from the end of the text."""
        states, ends, known = 1, self.ends, self.known
        before = 0 if step == 1 else -1
        for place in range(len(text) + 1)[::step]:
            here = conditions[place]
            for needed, last in ends:
                if states & last and here & needed == needed:
                    yield place
                    break
            at = place + before
            if not 0 <= at < len(text):
                return
            allowed = self.by_character.get(text[at])
            if allowed is None:
                allowed = self._allowed(text[at])
            key = states, here, allowed
            following = known.get(key)
            if following is None:
                if len(known) >= MAX_KNOWN:
                    known.clear()
                following = known[key] = self._following(*key)
            states = following

    def _allowed(self, character: str) -> int:
        """Return the states that a character may lead to."""
        allowed = 0
        for is_in, bits in self.classes:
            if is_in(character):
                allowed |= bits
        if len(self.by_character) >= MAX_KNOWN:
            self.by_character.clear()
        self.by_character[character] = allowed
        return allowed

    def _following(self, states: int, here: int, allowed: int) -> int:
        following = (states & self.shifted) << 1
        for needed, start, targets in self.edges:
            if states & start and here & needed == needed:
                following |= targets
        return following & allowed | 1


def compile_automata(
    text: str, compile_class: Callable[[str], Callable[[str], object]]
) -> Callable[[str], bool]:
    """Return a function that tells whether a pattern matches anywhere in a string.

    Args:
        text: the automata as JSON. Each has the step with which it runs, the condition that it provides, and whether
            this condition is negated.
        compile_class: a function that compiles a class of characters in the syntax of `re`.
    """
    from json import loads

    automata = [
        (Automaton([compile_class(c) for c in classes], *rest), step, condition, negated)
        for step, condition, negated, classes, *rest in loads(text)
    ]

    def matches(value: str) -> bool:
        conditions = _conditions(value)
        for automaton, step, condition, negated in automata[:-1]:
            if negated:
                for place in range(len(conditions)):
                    conditions[place] |= condition
            for place in automaton.run(value, conditions, step):
                conditions[place] ^= condition
        pattern, step, *_ = automata[-1]
        return any(True for _ in pattern.run(value, conditions, step))

    return matches


def _conditions(text: str) -> list[int]:
    """Return the conditions that hold at each position of a text, except those of lookarounds."""
    is_word = [False, *(character in _WORD for character in text), False]
    conditions = [
        NO_BOUNDARY if left is right else BOUNDARY
        for left, right in zip(is_word, is_word[1:], strict=False)  # noqa: RUF007  itertools is not loaded here
    ]
    conditions[0] |= START
    conditions[-1] |= END
    return conditions
