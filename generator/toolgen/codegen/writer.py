"""`Writer`: the statements of one function as a tree, which is tidied before it becomes text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, LiteralString, NamedTuple

from toolgen.codegen.code import (
    INDENT,
    Code,
    comma_separated,
    condition_lines,
    fragment,
    joined_lines,
)


class Kind(Enum):
    """What the header of a block is."""

    IF = "if"
    ELIF = "elif"
    ELSE = "else"
    LOOP = "for"
    OTHER = "other"

    __hash__ = object.__hash__  # each is one object; `Enum` hashes names, in Python


class Line(NamedTuple):
    """A statement; `leaves`: nothing after it in its block is run."""

    code: Code
    leaves: bool = False


@dataclass(slots=True)
class Block:
    """A header and the statements below it."""

    kind: Kind
    header: Code
    body: list[Node] = field(default_factory=list)


Node = Line | Block


def path_code(steps: Sequence[Code]) -> Code:
    """Return a path as a tuple display."""
    inner = comma_separated(steps)
    return fragment("({inner},)", inner=inner) if len(steps) == 1 else fragment("({inner})", inner=inner)


_ELSE: Final = Code("else:")
_CONTINUE: Final = Code("continue")


class Writer:
    """Collects the statements of a function."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.depth = 0
        """Blocks around what is written next."""
        self.open = self.nodes
        """Where the next statement is added."""
        self.inside: Kind | None = None
        """What the innermost block is."""

    def line(self, template: LiteralString, /, **parts: Code | int) -> None:
        """Write one statement."""
        self.open.append(Line(fragment(template, **parts)))

    def leave(self, code: Code) -> None:
        """Write a statement that leaves the function or the loop, unless it stands right before."""
        line = Line(code, leaves=True)
        if not self.open or self.open[-1] != line:
            self.open.append(line)

    def block(self, template: LiteralString, /, **parts: Code | int) -> AbstractContextManager[None]:
        """Write a header that is not a condition, and what is inside it."""
        kind = Kind.LOOP if template.startswith("for ") else Kind.OTHER
        return _Inside(self, Block(kind, fragment(template, **parts)))

    def when(self, condition: Code) -> AbstractContextManager[None]:
        """Write what is done if a condition holds."""
        return _Inside(self, Block(Kind.IF, condition))

    def otherwise_when(self, condition: Code) -> AbstractContextManager[None]:
        """Write what is done if a condition holds and those right before did not."""
        return _Inside(self, Block(Kind.ELIF, condition))

    def otherwise(self) -> AbstractContextManager[None]:
        """Write what is done if the conditions right before did not hold."""
        return nullcontext() if _leaves(self.open) else _Inside(self, Block(Kind.ELSE, _ELSE))


class _Inside(AbstractContextManager[None]):
    """The inside of a block: by hand, since `contextmanager` takes three times as long."""

    __slots__ = ("_before", "_made", "_writer")

    def __init__(self, writer: Writer, made: Block) -> None:
        self._writer = writer
        self._made = made

    def __enter__(self) -> None:
        writer, made = self._writer, self._made
        self._before = writer.open, writer.inside, writer.depth
        writer.open.append(made)
        # A sole `else` of a function or a loop becomes what follows a guard, see `tidied`.
        writer.depth += made.kind is not Kind.ELSE or writer.inside not in (None, Kind.LOOP)
        writer.open, writer.inside = made.body, made.kind

    def __exit__(self, *_: object) -> None:
        writer, made = self._writer, self._made
        writer.open, writer.inside, writer.depth = self._before
        if made.body:
            return
        if made.kind is Kind.ELSE:  # one that says nothing is left out
            writer.open.pop()
        else:
            made.body.append(Line(Code("pass")))


def _leaves(nodes: Sequence[Node]) -> bool:
    """Return whether every branch of the chain that ends here leaves."""
    for node in reversed(nodes):
        if not isinstance(node, Block) or node.kind not in (Kind.IF, Kind.ELIF):
            return False
        last = node.body[-1]
        if not (isinstance(last, Line) and last.leaves):
            return False
        if node.kind is Kind.IF:
            return True
    return False


def tidied(nodes: Sequence[Node], end: Code | None = None) -> list[Node]:
    """Return statements with `elif` in place of an `else` that holds an `if`, and with guards.

    In a loop, and where `end` leaves the function early, a sole `if` and `else` become a guard and what follows it.
    """
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Line):
            found.append(node)
            continue
        body = tidied(node.body, _CONTINUE if node.kind is Kind.LOOP else None)
        if node.kind is Kind.ELSE and _is_chain(body) and isinstance(first := body[0], Block):
            found += [Block(Kind.ELIF, first.header, first.body), *body[1:]]
        else:
            found.append(Block(node.kind, node.header, body))
    return found if end is None else _guarded(found, end)


def _guarded(nodes: list[Node], end: Code) -> list[Node]:
    """Return the statements with the first branch of a sole `if` and `else` as a guard that leaves."""
    first = next((i for i, node in enumerate(nodes) if isinstance(node, Block)), len(nodes))
    chain = nodes[first:]
    if not _is_chain(chain) or len(chain) != 2:
        return nodes
    guard, other = chain
    if not (isinstance(guard, Block) and isinstance(other, Block) and other.kind is Kind.ELSE):
        return nodes
    left = Block(guard.kind, guard.header, [*guard.body, Line(end, leaves=True)])
    return [*nodes[:first], left, *other.body]


def _is_chain(nodes: Sequence[Node]) -> bool:
    """Return whether these are one `if` and its branches."""
    kinds = [node.kind if isinstance(node, Block) else None for node in nodes]
    return kinds[:1] == [Kind.IF] and all(kind in (Kind.ELIF, Kind.ELSE) for kind in kinds[1:])


_WORDS: Final[dict[Kind, LiteralString]] = {Kind.IF: "if", Kind.ELIF: "elif"}


def source(nodes: Sequence[Node]) -> Code:
    """Return the text of a function's body."""
    return joined_lines(list(_lines(nodes, 1)), INDENT)


def _lines(nodes: Sequence[Node], depth: int) -> Iterator[tuple[int, Code]]:
    for node in nodes:
        if isinstance(node, Line):
            yield depth, node.code
        elif (word := _WORDS.get(node.kind)) is None:
            yield depth, node.header
            yield from _lines(node.body, depth + 1)
        else:
            yield from condition_lines(word, node.header, depth)
            yield from _lines(node.body, depth + 1)


class Branches:
    """Branches that exclude each other; the first is an `if`, whichever it is."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._begun = False

    def when(self, condition: Code) -> AbstractContextManager[None]:
        """Write the branch of a condition, where none before it held."""
        begun, self._begun = self._begun, True
        return self._writer.otherwise_when(condition) if begun else self._writer.when(condition)

    def otherwise(self) -> AbstractContextManager[None]:
        """Write what is left; unconditional where there is no branch before it."""
        return self._writer.otherwise() if self._begun else nullcontext()
