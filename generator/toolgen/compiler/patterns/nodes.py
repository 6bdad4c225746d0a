"""The syntax tree of a regular expression.

It keeps only the parts that decide a match: character escapes, classes without properties and the dot are all
`Chars`, and a group is its content.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from toolgen.compiler.patterns.charsets import Ranges


@dataclass(frozen=True, slots=True)
class Property:
    """A `\\p{...}` that depends on the version of Unicode: `kind` is `gc`, `sc`, `scx` or `binary`."""

    kind: Literal["gc", "sc", "scx", "binary"]
    value: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Chars:
    """One character that is in the ranges or has one of the properties. If negated, one that is not and has none."""

    ranges: Ranges
    properties: tuple[Property, ...] = ()
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Sequence:
    """Items that follow one another; without items, the empty match."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The first option that leads to a match."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The body `low` to `high` times; `high` is None without a limit."""

    body: Node
    low: int
    high: int | None
    lazy: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A capturing group to which a backreference refers."""

    body: Node
    number: int


@dataclass(frozen=True, slots=True)
class Backreference:
    """The text that the group of this number has captured; the empty match if it has captured nothing."""

    number: int


@dataclass(frozen=True, slots=True)
class Look:
    """A lookahead, or a lookbehind if `behind`."""

    body: Node
    behind: bool
    negated: bool


@dataclass(frozen=True, slots=True)
class Anchor:
    """`^`, `$`, `\\b` or `\\B`."""

    kind: Literal["^", "$", "b", "B"]


Node = Chars | Sequence | Choice | Repeat | Group | Backreference | Look | Anchor

EMPTY = Sequence(())


def children(node: Node) -> tuple[Node, ...]:
    """Return the direct parts of a node."""
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
    """Return the items of a sequence; any other node is its only item."""
    if isinstance(node, Sequence):
        return list(node.items)
    return [node]


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and everything below it, in the order of the text."""
    yield node
    for child in children(node):
        yield from walk(child)


def sequence(items: list[Node]) -> Node:
    """Return a sequence of the items, with nested sequences flattened; if there is only one item, return the item."""
    flat: list[Node] = []
    for item in items:
        flat.extend(item.items if isinstance(item, Sequence) else (item,))
    if len(flat) == 1:
        return flat[0]
    return Sequence(tuple(flat))


def width(node: Node) -> tuple[int, int | None]:
    """Return the minimum and the maximum number of characters; None means that there is no maximum."""
    match node:
        case Chars():
            return 1, 1
        case Sequence(items):
            widths = [width(item) for item in items]
            return sum(low for low, _ in widths), _total([high for _, high in widths])
        case Choice(options):
            widths = [width(option) for option in options]
            highs = [high for _, high in widths if high is not None]
            return min(low for low, _ in widths), max(highs) if len(highs) == len(widths) else None
        case Repeat(body, low, high):
            least, most = width(body)
            bounded = most == 0 or (most is not None and high is not None)
            return least * low, (most or 0) * (high or 0) if bounded else None
        case Group(body):
            return width(body)
        case Backreference():
            return 0, None
        case _:
            return 0, 0


def _total(highs: list[int | None]) -> int | None:
    bounded = [high for high in highs if high is not None]
    if len(bounded) == len(highs):
        return sum(bounded)
    return None
