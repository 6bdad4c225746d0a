"""Turn classes and imports that another generator wrote into `Code`, after a check that they only declare
fields.
"""

from __future__ import annotations

import ast
import re
from threading import Lock
from typing import Final

from toolgen.compiler.codegen.code import Code, trusted
from toolgen.compiler.codegen.literals import string_literal

_DECLARING: Final = (
    ast.AnnAssign, ast.Name, ast.Load, ast.Store, ast.Subscript, ast.Tuple, ast.List, ast.BinOp, ast.BitOr,
    ast.UnaryOp, ast.USub, ast.Constant, ast.keyword,
)  # fmt: skip
_MAKERS: Final = frozenset({"Field"})
_parsing: Final = Lock()
"""A lock, because CPython 3.11 counts the parsing depth of all threads together."""


def declarations(source: str) -> list[Code]:
    """Return the field declarations of a class that another generator wrote.

    Raises:
        ValueError: the text is not one class statement, or a field does more than declare.
    """
    with _parsing:
        body = ast.parse(source).body
    if len(body) != 1 or not isinstance(made := body[0], ast.ClassDef):
        raise ValueError(f"not one class: {source[:80]}")
    found: list[Code] = []
    for line in made.body:
        if (
            isinstance(line, ast.AnnAssign)
            and isinstance(line.target, ast.Name)
            and all(map(_declares, ast.walk(line)))
        ):
            found.append(trusted(_in_double_quotes(line)))
        elif not isinstance(line, ast.Pass):
            raise ValueError(f"not a field: {ast.unparse(line)[:80]}")
    return found


def _declares(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _MAKERS
    return isinstance(node, _DECLARING)


class _Literals(ast.NodeTransformer):
    """Replaces each string with a name, and keeps the string's literal."""

    def __init__(self) -> None:
        self.kept: list[str] = []

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not isinstance(node.value, str):
            return node
        self.kept.append(string_literal(node.value))
        return ast.Name(f"_string_{len(self.kept) - 1}_")


def _in_double_quotes(line: ast.stmt) -> str:
    literals = _Literals()
    text = ast.unparse(literals.visit(line))
    return re.sub(r"\b_string_(\d+)_\b", lambda found: literals.kept[int(found[1])], text)


Imports = list[tuple[Code, list[Code]]]
"""The parts of `from ... import ...` lines: a module and its names."""


def merged(imports: Imports) -> Imports:
    """Merge the imports from each module into one.

    They are sorted as import sorters do it: constants, classes, others.
    """
    names: dict[Code, set[Code]] = {}
    for module, some in imports:
        names.setdefault(module, set()).update(some)
    return [
        (module, sorted(names[module], key=_import_order))
        for module in sorted(names, key=lambda c: (c.text != "typing", c.text))
    ]


def _import_order(name: Code) -> tuple[bool, bool, str]:
    """Return a sort key: constants first, then classes, then functions."""
    text = name.text
    return not text.isupper(), not text[0].isupper(), text
