"""The JSON objects in a text that holds more than one object, or more than JSON."""

from __future__ import annotations

import json
from typing import Any

from toolgen_runtime.validation.json_text import read

MAX_TRIES = 40
"""Opening braces that are tried; each may take time in proportion to the text."""
_DECODER = json.JSONDecoder()


class Objects:
    """The objects of a text, one after the other, and what stands around them."""

    __slots__ = ("is_whole", "rest", "spans", "values")

    def __init__(self, text: str) -> None:
        self.values: list[dict[str, Any]] = []
        self.spans: list[tuple[int, int]] = []
        self.is_whole = True
        """Whether every brace of the text belongs to one of the objects."""
        rest: list[str] = []
        begin = at = 0
        for _ in range(MAX_TRIES):
            start = text.find("{", at)
            if start < 0:
                break
            at = _end_of_object(text, start) or start + 1
            if at == start + 1:
                continue
            value, issues = read(text[start:at])
            if issues:
                self.is_whole = False
                continue
            rest.append(text[begin:start])
            self.values.append(value)
            self.spans.append((start, at))
            begin = at
        rest.append(text[begin:])
        self.rest = rest
        """The texts before, between and after the objects."""
        self.is_whole = self.is_whole and not any("{" in part or "}" in part for part in rest)


def _end_of_object(text: str, start: int) -> int | None:
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


def same(values: list[dict[str, Any]]) -> bool:
    """Return whether objects are equal as JSON."""
    from toolgen_runtime.validation.helpers import equal

    return all(equal(values[0], other) for other in values[1:])
