"""The statements of a function as a tree, which is simplified before it becomes text."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Final, Literal, LiteralString, NamedTuple

from toolgen.compiler.codegen.code import (
    Code,
    IndentedLine,
    Part,
    comma_separated,
    condition_lines,
    fragment,
    joined_lines,
)

BlockKind = Literal["if", "elif", "else", "for", "other"]
"""The kind of a block. The header of the block determines it."""


class Line(NamedTuple):
    """A statement. If `leaves` is true, it leaves the block, so that the statements after it do not run."""

    code: Code
    leaves: bool = False


@dataclass(slots=True)
class Block:
    """The header of a block, and the statements inside."""

    kind: BlockKind
    header: Code
    body: list[Node] = field(default_factory=list)


Node = Line | Block


def path_code(steps: Sequence[Code]) -> Code:
    """Return code for a path as a tuple."""
    inner = comma_separated(steps)
    if len(steps) == 1:
        return fragment("({inner},)", inner=inner)
    return fragment("({inner})", inner=inner)


_ELSE: Final = Code("else:")
_CONTINUE: Final = Code("continue")


class Writer:
    """Collects the statements of a function."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.depth = 0
        """The number of blocks around the next statement."""
        self.open = self.nodes
        """The list to which the next statement is added."""
        self.inside: BlockKind | None = None
        """The kind of the innermost block."""

    def line(self, template: LiteralString, /, **parts: Part) -> None:
        """Write one statement."""
        self.open.append(Line(fragment(template, **parts)))

    def leave(self, code: Code) -> None:
        """Write a statement that leaves the function or the loop, such as `return`.

        If the last statement is the same, write nothing.
        """
        line = Line(code, leaves=True)
        if not self.open or self.open[-1] != line:
            self.open.append(line)

    def block(self, template: LiteralString, /, **parts: Part) -> AbstractContextManager[None]:
        """Write a block whose header is not a condition."""
        kind: BlockKind = "for" if template.startswith("for ") else "other"
        return _Inside(self, Block(kind, fragment(template, **parts)))

    def when(self, condition: Code) -> AbstractContextManager[None]:
        """Write a block that runs if a condition is true."""
        return _Inside(self, Block("if", condition))

    def otherwise_when(self, condition: Code) -> AbstractContextManager[None]:
        """Write an `elif` for the conditions right before it."""
        return _Inside(self, Block("elif", condition))

    def otherwise(self) -> AbstractContextManager[None]:
        """Write an `else` for all conditions right before it."""
        if _leaves(self.open):
            return nullcontext()
        return _Inside(self, Block("else", _ELSE))


class _Inside(AbstractContextManager[None]):
    """The context manager for writing inside a block. `contextmanager` would take three times as long."""

    __slots__ = ("_before", "_made", "_writer")

    def __init__(self, writer: Writer, made: Block) -> None:
        self._writer = writer
        self._made = made

    def __enter__(self) -> None:
        writer, made = self._writer, self._made
        self._before = writer.open, writer.inside, writer.depth
        writer.open.append(made)
        # A single `else` of a function or a loop becomes the code after a guard, see `tidied`: it is no deeper.
        if made.kind != "else" or writer.inside not in (None, "for"):
            writer.depth += 1
        writer.open, writer.inside = made.body, made.kind

    def __exit__(self, *_: object) -> None:
        writer, made = self._writer, self._made
        writer.open, writer.inside, writer.depth = self._before
        if made.body:
            return
        if made.kind == "else":  # an empty one is left out
            writer.open.pop()
        else:
            made.body.append(Line(Code("pass")))


def _leaves(nodes: Sequence[Node]) -> bool:
    """Return whether every branch of the chain that ends here leaves the function or loop."""
    for node in reversed(nodes):
        if not isinstance(node, Block) or node.kind not in ("if", "elif"):
            return False
        last = node.body[-1]
        if not (isinstance(last, Line) and last.leaves):
            return False
        if node.kind == "if":
            return True
    return False


def tidied(nodes: Sequence[Node], end: Code | None = None) -> list[Node]:
    """Simplify statements: use `elif`, and let an `if` that leaves the block replace an `else`.

    In a loop, or if `end` leaves the function early, an `if` with an `else` becomes a guard followed by the rest.
    """
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Line):
            found.append(node)
            continue
        body = tidied(node.body, _CONTINUE if node.kind == "for" else None)
        if node.kind == "else" and _is_chain(body) and isinstance(first := body[0], Block):
            found += [Block("elif", first.header, first.body), *body[1:]]
        else:
            found.append(Block(node.kind, node.header, body))
    if end is None:
        return found
    return _guarded(found, end)


def _guarded(nodes: list[Node], end: Code) -> list[Node]:
    """If the statements are a single `if` and `else`, turn the first branch into a guard that leaves early."""
    first = next((i for i, node in enumerate(nodes) if isinstance(node, Block)), len(nodes))
    chain = nodes[first:]
    if not _is_chain(chain) or len(chain) != 2:
        return nodes
    guard, other = chain
    if not (isinstance(guard, Block) and isinstance(other, Block) and other.kind == "else"):
        return nodes
    left = Block(guard.kind, guard.header, [*guard.body, Line(end, leaves=True)])
    return [*nodes[:first], left, *other.body]


def _is_chain(nodes: Sequence[Node]) -> bool:
    """Return whether the statements are one `if` and its branches."""
    kinds = [node.kind if isinstance(node, Block) else None for node in nodes]
    return kinds[:1] == ["if"] and all(kind in ("elif", "else") for kind in kinds[1:])


def source(nodes: Sequence[Node]) -> Code:
    """Return the body of a function as text."""
    lines: list[IndentedLine] = []
    _add_lines(nodes, 1, lines)
    return joined_lines(lines)


def _add_lines(nodes: Sequence[Node], depth: int, lines: list[IndentedLine]) -> None:
    for node in nodes:
        if isinstance(node, Line):
            lines.append((depth, node.code))
            continue
        if node.kind == "if" or node.kind == "elif":
            lines += condition_lines(node.kind, node.header, depth)
        else:
            lines.append((depth, node.header))
        _add_lines(node.body, depth + 1, lines)


@dataclass(slots=True)
class Branches:
    """A chain of branches of which only one runs. The first one that is written becomes the `if`."""

    writer: Writer
    begun: bool = False

    def when(self, condition: Code) -> AbstractContextManager[None]:
        """Write a branch that runs if its condition is true and those before it are false."""
        begun, self.begun = self.begun, True
        if begun:
            return self.writer.otherwise_when(condition)
        return self.writer.when(condition)

    def otherwise(self) -> AbstractContextManager[None]:
        """Write the branch for all other cases. If there are no others, it always runs."""
        if self.begun:
            return self.writer.otherwise()
        return nullcontext()
