"""Arguments that Gemini streams in pieces: each names a place by a JSON path and gives a value, or a part of a text.

https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling, "Stream function call arguments".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from toolgen_runtime.providers.gemini.spelling import either

_STEP = re.compile(r"""\.([A-Za-z_$][\w$-]*)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""")
_MAX_ITEMS = 10_000
_VALUES = ("stringValue", "numberValue", "boolValue")


def steps_of(path: object) -> list[str | int] | None:
    """Return the steps of a JSON path of members and indices (RFC 9535, singular queries); None for any other."""
    if not isinstance(path, str) or not path.startswith("$"):
        return None
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            return None
        name, index, single, double = found.groups()
        quoted = single if double is None else double
        steps.append(int(index) if index else name or re.sub(r"\\(.)", r"\1", quoted))
        at = found.end()
    return steps


class PartialArgs:
    """The arguments of one call as far as they have come. `problem` says what cannot be placed."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self.arguments = dict(arguments)
        self.problem = ""
        self._open: set[str] = set()

    @property
    def unfinished(self) -> bool:
        """Whether a text was announced to go on and did not end."""
        return bool(self._open)

    def add(self, piece: Mapping[str, Any]) -> None:
        """Add one piece."""
        path = either(piece, "jsonPath")
        steps, given = steps_of(path), [key for key in _VALUES if either(piece, key) is not None]
        is_null = "nullValue" in piece or "null_value" in piece
        if not steps or len(given) + (is_null and not given) > 1:
            self.problem = self.problem or "a piece of its arguments cannot be placed"
            return
        goes_on = either(piece, "willContinue") is True
        (self._open.add if goes_on else self._open.discard)(str(path))
        if given:
            self._put(steps, either(piece, given[0]))
        elif is_null:
            self._put(steps, None)

    def _put(self, steps: list[str | int], value: Any) -> None:
        here: Any = self.arguments
        for step, below in pairwise(steps):
            here = self._member(here, step, [] if isinstance(below, int) else {})
        was = self._member(here, steps[-1], None)
        if here is not None and not self.problem:
            here[steps[-1]] = was + value if isinstance(was, str) and isinstance(value, str) else value

    def _member(self, parent: Any, step: str | int, fresh: Any) -> Any:
        """Return what stands at a step, made if there is nothing yet."""
        if isinstance(step, int) and isinstance(parent, list) and step <= len(parent) < _MAX_ITEMS:
            if step == len(parent):
                parent.append(fresh)
            return parent[step]
        if isinstance(step, str) and isinstance(parent, dict):
            return parent.setdefault(step, fresh)
        self.problem = self.problem or "a piece of its arguments cannot be placed"
        return None
