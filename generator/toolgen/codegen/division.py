"""Where a check is divided: parts that would make a function too long or too deep become functions of their own.

A part stands in place while the function that holds it stays readable, since each call costs time. Where it is
called, it lists issues with paths relative to its own value, and the caller puts its path before them, if there
are any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from toolgen.codegen.code import Code
from toolgen.codegen.writer import Block, Kind, Line, Moved, Node, Part, PathLine, is_chain

MAX_DEPTH: Final = 7
"""Blocks within one another."""
MAX_LINES: Final = 150
"""Lines of a function, as long as there are parts to take out."""
_MIN_LINES: Final = 12
"""A part of fewer lines is not taken out for the length of the function."""

_CONTINUE: Final = Code("continue")

Call = Callable[[Part], list[Node]]
"""Makes a function of a part, and gives the statements that call it."""


def divided(nodes: Sequence[Node], end: Code | None, call: Call, known: int = 0) -> list[Node]:
    """Return the body of a function, its parts written in place or called; `end` leaves the function early.

    `known` steps of the paths in it lead to the value that the function is called with.
    """
    placed = _Division(nodes, call, known).placed(nodes, 0)
    return placed if end is None else _guarded(placed, end)


class _Division:
    """One function while it is divided."""

    def __init__(self, nodes: Sequence[Node], call: Call, known: int) -> None:
        self._call = call
        self._known = known
        self._called = _too_long(nodes)

    def placed(self, nodes: Sequence[Node], depth: int) -> list[Node]:
        """Return the statements at some depth without parts in them."""
        found: list[Node] = []
        for node in nodes:
            match node:
                case Part():
                    found += self._part(node, depth)
                case Block():
                    found += self._block(node, depth)
                case Moved():
                    found.append(node.placed(self._known))
                case Line() | PathLine():
                    found.append(node)
        return found

    def _part(self, part: Part, depth: int) -> list[Node]:
        is_called = id(part) in self._called
        while len(part.body) == 1 and isinstance(inner := part.body[0], Part) and inner.path == part.path:
            part = inner  # all that a reference says is said there
        if is_called or depth + _height(part.body) > MAX_DEPTH:
            return self.placed(self._call(part), depth)
        return self.placed(part.body, depth)

    def _block(self, block: Block, depth: int) -> list[Node]:
        if block.kind is Kind.ELSE and is_chain(_bare(block.body)):
            body = self.placed(block.body, depth)
            if is_chain(body) and isinstance(first := body[0], Block):
                return [Block(Kind.ELIF, first.header, first.body), *body[1:]]
        body = self.placed(block.body, depth + 1)
        is_loop = block.kind is Kind.LOOP
        return [Block(block.kind, block.header, _guarded(body, _CONTINUE) if is_loop else body)]


def _bare(nodes: Sequence[Node]) -> Sequence[Node]:
    while len(nodes) == 1 and isinstance(part := nodes[0], Part):
        nodes = part.body
    return nodes


def _guarded(nodes: list[Node], end: Code) -> list[Node]:
    """With the first branch of a sole `if` and `else` as a guard that leaves, and the other after it."""
    first = next((i for i, node in enumerate(nodes) if isinstance(node, Block)), len(nodes))
    if not is_chain(nodes[first:]) or len(nodes) != first + 2:
        return nodes
    guard, other = nodes[first:]
    if not (isinstance(guard, Block) and isinstance(other, Block) and other.kind is Kind.ELSE):
        return nodes
    left = Block(guard.kind, guard.header, [*guard.body, Line(end, leaves=True)])
    return [*nodes[:first], left, *other.body]


def _height(nodes: Sequence[Node]) -> int:
    """Return the depth that the statements come to where each part in them is called."""
    height = 0
    for node in nodes:
        if isinstance(node, Block):
            height = max(height, _block_height(node))
        elif isinstance(node, Part | Moved):
            height = max(height, 1)
    return height


def _block_height(block: Block) -> int:
    match block:
        case Block(Kind.LOOP, _, body) if len(inner := _bare(body[-1:])) > 1 and is_chain(inner):
            return 1 + max(_height(body[:-1]), _height(inner) - 1)
        case Block(Kind.ELSE, _, body) if is_chain(_bare(body)):
            return _height(_bare(body))
        case _:
            return 1 + _height(block.body)


def _too_long(nodes: Sequence[Node]) -> set[int]:
    """Return the parts that are taken out so that the function keeps to its length: the longest first."""
    called: set[int] = set()
    length = _length(nodes)
    if length <= MAX_LINES:
        return called
    parts = {id(part): _length(part.body) for part in _parts(nodes)}
    for part in sorted(parts, key=lambda p: -parts[p]):
        if length <= MAX_LINES or parts[part] < _MIN_LINES:
            break
        called.add(part)
        length -= parts[part] - 2
    return called


def _parts(nodes: Sequence[Node]) -> Iterator[Part]:
    for node in nodes:
        if isinstance(node, Part):
            yield node
        elif isinstance(node, Block):
            yield from _parts(node.body)


def _length(nodes: Sequence[Node]) -> int:
    """Return lines of statements, all parts in place."""
    length = 0
    for node in nodes:
        match node:
            case Line() | PathLine():
                length += 1
            case Moved():
                length += 2
            case Block(body=body):
                length += 1 + _length(body)
            case Part(body=body):
                length += _length(body)
    return length
