"""`Writer`: the statements of one function as a tree, so that it can be divided before it becomes text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, LiteralString, NamedTuple

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


class PathLine(NamedTuple):
    """A statement with the path of a value in its place `path`: as long as the function that it ends up in says."""

    template: LiteralString
    path: tuple[Code, ...]
    parts: Mapping[str, Code]

    def code(self, known: int) -> Code:
        """Return the statement in a function whose value is `known` steps down."""
        return fragment(self.template, path=path_code(self.path[known:]), **self.parts)


@dataclass(slots=True)
class Block:
    """A header and the statements below it."""

    kind: Kind
    header: Code
    body: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Part:
    """The check of a part of the payload, or of one schema of several: may become a function of its own."""

    subject: Any
    """What the function is named after."""
    variable: Code
    """What the check looks at; nothing else from outside stands in it."""
    path: tuple[Code, ...]
    body: list[Node] = field(default_factory=list)


class Moved(NamedTuple):
    """Issues with paths relative to a value further down, which are added with its path before theirs."""

    issues: Code
    path: tuple[Code, ...]
    runtime: Callable[[str], Code]

    def placed(self, known: int) -> Node:
        """Return the statements in a function whose value is `known` steps down."""
        if len(self.path) == known:
            return Line(fragment("issues += {issues}", issues=self.issues))
        found = fragment("found := {issues}", issues=self.issues)
        under = PathLine("issues += {under}({path}, found)", self.path, {"under": self.runtime("under")})
        return Block(Kind.IF, found, [under])


Node = Line | PathLine | Block | Part | Moved


def path_code(steps: Sequence[Code]) -> Code:
    """Return a path as a tuple display."""
    inner = comma_separated(steps)
    return fragment("({inner},)", inner=inner) if len(steps) == 1 else fragment("({inner})", inner=inner)


_ELSE: Final = Code("else:")


class Writer:
    """Collects the statements of a function."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._open = self.nodes

    def line(self, template: LiteralString, /, **parts: Code | int) -> None:
        """Write one statement."""
        self._open.append(Line(fragment(template, **parts)))

    def path_line(self, template: LiteralString, path: tuple[Code, ...], **parts: Code) -> None:
        """Write one statement that names a path."""
        self._open.append(PathLine(template, path, parts))

    def add(self, node: Node) -> None:
        """Statements that are made already."""
        self._open.append(node)

    def leave(self, code: Code) -> None:
        """Write a statement that leaves the function or the loop, unless it stands right before."""
        line = Line(code, leaves=True)
        if not self._open or self._open[-1] != line:
            self._open.append(line)

    def block(self, template: LiteralString, /, **parts: Code | int) -> AbstractContextManager[None]:
        """Write a header that is not a condition, and what is inside it."""
        kind = Kind.LOOP if template.startswith("for ") else Kind.OTHER
        return self._block(Block(kind, fragment(template, **parts)))

    def when(self, condition: Code) -> AbstractContextManager[None]:
        """Write what is done if a condition holds."""
        return self._block(Block(Kind.IF, condition))

    def otherwise_when(self, condition: Code) -> AbstractContextManager[None]:
        """Write what is done if a condition holds and those right before did not."""
        return self._block(Block(Kind.ELIF, condition))

    def otherwise(self) -> AbstractContextManager[None]:
        """Write what is done if the conditions right before did not hold."""
        return nullcontext() if _leaves(self._open) else self._block(Block(Kind.ELSE, _ELSE))

    def part(self, subject: Any, variable: Code, path: tuple[Code, ...]) -> AbstractContextManager[None]:
        """Write what may become a function of its own."""
        return _Inside(self, Part(subject, variable, path))

    def _block(self, made: Block) -> AbstractContextManager[None]:
        return _Inside(self, made)

    def begin(self, made: Block | Part) -> list[Node]:
        """Write what follows inside a block or part; return the statements that it stands among."""
        outer = self._open
        outer.append(made)
        self._open = made.body
        return outer

    def end(self, made: Block | Part, outer: list[Node]) -> None:
        """Write what follows after a block or part; one that says nothing is left out."""
        self._open = outer
        if made.body:
            return
        if isinstance(made, Part) or made.kind is Kind.ELSE:
            outer.pop()
        else:
            made.body.append(Line(Code("pass")))


class _Inside(AbstractContextManager[None]):
    """The inside of a block or part: by hand, since `contextmanager` takes three times as long."""

    __slots__ = ("_made", "_outer", "_writer")

    def __init__(self, writer: Writer, made: Block | Part) -> None:
        self._writer = writer
        self._made = made

    def __enter__(self) -> None:
        self._outer = self._writer.begin(self._made)

    def __exit__(self, *_: object) -> None:
        self._writer.end(self._made, self._outer)


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


def is_chain(nodes: Sequence[Node]) -> bool:
    """Return whether these are one `if` and its branches."""
    kinds = [node.kind if isinstance(node, Block) else None for node in nodes]
    return kinds[:1] == [Kind.IF] and all(kind in (Kind.ELIF, Kind.ELSE) for kind in kinds[1:])


_WORDS: Final[dict[Kind, LiteralString]] = {Kind.IF: "if", Kind.ELIF: "elif"}


def source(nodes: Sequence[Node], known: int = 0) -> Code:
    """Return the text of a function's body; `known` steps of each path belong to who calls it."""
    lines: list[tuple[int, Code]] = []
    _add_lines(nodes, known, 1, lines)
    return joined_lines(lines, INDENT)


def _add_lines(nodes: Sequence[Node], known: int, depth: int, lines: list[tuple[int, Code]]) -> None:
    for node in nodes:
        match node:
            case Line():
                lines.append((depth, node.code))
            case PathLine():
                lines.append((depth, node.code(known)))
            case Block():
                word = _WORDS.get(node.kind)
                if word is None:
                    lines.append((depth, node.header))
                else:
                    lines += condition_lines(word, node.header, depth)
                _add_lines(node.body, known, depth + 1, lines)
            case Part() | Moved():
                raise TypeError("a part is placed before it is written out")


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
