"""Patterns with lookarounds at their ends, as several searches that need none.

`^(?=.*\\d)(?!.*--).{8,}$` matches exactly the texts that `^.*\\d` and `^.{8,}$` match and `^.*--` does not: at `^`
there is one place to begin, so each lookahead there is a search of its own. The same holds for lookbehinds at
`$`. Searches without lookarounds can be run by an engine that is always linear.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from toolgen.patterns.nodes import Anchor, Backreference, Choice, Group, Look, Node, Sequence, sequence, walk
from toolgen.patterns.simplify import simplify

MOST_SEARCHES: Final = 32
"""Most searches that a pattern is divided into."""

_START: Final = Anchor("^")
_END: Final = Anchor("$")


@dataclass(frozen=True, slots=True)
class Search:
    """A pattern, and whether it has to match the text or must not."""

    node: Node
    wanted: bool


Alternatives = list[list[Search]]
"""The pattern matches where in one of these lists each search gives what is wanted."""


def divided(node: Node) -> Alternatives | None:
    """Return the searches that say together whether a pattern matches; None where it cannot be divided."""
    if not any(isinstance(part, Look) for part in walk(node)):
        return None
    alternatives: Alternatives = []
    for items in _options(_items(node)):
        alternatives.append(_searches(items))
        if sum(map(len, alternatives)) > MOST_SEARCHES:
            return None
    return alternatives if sum(map(len, alternatives)) > 1 else None


def _items(node: Node) -> list[Node]:
    return list(node.items) if isinstance(node, Sequence) else [node]


def _options(items: list[Node]) -> Iterator[list[Node]]:
    """Yield the sequences that a pattern is a choice among: a choice at its beginning is one of whole patterns."""
    at = _leading(items)
    choice = items[at] if at < len(items) else None
    if isinstance(choice, Choice) and any(isinstance(part, Look | Anchor) for part in walk(choice)):
        for option in choice.options:
            yield from _options(_items(sequence([*items[:at], option, *items[at + 1 :]])))
    else:
        yield items


def _searches(items: list[Node]) -> list[Search]:
    """Return the search for a sequence, its lookaheads at `^` and lookbehinds at `$` as searches of their own."""
    found: list[Search] = []
    start, end = _leading(items), len(items) - _leading(items[::-1])
    if _START in items[:start]:
        looks = [item for item in items[:start] if _stands_alone(item, behind=False)]
        found += [Search(_beginning(look.body), not look.negated) for look in looks if isinstance(look, Look)]
        items = [item for at, item in enumerate(items) if at >= start or item not in looks]
        end -= len(looks)
    if _END in items[end:]:
        looks = [item for item in items[end:] if _stands_alone(item, behind=True)]
        found += [Search(_ending(look.body), not look.negated) for look in looks if isinstance(look, Look)]
        items = [item for at, item in enumerate(items) if at < end or item not in looks]
    return [Search(simplify(sequence(items)), wanted=True), *found]


def _leading(items: list[Node]) -> int:
    """Return how many of the first items match no characters."""
    return next((at for at, item in enumerate(items) if not isinstance(item, Anchor | Look)), len(items))


def _stands_alone(node: Node, behind: bool) -> bool:
    return (
        isinstance(node, Look)
        and node.behind is behind
        and not any(isinstance(part, Group | Backreference) for part in walk(node))
    )


def _beginning(body: Node) -> Node:
    return simplify(sequence([_START, body]))


def _ending(body: Node) -> Node:
    return simplify(sequence([body, _END]))
