"""Code that is read once: choices are statements, and none stands inside another."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from helpers.support import PACKAGES, ROOT, for_each

MOST = 15
"""The most conditional expressions in 1,000 lines of a package."""


def conditional_expressions(path: Path) -> list[ast.IfExp]:
    return [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.IfExp)]


@for_each(PACKAGES)
def test_a_conditional_expression_is_the_exception(package: Any) -> None:
    paths = sorted(package.rglob("*.py"))
    found = sum(len(conditional_expressions(path)) for path in paths)
    lines = sum(path.read_text("utf-8").count("\n") for path in paths)
    assert found <= MOST * lines / 1_000, f"{found} in {lines} lines"


@for_each([*PACKAGES, "tests"])
def test_no_conditional_expression_is_nested(package: str) -> None:
    nested = [
        f"{path}:{node.lineno}"
        for path in sorted(PACKAGES.get(package, ROOT / package).rglob("*.py"))
        for node in conditional_expressions(path)
        if any(isinstance(inner, ast.IfExp) for inner in ast.walk(node) if inner is not node)
    ]
    assert nested == []
