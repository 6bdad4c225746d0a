"""A mechanical fixer: it knows the intended payload, and corrects only what the rendered hint names."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from itertools import product
from typing import Any

from toolgen_runtime import RetryHint
from toolgen_runtime.schema.facts import parse_field

Path = tuple[str | int, ...]
_SPANS = re.compile(r"\[([\d,\-…]*[,\-…][\d,\-…]*)\]")
_LEFT_OUT = re.compile(r"^\+\d+ more: (.*)$", re.MULTILINE)


def fixed(payload: Any, intended: Any, hint: RetryHint) -> Any:
    """Return a copy of the payload with the intended value at every path that the hint's text names."""
    text = hint.render()
    out = copy.deepcopy(payload)
    for field in hint.fields:
        if (field.field or "(arguments)") not in text:
            continue
        for path in _paths(field.field):
            _correct(out, intended, path)
            for name in (
                field.rename_from,
                field.did_you_mean if isinstance(field.did_you_mean, str) else None,
            ):
                if name is not None and path:
                    _correct(out, intended, (*path[:-1], name))
    for left_out in _LEFT_OUT.findall(text):
        for name in left_out.removesuffix(", …").split(", "):
            for path in _paths(name):
                _correct(out, intended, path)
    return out


def _paths(field: str) -> Iterator[Path]:
    """Yield the paths of a field: `rows[0-2,5].qty` has four."""
    choices = [list(_indices(spans)) for spans in _SPANS.findall(field)]
    parts = _SPANS.split(field)[::2]
    for indices in product(*choices):
        text = "".join(
            part + (f"[{i}]" if i is not None else "")
            for part, i in zip(parts, [*indices, None], strict=True)
        )
        path = parse_field(text)
        if path is not None:
            yield path


def _indices(spans: str) -> Iterator[int]:
    for span in spans.split(","):
        first, _, last = span.partition("-")
        if first.isdecimal():
            yield from range(int(first), int(last or first) + 1)


def _correct(out: Any, intended: Any, path: Path) -> None:
    """Set the intended value at a path, or remove the value if none is intended."""
    for step in path[:-1]:
        try:
            out = out[step]
            intended = intended[step]
        except (KeyError, IndexError, TypeError):
            return
    if not path:
        return
    try:
        value = intended[path[-1]]
    except (KeyError, IndexError, TypeError):
        if isinstance(out, dict):
            out.pop(path[-1], None)
        return
    try:
        out[path[-1]] = copy.deepcopy(value)
    except (IndexError, TypeError):
        return
