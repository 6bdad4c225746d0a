"""The syntax tree of a regular expression, as immutable nodes.

It keeps only the parts that decide a match: character escapes, classes without properties and the dot are all
`Chars`, and a group is its content.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Literal

from toolgen.compiler.patterns.charsets import Ranges


@dataclass(frozen=True, slots=True)
class Property:
    """A `\\p{...}` whose meaning depends on the version of Unicode. `kind` is `gc`, `sc`, `scx` or `binary`."""

    kind: Literal["gc", "sc", "scx", "binary"]
    value: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Chars:
    """One character that is in some ranges or has some properties.

    If negated, it is a character that is in none of the ranges and has none of the properties.
    """

    ranges: Ranges
    properties: tuple[Property, ...] = ()
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Sequence:
    """Items that follow one another. Without items, it matches the empty text."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice between options. The first one that leads to a match is used."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part that is repeated `low` to `high` times. `high` is None if there is no limit."""

    body: Node
    low: int
    high: int | None
    lazy: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A capturing group that a backreference refers to."""

    body: Node
    number: int


@dataclass(frozen=True, slots=True)
class Backreference:
    """A reference to the text that the group with this number has captured.

    If the group has captured nothing, it is the empty match.
    """

    number: int


@dataclass(frozen=True, slots=True)
class Look:
    """A lookahead or, if `behind` is true, a lookbehind."""

    body: Node
    behind: bool
    negated: bool


@dataclass(frozen=True, slots=True)
class Anchor:
    """An anchor: `^`, `$`, `\\b` or `\\B`."""

    kind: Literal["^", "$", "b", "B"]


Node = Chars | Sequence | Choice | Repeat | Group | Backreference | Look | Anchor

EMPTY = Sequence(())


def children(node: Node) -> tuple[Node, ...]:
    """Return the nodes directly below a node."""
    match node:
        case Sequence(items):
            return items
        case Choice(options):
            return options
        case Repeat(body=body) | Group(body=body) | Look(body=body):
            return (body,)
        case _:
            return ()


def items_of(node: Node) -> list[Node]:
    """Return the items of a sequence. For any other node, return the node itself as the only item."""
    if isinstance(node, Sequence):
        return list(node.items)
    return [node]


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and everything below it, in the order of the text."""
    yield node
    for child in children(node):
        yield from walk(child)


def sequence(items: list[Node]) -> Node:
    """Create a sequence, and flatten sequences inside it.

    If there is only one item, return the item itself.
    """
    flat: list[Node] = []
    for item in items:
        flat.extend(item.items if isinstance(item, Sequence) else (item,))
    if len(flat) == 1:
        return flat[0]
    return Sequence(tuple(flat))


def can_be_empty(node: Node) -> bool:
    """Return whether a node can match the empty text."""
    return width(node)[0] == 0


def width(node: Node) -> tuple[int, float]:
    """Return the minimum and maximum number of characters that a node can match. The maximum may be infinite."""
    match node:
        case Chars():
            return 1, 1
        case Sequence(items):
            widths = [width(item) for item in items]
            return sum(low for low, _ in widths), sum(high for _, high in widths)
        case Choice(options):
            widths = [width(option) for option in options]
            return min(low for low, _ in widths), max(high for _, high in widths)
        case Repeat(body, low, high):
            least, most = width(body)
            return least * low, most and most * (inf if high is None else float(high))
        case Group(body):
            return width(body)
        case Backreference():
            return 0, inf
        case _:
            return 0, 0
