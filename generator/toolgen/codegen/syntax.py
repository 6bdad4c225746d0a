"""What a template of Python source is: how tightly it binds, what may stand in its places, what is its contrary.

Templates are the project's own text, a few hundred in all. Each is parsed once, by Python's own parser, so that
no caller has to know where an operand needs parentheses.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from string import Formatter
from threading import Lock
from typing import Final


class Binds(IntEnum):
    """How tightly an expression binds, the tightest first."""

    ATOM = 0
    OPERATOR = 1
    """Arithmetic and comparisons."""
    NOT = 2
    AND = 3
    OR = 4
    TERNARY = 5
    """`a if b else c`, `lambda`, `:=`."""


Piece = tuple[str, str | None, Binds]
"""Text of a template; the part after it, None at the end; the loosest expression that needs no parentheses there."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What is known of an expression's template.

    `contrary` is the template of the negation, where one is shorter than `not`; `alone` the part that is the
    whole template.
    """

    binds: Binds
    pieces: tuple[Piece, ...]
    contrary: str | None = None
    alone: str | None = None


_PLACE: Final = "_part_"
_CONTRARY: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    one: other
    for pair in ((ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn), (ast.Lt, ast.GtE), (ast.LtE, ast.Gt))
    for one, other in (pair, pair[::-1])
}  # fmt: skip
_ANYTHING: Final = (ast.Call, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Subscript, ast.Expression, ast.stmt)


_parsing: Final = Lock()


def parse(source: str) -> list[ast.stmt]:
    """Return the statements of a source text; one thread at a time, since CPython 3.11 counts the depth for all.

    Raises:
        SyntaxError: the text is not Python.
    """
    with _parsing:
        return ast.parse(source).body


@cache
def expression(template: str) -> Shape:
    """Return the shape of an expression.

    Raises:
        SyntaxError: the template is not an expression.
    """
    match parse(_filled(template)):
        case [ast.Expr(value=body)]:
            pass
        case _:
            raise SyntaxError(f"not an expression: {template!r}")
    pieces = _pieces(template, _places(ast.Expression(body)))
    return Shape(_binds(body), pieces, _contrary(body), _place_name(body))


@cache
def statement(template: str) -> tuple[Piece, ...]:
    """Return the pieces of a statement, or of the header of a block.

    Raises:
        SyntaxError: the template is neither.
    """
    text = _filled(template)
    if text.startswith("case "):
        text = f"match _:\n {text}"
    elif text.startswith("except "):
        text = f"try: pass\n{text}"
    if text.startswith("match ") and text.endswith(":") and "\n" not in text:
        text += " \n case _: pass"
    elif text == "try:":
        return _pieces(template, {})
    elif text.endswith(":"):
        text += " pass"
    return _pieces(template, _places(ast.Module(parse(text), [])))


@cache
def fragment(template: str) -> tuple[Piece, ...]:
    """Return the pieces of what is no expression or statement of its own; its parts stay as they are."""
    return _pieces(template, {})


def _pieces(template: str, places: dict[str, Binds]) -> tuple[Piece, ...]:
    """Return the pieces; a part without a place is no expression of its own (part of a name)."""
    found = Formatter().parse(template)
    return tuple((before, key, places.get(key or "", Binds.TERNARY)) for before, key, _, _ in found)


def _filled(template: str) -> str:
    return "".join([before + ("" if key is None else _PLACE + key) for before, key, _ in fragment(template)])


def _place_name(node: ast.AST) -> str | None:
    is_place = isinstance(node, ast.Name) and node.id.startswith(_PLACE)
    return node.id.removeprefix(_PLACE) if is_place and isinstance(node, ast.Name) else None


def _binds(node: ast.expr) -> Binds:
    match node:
        case ast.IfExp() | ast.Lambda() | ast.NamedExpr():
            return Binds.TERNARY
        case ast.BoolOp(op=ast.Or()):
            return Binds.OR
        case ast.BoolOp():
            return Binds.AND
        case ast.UnaryOp(op=ast.Not()):
            return Binds.NOT
        case ast.Compare() | ast.BinOp() | ast.UnaryOp():
            return Binds.OPERATOR
        case _:
            return Binds.ATOM


def _places(root: ast.AST) -> dict[str, Binds]:
    """For each part the loosest expression that may stand in its place, or in the tightest of several."""
    places: dict[str, Binds] = {}
    for parent in ast.walk(root):
        for field, node in _fields(parent):
            key = _place_name(node)
            if key is not None:
                loosest = _loosest(parent, field)
                places[key] = min(places.get(key, loosest), loosest)
    return places


def _fields(parent: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for field, value in ast.iter_fields(parent):
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST):
                yield field, node


def _loosest(parent: ast.AST, field: str) -> Binds:
    match parent:
        case ast.BoolOp(op=ast.And()):
            return Binds.AND
        case ast.BoolOp():
            return Binds.OR
        case ast.UnaryOp(op=ast.Not()):
            return Binds.NOT
        case ast.IfExp():
            return Binds.TERNARY if field == "orelse" else Binds.OR
        case ast.comprehension():
            return Binds.OR
        case ast.Subscript() | ast.Call() if field in ("value", "func"):
            return Binds.ATOM
        case ast.GeneratorExp() | ast.ListComp() | ast.NamedExpr() | ast.Lambda() | ast.keyword():
            return Binds.TERNARY
        case _:
            return Binds.TERNARY if isinstance(parent, _ANYTHING) else Binds.ATOM


def _contrary(node: ast.expr) -> str | None:
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _template(operand)
        case ast.Compare(left=left, ops=[operator], comparators=comparators) if type(operator) in _CONTRARY:
            return _template(ast.Compare(left, [_CONTRARY[type(operator)]()], comparators))
        case _:
            return None


def _template(node: ast.expr) -> str:
    """Return a template again, of what was made from one."""
    text = ast.unparse(node).replace("{", "{{").replace("}", "}}")
    return re.sub(rf"\b{_PLACE}(\w+)", r"{\1}", text)
