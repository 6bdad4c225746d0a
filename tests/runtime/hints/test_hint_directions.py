"""Hints get what they need as a value: no module of theirs knows registries, conversations or calls."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import toolgen_runtime.hints

FOLDER = Path(toolgen_runtime.hints.__file__).parent
MODULES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.py"))
ALLOWED = ("toolgen_runtime.calls.errors",)
"""The exceptions of tool calls, whose module knows no other of its room."""
FORBIDDEN = ("registry", "conversation", "calls", "client", "dynamic")


@pytest.mark.parametrize("module", MODULES)
def test_no_module_of_hints_imports_what_calls_it(module: str) -> None:
    """Imports for type checkers, and those inside of functions, count too."""
    tree = ast.parse((FOLDER / module).read_text(encoding="utf-8"))
    names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    for name in [*names, *(text for text in texts if isinstance(text, str))]:
        if name in ALLOWED:
            continue
        assert not name.startswith(tuple(f"toolgen_runtime.{room}" for room in FORBIDDEN)), name


@pytest.mark.parametrize("module", MODULES)
def test_no_conditional_expression_is_in_another(module: str) -> None:
    tree = ast.parse((FOLDER / module).read_text(encoding="utf-8"))
    choices = [node for node in ast.walk(tree) if isinstance(node, ast.IfExp)]
    nested = [n.lineno for n in choices if any(isinstance(m, ast.IfExp) for m in ast.walk(n) if m is not n)]
    assert nested == []
