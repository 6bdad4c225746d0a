"""The examples in docstrings hold."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from types import ModuleType

import pytest

import toolgen_runtime

NEED_A_FRAMEWORK = "toolgen_runtime.adapters."


def with_examples() -> list[ModuleType]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = [found.name for found in pkgutil.walk_packages(toolgen_runtime.__path__, "toolgen_runtime.")]
    modules = [importlib.import_module(name) for name in names if not name.startswith(NEED_A_FRAMEWORK)]
    return [module for module in modules if any(test.examples for test in finder.find(module))]


@pytest.mark.parametrize("module", with_examples(), ids=lambda module: module.__name__)
def test_examples(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0
