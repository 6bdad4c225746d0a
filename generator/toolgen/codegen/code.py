"""Source code and text as different types, so that no text of a spec can become code.

`Code` is made in few ways only: from a template that stands in toolgen's own source (`Code`, `code`, `fragment`),
from a value that becomes a literal (`literal`), from text that is or is made a name (`name`, `snake_case`), and
from another generator's class statements once they are seen to be nothing else (`toolgen.codegen.foreign`).
Everything that renders source takes `Code` and refuses `str`.

An expression knows how tightly it binds: where one stands in another, parentheses come by themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from textwrap import wrap
from typing import Any, Final, Literal, LiteralString

from toolgen.codegen import syntax
from toolgen.codegen.syntax import Binds, Shape

_MOST_NESTED: Final = 4
"""Conditions of which `exactly_one` writes a nest, whose text grows with their square."""
Operator = Literal["<", "<=", ">", ">=", "==", "!=", "in", "not in"]
_COMPARISONS: Final[dict[Operator, LiteralString]] = {
    "<": "{left} < {right}",
    "<=": "{left} <= {right}",
    ">": "{left} > {right}",
    ">=": "{left} >= {right}",
    "==": "{left} == {right}",
    "!=": "{left} != {right}",
    "in": "{left} in {right}",
    "not in": "{left} not in {right}",
}
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*", re.ASCII)
_NOT_WORD: Final = re.compile(r"[^A-Za-z0-9]+")
INDENT: Final = "    "
_WIDTH: Final = 100
_QUOTE_THAT_ENDS: Final = re.compile(r'"(?="|\Z)')
_WORD_STARTS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Code:
    """A piece of Python source; `binds` says how tightly, if it is an expression."""

    __slots__ = ("_contrary", "_text", "binds")

    binds: Binds
    _contrary: tuple[LiteralString, Mapping[str, Code | int]] | None
    """The template and the parts of the negation, where one is shorter than `not`."""

    def __init__(self, text: LiteralString) -> None:
        """Make a whole expression or another piece; type checkers see to it that `text` stands in toolgen's source."""
        self._text: str = text
        self.binds = Binds.ATOM
        self._contrary = None

    @property
    def text(self) -> str:
        """The source itself, for whoever writes it out."""
        return self._text

    def within(self, loosest: Binds) -> str:
        """Return the source as part of an expression: in parentheses if it binds more loosely than may stand there."""
        return f"({self._text})" if self.binds > loosest else self._text

    def negated(self) -> Code:
        """Return the contrary of a condition."""
        if self._contrary is not None:
            template, parts = self._contrary
            return code(template, **parts)
        return trusted(f"not {self.within(Binds.NOT)}", Binds.NOT, ("{c}", {"c": self}))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Code) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return f"Code({self._text!r})"


def trusted(
    text: str,
    binds: Binds = Binds.ATOM,
    contrary: tuple[LiteralString, Mapping[str, Code | int]] | None = None,
) -> Code:
    """Return code from text that is known to be nothing else, for this package's own modules only."""
    made = Code("")
    made._text = text
    made.binds = binds
    made._contrary = contrary
    return made


TRUE: Final = Code("True")
FALSE: Final = Code("False")


def code(template: LiteralString, /, **parts: Code | int) -> Code:
    """Return an expression: a template of toolgen's own with pieces of code (or whole numbers) in its `{}` places.

    A part that would mean something else in its place is put in parentheses.

    Raises:
        TypeError: a part is text.
        SyntaxError: the template is not an expression.
    """
    shape = syntax.expression(template)
    text = _filled(template, shape, parts)
    if shape.alone is not None and isinstance(alone := parts.get(shape.alone), Code):
        return alone
    # What `ast` makes of a template holds nothing but what the template holds.
    contrary: Any = None if shape.contrary is None else (shape.contrary, parts)
    return trusted(text, shape.binds, contrary)


def statement(template: LiteralString, /, **parts: Code | int) -> Code:
    """Return a statement or the header of a block, as `code` makes expressions."""
    return trusted(_filled(template, syntax.statement(template), parts))


def fragment(template: LiteralString, /, **parts: Code | int) -> Code:
    """Return a piece of source that is no expression of its own (a name, parameters), its parts as they are."""
    return trusted(_filled(template, None, parts))


def _filled(template: str, shape: Shape | None, parts: Mapping[str, Code | int]) -> str:
    texts: dict[str, str] = {}
    for key, part in parts.items():
        if isinstance(part, Code):
            loosest = None if shape is None else shape.places.get(key)
            texts[key] = part.text if loosest is None else part.within(loosest)
        elif isinstance(part, int):
            texts[key] = str(part)
        else:
            raise TypeError(
                f"{key} must be Code, not {type(part).__name__}: text becomes code only as a literal"
            )
    return template.format(**texts)


def name(text: str) -> Code:
    """Return a name, dotted or not.

    Raises:
        ValueError: the text is not a name.
    """
    if not _NAME.fullmatch(text):
        raise ValueError(f"not a name: {text!r}")
    return trusted(text)


def snake_case(text: str, most: int = 40) -> Code:
    """Return part of a private name: the words of a text in snake case, at most so many characters, perhaps none."""
    words = _NOT_WORD.sub(" ", _WORD_STARTS.sub(" ", text[: 4 * most])).lower().split()
    return trusted("_".join(words)[:most].rstrip("_"))


def constant_name(text: str, most: int = 40) -> Code:
    """Return `snake_case` in capitals."""
    return trusted(snake_case(text, most).text.upper())


