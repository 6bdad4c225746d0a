"""Source code and text as different types, so that no text of a spec can become code.

`Code` is made in few ways only: from a template that stands in toolgen's own source (`Code`, `code`), from a
value that becomes a literal (`literal`), from text that is or is made a name (`name`, `spelled`), and from
the class statements of another generator once they are seen to be nothing else (`declarations`).
Everything that renders source takes `Code` and refuses `str`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from threading import Lock
from typing import Any, Final, LiteralString

INDENT: Final = "    "
_MOST_NESTED: Final = 4
"""Conditions of which `exactly_one` writes a nest, whose text grows with their square."""
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*", re.ASCII)
_NOT_WORD: Final = re.compile(r"[^A-Za-z0-9]+")
_JOINS: Final = re.compile(r" (?:and|or|if) ")
"""What makes a condition one of several parts, or a text in it look so, which does no harm."""
_WORD_STARTS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Code:
    """A piece of Python source."""

    __slots__ = ("_text",)

    def __init__(self, text: LiteralString) -> None:
        """`text` stands in toolgen's own source; type checkers refuse any other string."""
        self._text: str = text

    @property
    def text(self) -> str:
        """The source itself, for whoever writes it out."""
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Code) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return f"Code({self._text!r})"


def _trusted(text: str) -> Code:
    made = Code("")
    made._text = text
    return made


_TRUE: Final = Code("True")
_FALSE: Final = Code("False")


def code(template: LiteralString, /, **parts: Code | int) -> Code:
    """A template of toolgen's own with pieces of code (or whole numbers) in its `{}` places.

    Raises:
        TypeError: a part is text.
    """
    for key, part in parts.items():
        if not isinstance(part, Code | int):
            raise TypeError(
                f"{key} must be Code, not {type(part).__name__}: text becomes code only as a literal"
            )
    return _trusted(
        template.format(**{k: p.text if isinstance(p, Code) else str(p) for k, p in parts.items()})
    )


def name(text: str) -> Code:
    """A name, dotted or not.

    Raises:
        ValueError: the text is none.
    """
    if not _NAME.fullmatch(text):
        raise ValueError(f"no name: {text!r}")
    return _trusted(text)


def spelled(text: str, most: int = 40) -> Code:
    """Part of a private name: the words of a text in snake case, at most so many characters, perhaps none."""
    words = _NOT_WORD.sub(" ", _WORD_STARTS.sub(" ", text[: 4 * most])).lower().split()
    return _trusted("_".join(words)[:most].rstrip("_"))


def shouted(text: str, most: int = 40) -> Code:
    """`spelled` in capitals, for constants."""
    return _trusted(spelled(text, most).text.upper())


def _joined(parts: Sequence[Code], separator: LiteralString) -> Code:
    return _trusted(separator.join(part.text for part in parts))


def comma_separated(parts: Sequence[Code]) -> Code:
    """`a, b, c`."""
    return _joined(parts, ", ")


def added(terms: Sequence[Code]) -> Code:
    """`a + b + c`."""
    return _joined(terms, " + ")


def either(conditions: Sequence[Code]) -> Code:
    """`a or b or c`, of conditions that bind no weaker than `or`; `False` for none."""
    if _TRUE in conditions:
        return _TRUE
    doubtful = [c for c in conditions if c != _FALSE]
    return _joined(doubtful, " or ") if doubtful else _FALSE


def both(conditions: Sequence[Code]) -> Code:
    """`a and (b or c)`; `True` for none."""
    if _FALSE in conditions:
        return _FALSE
    doubtful = [c for c in conditions if c != _TRUE]
    if len(doubtful) == 1:
        return doubtful[0]
    return _joined([_tight(c) for c in doubtful], " and ") if doubtful else _TRUE


def _tight(condition: Code) -> Code:
    """A condition as an operand of `and`; a parenthesis too many does no harm."""
    is_loose = " or " in condition.text or " if " in condition.text
    return code("({c})", c=condition) if is_loose else condition


def negated(condition: Code) -> Code:
    """`not (a)`, or the constant that it is."""
    constant = {_TRUE: _FALSE, _FALSE: _TRUE}.get(condition)
    if constant is None and condition.text.startswith("not ") and not _JOINS.search(condition.text):
        return _trusted(condition.text.removeprefix("not "))
    return constant or code("not ({c})", c=condition)


def exactly_one(conditions: Sequence[Code]) -> Code:
    """The condition that one of the conditions holds and no other; each is asked once."""
    if len(conditions) > _MOST_NESTED:
        held = comma_separated([code("bool({c})", c=c) for c in conditions])
        return code("[{held}].count(True) == 1", held=held)
    first, *others = conditions
    if not others:
        return first
    parts = {"first": first, "none": negated(either(others)), "one": exactly_one(others)}
    return code("({none} if {first} else {one})", **parts)


