"""Patterns of strangers on texts of strangers: quick, or refused when they are built."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from hostile_patterns import AROUND, PATTERNS, texts
from support import bounded, tool_of

from toolgen import SpecError
from toolgen_runtime import Tool


def built(pattern: str) -> Tool[Any] | str:
    """The tool, or the code of the refusal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `heavy-pattern`
        try:
            return tool_of({"pattern": pattern})
        except SpecError as error:
            return error.diagnostics[0].code


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_is_quick_or_refused(pattern: str) -> None:
    """16 texts of 100,000 characters. What backtracks takes hours for each."""
    with bounded(2):
        tool = built(pattern)
        if isinstance(tool, str):
            assert (tool, pattern in AROUND) == ("slow-pattern", True)
        else:
            for text in texts(100_000):
                tool.validate(text)
