"""What a schema asks of a value beside its type, in words: `at most 80 characters`, `format date`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from toolgen.schema.facts import conjuncts, values_of
from toolgen.schema.ir import Schema
from toolgen_runtime.schema.keywords import LIMITS

MAX_TEXT: Final = 80
"""Characters of a pattern or of a list of values that is shown."""


def constraint_texts(schema: Schema) -> list[str]:
    """Return the constraints of a schema, and of all that must hold with it, each once."""
    return list(dict.fromkeys(text for one in conjuncts(schema) for text in _own(one)))


def _own(schema: Schema) -> Iterator[str]:
    values = values_of(schema)
    if values is not None and not all(isinstance(value, str) for value in values):
        yield _short(f"one of {', '.join(map(_json, values))}")
    for keyword, value in schema.assertions.items():
        if (limit := LIMITS.get(keyword)) is not None:
            yield limit.said(value)
        elif keyword == "format":
            yield f"format {value}"
        elif keyword == "pattern":
            yield _short(f"pattern {value}")
        elif keyword == "uniqueItems" and value is True:
            yield "no duplicates"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _short(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
