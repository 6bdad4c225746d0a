"""Inputs that were written to reach single conditions, one row an input: `cases/{calls,providers,commands}/*.json`."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from recorded_inputs import Output, Outputs, key_of


def by_file(
    kind: str, said: Callable[[dict[str, Any]], Iterable[Any]], hook: Callable[[Any], Any] | None = None
) -> dict[str, Outputs]:
    """Return the outputs of each file of a kind. `hook` reads objects that stand for what JSON does not have."""

    def outputs_of(file: Path) -> Outputs:
        def outputs() -> Iterator[Output]:
            for row in json.loads(file.read_text("utf-8"), object_hook=hook):
                yield key_of(row), list(said(row))

        outputs.__name__ = f"{kind}-{file.stem}"  # the name of the file of digests
        return outputs

    files = sorted((Path(__file__).parent / "cases" / kind).glob("*.json"))
    return {file.stem: outputs_of(file) for file in files}


def raised(error: Any) -> Any:
    """Return the exception that an object stands for, by its class, arguments, attributes and cause.

    Of a list of texts, each is the cause of the one before.
    """
    if isinstance(error, list):
        cause = {"cause": error[1:]} if error[1:] else {}
        error = {"class": "ValueError", "args": error[:1], **cause}
    if not isinstance(error, dict):
        return error
    own = {name: value for name, value in error.items() if name not in ("class", "args", "cause")}
    kind = getattr(builtins, error["class"], None) or type(error["class"], (Exception,), {})
    made = kind(*error.get("args", []))
    vars(made).update(own)
    made.__cause__ = raised(error["cause"]) if "cause" in error else None
    return made
