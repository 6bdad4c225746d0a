"""Inputs that were written to reach single conditions, one row an input: `cases/{calls,providers,commands}/*.json`."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from recorded_inputs import key_of


def rows(
    kind: str, hook: Callable[[dict[str, Any]], Any] | None = None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of a kind with their names. `hook` reads objects that stand for what JSON does not have."""
    for file in sorted((Path(__file__).parent / "cases" / kind).glob("*.json")):
        for row in json.loads(file.read_text("utf-8"), object_hook=hook):
            yield f"{file.stem}-{key_of(row)}", row


def raised(error: Any) -> Any:
    """Return the exception that an object stands for, by its class, arguments, attributes and cause.

    Of a list of texts, each is the cause of the one before.
    """
    if isinstance(error, list):
        error = {"class": "ValueError", "args": error[:1], **({"cause": error[1:]} if error[1:] else {})}
    if not isinstance(error, dict):
        return error
    own = {name: value for name, value in error.items() if name not in ("class", "args", "cause")}
    kind = getattr(builtins, error["class"], None) or type(error["class"], (Exception,), {})
    made = kind(*error.get("args", []))
    vars(made).update(own)
    made.__cause__ = raised(error["cause"]) if "cause" in error else None
    return made