def digest(text: str) -> Code:
    """The SHA-256 of a text, in hex, as it stands in a comment."""
    return _trusted(sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def literal(value: Any) -> Code:
    """A JSON value (tuples and frozen sets of them too) as a Python literal, ASCII only.

    Raises:
        TypeError: the value is nothing of the kind.
    """
    pieces: list[str] = []
    _write_literal(value, pieces)
    return _trusted("".join(pieces))


def _write_literal(value: Any, pieces: list[str]) -> None:
    if value is None or isinstance(value, bool):
        pieces.append(repr(value))
    elif isinstance(value, int):
        pieces.append(_integer(value))
    elif isinstance(value, float):
        pieces.append(repr(value) if value - value == 0 else f'float("{value}")')
    elif isinstance(value, str):
        pieces.append(_string(value))
    elif isinstance(value, list | tuple | set | frozenset):
        _write_sequence(value, pieces)
    elif isinstance(value, Mapping):
        pieces.append("{")
        for index, (key, item) in enumerate(value.items()):
            pieces.append(", " if index else "")
            _write_literal(key, pieces)
            pieces.append(": ")
            _write_literal(item, pieces)
        pieces.append("}")
    else:
        raise TypeError(f"no literal for {type(value).__name__}")


def _write_sequence(value: Any, pieces: list[str]) -> None:
    is_set = isinstance(value, set | frozenset)
    opening, closing = "[]" if isinstance(value, list) else "{}" if is_set else "()"
    pieces.append(opening)
    for index, item in enumerate(sorted(value, key=repr) if is_set else value):
        pieces.append(", " if index else "")
        _write_literal(item, pieces)
    pieces.append(",)" if isinstance(value, tuple) and len(value) == 1 else closing)


def _integer(value: int) -> str:
    # Hexadecimal is outside the interpreter's limit on decimal digits, and linear.
    return repr(value) if value.bit_length() < 4096 else hex(value)


def _string(text: str) -> str:
    """An ASCII literal, in double quotes unless that would mean escaping them."""
    quoted = ascii(text)
    if quoted[0] == "'" and '"' not in text:
        quoted = '"' + quoted[1:-1].replace("\\'", "'") + '"'
    return quoted


_DECLARATIONS: Final = (
    *(
        ast.Module,
        ast.ImportFrom,
        ast.alias,
        ast.ClassDef,
        ast.AnnAssign,
        ast.Expr,
        ast.Pass,
        ast.Name,
        ast.Load,
        ast.Store,
    ),
    *(
        ast.Subscript,
        ast.Tuple,
        ast.List,
        ast.BinOp,
        ast.BitOr,
        ast.UnaryOp,
        ast.USub,
        ast.Constant,
        ast.keyword,
    ),
)
_MAKERS: Final = frozenset({"ConfigDict", "Field"})


_PARSING: Final = Lock()


def _parsed(source: str) -> ast.Module:
    """Return the tree of a source text; one thread at a time, since CPython 3.11 counts the depth for all at once."""
    with _PARSING:
        return ast.parse(source)


def declarations(source: str) -> Code:
    """Class statements that another generator wrote, once they are seen to be nothing else.

    Raises:
        ValueError: there is a statement or an expression in them that declares nothing.
    """
    for node in ast.walk(_parsed(source)):
        makes = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _MAKERS
        assigns = isinstance(node, ast.Assign) and [ast.unparse(t) for t in node.targets] == ["model_config"]
        if not (makes or assigns or isinstance(node, _DECLARATIONS)):
            raise ValueError(f"no declaration: {ast.unparse(node)[:80]}")
    return _trusted(source)


Imports = list[tuple[Code, list[Code]]]
"""(module, names) of `from ... import ...` lines."""


def imported(source: str) -> Imports:
    """The import lines that another generator wrote.

    Raises:
        ValueError: there is something else in them.
    """
    found: Imports = []
    for node in _parsed(source).body:
        if not isinstance(node, ast.ImportFrom) or node.module is None or any(a.asname for a in node.names):
            raise ValueError(f"no import: {ast.unparse(node)[:80]}")
        found.append((name(node.module), [name(alias.name) for alias in node.names]))
    return found


def merged(imports: Imports) -> Imports:
    """Each module once with all of its names; the standard library's `typing` first."""
    names: dict[Code, set[Code]] = {}
    for module, some in imports:
        names.setdefault(module, set()).update(some)
    return [
        (module, sorted(names[module], key=lambda c: (c.text.lower(), c.text)))
        for module in sorted(names, key=lambda c: (c.text != "typing", c.text))
    ]


class Writer:
    """Lines of source with their indentation."""

    def __init__(self) -> None:
        self._lines: list[tuple[int, Code]] = []
        self.depth = 0

    def line(self, template: LiteralString, /, **parts: Code | int) -> None:
        """One line, as `code` makes it."""
        self._lines.append((self.depth, code(template, **parts)))

    def end(self, statement: Code) -> None:
        """A statement that leaves the function, unless it stands right before."""
        if not self._lines or self._lines[-1] != (self.depth, statement):
            self._lines.append((self.depth, statement))

    @contextmanager
    def block(self, template: LiteralString, /, **parts: Code | int) -> Iterator[None]:
        """A header line, and what is written inside it one level deeper; `pass` where that is nothing."""
        self.line(template, **parts)
        self.depth += 1
        start = len(self._lines)
        yield
        if len(self._lines) == start:
            self.line("pass")
        self.depth -= 1

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        """An `else:` and what is written inside it; `elif` where that is one `if` and its branches."""
        header = len(self._lines)
        with self.block("else:"):
            yield
        first, *others = [line.text for depth, line in self._lines[header + 1 :] if depth == self.depth + 1]
        if first.startswith("if ") and all(line.startswith(("elif ", "else:")) for line in others):
            inner = self._lines[header + 1 :]
            self._lines[header:] = [(depth - 1, line) for depth, line in inner]
            self._lines[header] = (self.depth, _trusted(f"el{first}"))

    def body(self) -> Code:
        """All lines, to stand one level deep."""
        return _trusted("\n".join(f"{INDENT * (depth + 1)}{line.text}" for depth, line in self._lines))
