"""The examples in docstrings hold."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from types import ModuleType

from helpers.support import for_each

import toolgen_runtime
import toolgen_transcripts


def with_examples() -> list[ModuleType]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = [
        importlib.import_module(found.name)
        for package in (toolgen_runtime, toolgen_transcripts)
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    return [module for module in modules if any(test.examples for test in finder.find(module))]


@for_each(with_examples(), ids=lambda module: module.__name__)
def test_examples(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0
