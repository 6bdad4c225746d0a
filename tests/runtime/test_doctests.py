"""The examples in the runtime's docstrings hold."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

PACKAGES = ("validation", "payloads", "schema", "hints", "calls", "classify")


def modules() -> list[str]:
    found = []
    for name in PACKAGES:
        package = importlib.import_module(f"toolgen_runtime.{name}")
        found += [
            package.__name__,
            *(m.name for m in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")),
        ]
    return found


@pytest.mark.parametrize("name", modules())
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = [
        e for name in modules() for t in finder.find(importlib.import_module(name)) for e in t.examples
    ]
    assert examples