def comma_separated(parts: Sequence[Code]) -> Code:
    """Return `a, b, c`."""
    return trusted(", ".join(part.text for part in parts))


def joined_lines(lines: Sequence[tuple[int, Code]], indent: LiteralString) -> Code:
    """Return lines of source, each with the number of its indents."""
    return trusted("\n".join(indent * depth + line.text for depth, line in lines))


def added(terms: Sequence[Code]) -> Code:
    """Return `a + b + c`."""
    if len(terms) == 1:
        return terms[0]
    return trusted(" + ".join(term.within(Binds.ATOM) for term in terms), Binds.OPERATOR)


def compared(left: Code, operator: Operator, right: Code | int) -> Code:
    """Return `left < right` or another comparison."""
    return code(_COMPARISONS[operator], left=left, right=right)


def either(conditions: Sequence[Code]) -> Code:
    """Return `a or b or c`; `False` for none."""
    return _joined(conditions, " or ", Binds.OR, neutral=FALSE, decisive=TRUE)


def both(conditions: Sequence[Code]) -> Code:
    """Return `a and b and c`; `True` for none."""
    return _joined(conditions, " and ", Binds.AND, neutral=TRUE, decisive=FALSE)


def _joined(
    conditions: Sequence[Code], operator: LiteralString, binds: Binds, neutral: Code, decisive: Code
) -> Code:
    if any(c is decisive for c in conditions):
        return decisive
    undecided = [c for c in conditions if c is not neutral]
    if len(undecided) <= 1:
        return undecided[0] if undecided else neutral
    return trusted(operator.join(c.within(binds) for c in undecided), binds)


def negated(condition: Code) -> Code:
    """Return `not a`, or what says the same more shortly: `a not in b`, `a >= b` for `a < b`, `a` for `not a`.

    Numbers are compared only where they are known to be finite: for NaN, `a < b` and `a >= b` are both false.
    """
    if condition is TRUE or condition is FALSE:
        return FALSE if condition is TRUE else TRUE
    return condition.negated()


def exactly_one(conditions: Sequence[Code]) -> Code:
    """Return the condition that one of the conditions holds and no other; each is asked once."""
    if len(conditions) > _MOST_NESTED:
        held = comma_separated([code("bool({c})", c=c) for c in conditions])
        return code("[{held}].count(True) == 1", held=held)
    first, *others = conditions
    if not others:
        return first
    parts = {"first": first, "none": negated(either(others)), "one": exactly_one(others)}
    return code("{none} if {first} else {one}", **parts)


def digest(text: str) -> Code:
    """Return the SHA-256 of a text, in hex, as it stands in a comment."""
    return trusted(sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def literal(value: Any) -> Code:
    """Return a JSON value (tuples and frozen sets of them too) as a Python literal, ASCII only.

    Raises:
        TypeError: the value is nothing of the kind.
    """
    if isinstance(value, bool):
        return TRUE if value else FALSE
    pieces: list[str] = []
    _write_literal(value, pieces)
    return trusted("".join(pieces))


def _write_literal(value: Any, pieces: list[str]) -> None:
    if value is None or isinstance(value, bool):
        pieces.append(repr(value))
    elif isinstance(value, int):
        pieces.append(_integer(value))
    elif isinstance(value, float):
        pieces.append(repr(value) if value - value == 0 else f'float("{value}")')
    elif isinstance(value, str):
        pieces.append(string_literal(value))
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
        raise TypeError(f"not a JSON value: {type(value).__name__}")


def _write_sequence(value: Any, pieces: list[str]) -> None:
    is_set = isinstance(value, set | frozenset)
    opening, closing = "[]" if isinstance(value, list) else "{}" if is_set else "()"
    pieces.append(opening)
    for index, item in enumerate(sorted(value, key=repr) if is_set else value):
        pieces.append(", " if index else "")
        _write_literal(item, pieces)
    pieces.append(",)" if isinstance(value, tuple) and len(value) == 1 else closing)


def json_text(value: Any) -> Code:
    """Return a JSON value as a raw string that holds it as JSON text, printed for readers.

    JSON has a backslash before each quote within a string, so that nothing ends the literal before its end.

    Raises:
        ValueError: the value is a string, whose last quote would stand beside the literal's.
    """
    text = json.dumps(value, ensure_ascii=True, indent=2).replace("\x7f", "\\u007f")
    if isinstance(value, str) or '"""' in text or not text.isascii():
        raise ValueError(f"not the text of an object, an array or a constant: {text[:80]}")
    return trusted(f'r"""{text}"""')


def docstring(text: str, indent: int = 1) -> Code:
    """Return a text as a docstring that says it: ASCII only, each line of the text a line, long ones broken."""
    lines = [part for line in text.strip().splitlines() for part in wrap(line, _WIDTH) or [""]]
    escaped = [line.encode("unicode_escape").decode("ascii") for line in lines]
    inner = _QUOTE_THAT_ENDS.sub(r'\\"', ("\n" + INDENT * indent).join(escaped))
    inner = re.sub(r"\n +(?=\n)", "\n", inner)
    return trusted(f'"""{inner}\n{INDENT * indent}"""' if len(lines) > 1 else f'"""{inner}"""')


def _integer(value: int) -> str:
    # Hexadecimal is outside the interpreter's limit on decimal digits, and linear.
    return repr(value) if value.bit_length() < 4096 else hex(value)


def string_literal(text: str) -> str:
    """Return an ASCII literal, in double quotes unless that would mean escaping them."""
    quoted = ascii(text)
    if quoted[0] == "'" and '"' not in text:
        quoted = '"' + quoted[1:-1].replace("\\'", "'") + '"'
    return quoted
