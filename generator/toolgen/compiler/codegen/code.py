"""Types that keep source code and text apart, so that the text of a spec cannot become code.

There are only a few ways to make `Code`: from a template in toolgen's own source (`Code`, `code`, `fragment`), from
a value as a literal (`literal`), from text that is a name or is turned into one (`name`, `snake_case`), and from
another generator's class statements after a check (`toolgen.compiler.codegen.foreign_source`). All functions that
render source take `Code` and reject `str`.

Each expression knows its operator precedence, so that it gets parentheses inside another expression if it needs them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Any, Final, Literal, LiteralString, NamedTuple, Protocol, TypeAlias

Operator = Literal["<", "<=", ">", ">=", "==", "!=", "in", "not in"]
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*", re.ASCII)
_NOT_WORD: Final = re.compile(r"[^A-Za-z0-9]+")
INDENT: Final = "    "
MOST_COLUMNS: Final = 110
"""The maximum length of a line with a condition; a longer condition is written on several lines."""
_WORD_STARTS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Binds(IntEnum):
    """The precedence of an expression, from the operators that bind most tightly to those that bind least."""

    ATOM = 0
    OPERATOR = 1
    """Arithmetic and comparisons."""
    NOT = 2
    AND = 3
    OR = 4
    TERNARY = 5
    """`a if b else c`, `lambda`, `:=`."""


class Variable(Protocol):
    """A value that generated code holds in a variable. In a template, it is shown as this variable."""

    @property
    def var(self) -> Code:
        """The variable that holds the value."""
        raise NotImplementedError


class Code:
    """A piece of Python source. `binds` is the precedence of an expression."""

    __slots__ = ("_contrary", "_text", "alternatives", "binds")

    binds: Binds
    _contrary: tuple[LiteralString, Mapping[str, Part]] | None
    """The template and the parts of the negation, if it is shorter than `not`."""
    alternatives: tuple[str, ...]
    """The beginning and the lines of a condition that can be written on several lines."""

    def __init__(self, text: LiteralString) -> None:
        """Create an atomic expression or another piece of source.

        Type checkers make sure that `text` comes from toolgen's own source.
        """
        self._text: str = text
        self.binds = Binds.ATOM
        self._contrary = None
        self.alternatives = ()

    @property
    def text(self) -> str:
        """The source as text, ready to be written to a file."""
        return self._text

    def within(self, loosest: Binds) -> str:
        """Return the source for use inside another expression, in parentheses if necessary.

        It gets parentheses if it binds more loosely than `loosest`.
        """
        if self.binds > loosest:
            return f"({self._text})"
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Code) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return f"Code({self._text!r})"


IndentedLine: TypeAlias = tuple[int, Code]
"""The number of indents of a line of source, and the line."""
Part: TypeAlias = Code | int | Variable
_new: Final = object.__new__


def trusted(
    text: str,
    binds: Binds = Binds.ATOM,
    contrary: tuple[LiteralString, Mapping[str, Part]] | None = None,
) -> Code:
    """Turn text that is known to be code into `Code`. Only the modules of this package may call this
    function.
    """
    made = _new(Code)
    made._text = text
    made.binds = binds
    made._contrary = contrary
    made.alternatives = ()
    return made


TRUE: Final = Code("True")
FALSE: Final = Code("False")


def code(template: LiteralString, /, **parts: Part) -> Code:
    """Fill in a template to make an expression. Each `{}` is replaced with code or with an integer.

    A part gets parentheses if it would otherwise have another meaning.

    Raises:
        TypeError: a part is text.
    """
    whole = parts.get(template.removeprefix("{").removesuffix("}"))
    if template[:1] == "{" and isinstance(whole, Code):
        return whole  # the template is `{part}`, so nothing around it needs parentheses
    shape = _shape(template)
    text = (
        "".join([before + _shown(parts, key, loosest) for before, key, loosest in shape.pieces]) + shape.rest
    )
    if shape.contrary is None:
        contrary: Any = None
    else:
        contrary = (shape.contrary, parts)
    return trusted(text, shape.binds, contrary)


def fragment(template: LiteralString, /, **parts: Part) -> Code:
    """Fill in a template to make a statement, the header of a block, or anything else that is not an
    expression.

    The parts are used unchanged.
    """
    texts: dict[str, str] = {}
    for key, part in parts.items():
        if isinstance(part, Code):
            texts[key] = part._text
        else:
            texts[key] = _shown(parts, key, Binds.TERNARY)
    return trusted(template.format_map(texts))


def _shown(parts: Mapping[str, Part], key: str, loosest: Binds) -> str:
    part: object = parts[key]
    if not isinstance(part, Code):
        part = getattr(part, "var", part)
    if isinstance(part, Code):
        return part.within(loosest)
    if isinstance(part, int):
        return f"{part}"
    raise TypeError(f"{key} must be Code, not {type(part).__name__}: text becomes code only as a literal")


class _Shape(NamedTuple):
    """The structure of a template: each text, the part after it, and how loosely this part may bind.

    `contrary` is the template of the negation, if it is shorter than `not`.
    """

    pieces: tuple[tuple[str, str, Binds], ...]
    rest: str
    binds: Binds
    contrary: str | None


_PLACE: Final = re.compile(r"\{(\w+)\}")
_INNERMOST: Final = re.compile(r"\([^()\[\]]*\)|\[[^()\[\]]*\]")
_TOKEN: Final = re.compile(
    r"\b(?:not in|is not|or|and|not|in|is|if|else|lambda)\b|:=|[<>=!]=|[<>+|%-]|\{\w+\}|[\w.]+"
)
_WORDS: Final = {"if": Binds.TERNARY, "lambda": Binds.TERNARY, ":=": Binds.TERNARY} | {
    "or": Binds.OR, "and": Binds.AND, "not": Binds.NOT
}  # fmt: skip
_CONTRARY: Final = {"==": "!=", "is": "is not", "in": "not in", "<": ">=", "<=": ">"}
_CONTRARY_OF: Final = _CONTRARY | {other: one for one, other in _CONTRARY.items()}
_OPERATORS: Final = frozenset((*_CONTRARY_OF, "+", "-", "|", "%"))


@lru_cache(maxsize=1024)
def _shape(template: str) -> _Shape:
    """Return the shape of a template. There are a few hundred templates."""
    flat = template
    while (flatter := _INNERMOST.sub(lambda found: "#" * len(found[0]), flat)) != flat:
        flat = flatter
    tokens = list(_TOKEN.finditer(flat))
    words = [token[0] for token in tokens]
    binds = max((_WORDS.get(word, Binds(word in _OPERATORS)) for word in words), default=Binds.ATOM)
    neighbors = {t.start(): {*words[max(0, i - 1) : i], *words[i + 1 : i + 2]} for i, t in enumerate(tokens)}
    at, pieces = 0, list[tuple[str, str, Binds]]()
    for place in _PLACE.finditer(template):
        if flat[place.start()] == "#":
            loosest = _loosest_inside(template[: place.start()], template[place.end() :])
        else:
            loosest = _loosest(neighbors[place.start()], flat[place.end() :])
        pieces.append((template[at : place.start()], place[1], loosest))
        at = place.end()
    return _Shape(tuple(pieces), template[at:], binds, _contrary(template, tokens, binds))


def _loosest_inside(before: str, after: str) -> Binds:
    """Return how loosely a part in brackets may bind: any expression may fill the space between brackets or commas."""
    is_whole = before.endswith(("(", "[", ", ")) and after.startswith((")", "]", ", ", " for "))
    return Binds.TERNARY if is_whole else Binds.ATOM


def _loosest(neighbors: set[str], after: str) -> Binds:
    """Return how loosely a part may bind according to all words beside it."""
    if after.startswith(("#", ".")) or not neighbors <= {"or", "and", "not"}:
        return Binds.ATOM
    return min((_WORDS[word] for word in neighbors), default=Binds.TERNARY)


def _contrary(template: str, tokens: Sequence[re.Match[str]], binds: Binds) -> str | None:
    if binds is Binds.NOT:
        return template.removeprefix("not ")
    compared = [token for token in tokens if token[0] in _OPERATORS]
    if binds is Binds.OPERATOR and len(compared) == 1 and (operator := compared[0])[0] in _CONTRARY_OF:
        return f"{template[: operator.start()]}{_CONTRARY_OF[operator[0]]}{template[operator.end() :]}"
    return None


def name(text: str) -> Code:
    """Turn a name, which may be dotted, into code.

    Raises:
        ValueError: the text is not a name.
    """
    if not _NAME.fullmatch(text):
        raise ValueError(f"not a name: {text!r}")
    return trusted(text)


@lru_cache(maxsize=2_048)
def snake_case(text: str, most: int = 40) -> Code:
    """Convert a text to snake case, for use inside a private name.

    It has at most `most` characters, and may be empty.
    """
    words = _NOT_WORD.sub(" ", _WORD_STARTS.sub(" ", text[: 4 * most])).lower().split()
    return trusted("_".join(words)[:most].rstrip("_"))


def constant_name(text: str) -> Code:
    """Convert a text to snake case in capitals."""
    return trusted(snake_case(text).text.upper())


def comma_separated(parts: Sequence[Code]) -> Code:
    """Join pieces of code with commas: `a, b, c`."""
    return trusted(", ".join([part._text for part in parts]))


def called(function: Code, *arguments: Code) -> Code:
    """Return code that calls a function."""
    return trusted(f"{function._text}({comma_separated(arguments)._text})")


def joined_lines(lines: Sequence[IndentedLine]) -> Code:
    """Join lines of source, each of which comes with its level of indentation."""
    return trusted("\n".join([INDENT * depth + line._text for depth, line in lines]))


def compared(left: Code, operator: Operator, right: Code | int) -> Code:
    """Return code that compares two values, such as `left < right`."""
    return code(f"{{left}} {operator} {{right}}", left=left, right=right)


def either(conditions: Sequence[Code]) -> Code:
    """Join conditions with `or`; without conditions, return `False`."""
    return _joined(conditions, " or ", Binds.OR, neutral=FALSE, decisive=TRUE)


def both(conditions: Sequence[Code]) -> Code:
    """Join conditions with `and`; without conditions, return `True`."""
    return _joined(conditions, " and ", Binds.AND, neutral=TRUE, decisive=FALSE)


def _joined(
    conditions: Sequence[Code], operator: LiteralString, binds: Binds, neutral: Code, decisive: Code
) -> Code:
    if any(c is decisive for c in conditions):
        return decisive
    undecided = [c for c in conditions if c is not neutral]
    if len(undecided) <= 1:
        if undecided:
            return undecided[0]
        return neutral
    texts = [c.within(binds) for c in undecided]
    joined = trusted(operator.join(texts), binds)
    joined.alternatives = ("(", texts[0], *(f"{operator.lstrip()}{text}" for text in texts[1:]))
    return joined


def condition_lines(word: LiteralString, condition: Code, indent: int) -> list[IndentedLine]:
    """Return the header of a block that has a condition, on several lines if the condition is long.

    Each line comes with its number of indents.
    """
    header = f"{word} {condition._text}:"
    if len(header) + len(INDENT) * indent <= MOST_COLUMNS or not condition.alternatives:
        return [(indent, trusted(header))]
    first, *lines = condition.alternatives
    inner = [(indent + 1, trusted(line)) for line in lines]
    return [(indent, trusted(f"{word} {first}")), *inner, (indent, trusted("):"))]


def negated(condition: Code) -> Code:
    """Negate a condition: `not a`, or a shorter form such as `a not in b`, `a >= b` for `a < b`, or `a` for
    `not a`.

    Numbers must be compared only if they are known to be finite: for NaN, `a < b` and `a >= b` are both false.
    """
    if condition is TRUE:
        return FALSE
    if condition is FALSE:
        return TRUE
    if condition._contrary is not None:
        template, parts = condition._contrary
        return code(template, **parts)
    contrary = trusted(f"not {condition.within(Binds.NOT)}", Binds.NOT, ("{c}", {"c": condition}))
    if condition.alternatives:
        contrary.alternatives = ("not (", *condition.alternatives[1:])
    return contrary


def exactly_one(conditions: Sequence[Code]) -> Code:
    """Return code that tests whether exactly one of the conditions is true, evaluating each once."""
    if len(conditions) == 1:
        return conditions[0]
    held = [code("bool({c})", c=c) for c in conditions]
    if len(held) == 2:
        return code("{left} != {right}", left=held[0], right=held[1])
    count = trusted(" + ".join(one._text for one in held), Binds.OPERATOR)
    return code("{count} == 1", count=count)
