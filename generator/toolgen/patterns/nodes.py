"""The syntax tree of a regular expression.

Only what decides a match is kept: character escapes, classes without properties and the dot have all
become `Chars`, and names of groups have become numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from toolgen.patterns.charsets import Ranges


@dataclass(frozen=True, slots=True)
class Property:
    """A `\\p{...}` that is no fixed set of ranges: `kind` is `gc`, `sc`, `scx` or `binary`."""

    kind: Literal["gc", "sc", "scx", "binary"]
    value: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Chars:
    """One character that is in the ranges or has one of the properties (or neither, if negated)."""

    ranges: Ranges
    properties: tuple[Property, ...] = ()
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Sequence:
    """One item after the other; with none, the empty match."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The first option that leads to a match."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """`low` to `high` times the body; `high` None is no limit."""

    body: Node
    low: int
    high: int | None
    lazy: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A capturing group; numbers start at 1."""

    body: Node
    number: int


@dataclass(frozen=True, slots=True)
class Look:
    """A lookahead, or a lookbehind where `behind`."""

    body: Node
    behind: bool
    negated: bool


@dataclass(frozen=True, slots=True)
class Backreference:
    """What the group of that number captured; the empty match if it captured nothing."""

    number: int


@dataclass(frozen=True, slots=True)
class Anchor:
    """`^`, `$`, `\\b` or `\\B`."""

    kind: Literal["^", "$", "b", "B"]


Node = Chars | Sequence | Choice | Repeat | Group | Look | Backreference | Anchor

EMPTY = Sequence(())


def children(node: Node) -> tuple[Node, ...]:
    """The direct parts of a node."""
    match node:
        case Sequence(items):
            return items
        case Choice(options):
            return options
        case Repeat(body=body) | Group(body=body) | Look(body=body):
            return (body,)
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, in the order of the text."""
    yield node
    for child in children(node):
        yield from walk(child)


def sequence(items: list[Node]) -> Node:
    """The items one after the other, with nested sequences opened and a lone item left bare."""
    flat: list[Node] = []
    for item in items:
        flat.extend(item.items if isinstance(item, Sequence) else (item,))
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))
