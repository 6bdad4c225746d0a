"""Which shape a record is of; the order is that of how much a shape's keys say."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolgen.audit.records import langfuse, langsmith, mcp, opentelemetry, plain, responses
from toolgen.audit.records.call import Call, Shape, Unreadable
from toolgen_runtime.validation import json_text

SHAPES: Final[tuple[Shape, ...]] = (
    plain.SHAPE,
    opentelemetry.SHAPE,
    langsmith.SHAPE,
    langfuse.SHAPE,
    mcp.SHAPE,
    responses.SHAPE,
)
NESTED: Final = 4
"""Levels of lists, and of texts in texts, that are opened."""


def calls_of(record: Any) -> list[Call]:
    """Return the calls of a record: the JSON text of a line, or a value; a list is that of its items.

    Raises:
        ValueError: it is not JSON, or of no shape; the message says which, in a few words.
    """
    return list(_calls(record, NESTED))


def _calls(record: Any, levels: int) -> Iterable[Call]:
    if isinstance(record, Mapping):
        for shape in SHAPES:
            if shape.matches(record):
                return shape.calls(record)
        raise ValueError("not a record of calls")
    if isinstance(record, Unreadable):
        raise ValueError(record.reason)
    if not levels or not isinstance(record, str | bytes | list):
        raise ValueError("not a record of calls")
    if isinstance(record, list):
        return [call for item in record for call in _calls(item, levels - 1)]
    return _calls(value_of(record), levels - 1)


def value_of(text: str | bytes) -> Any:
    """Return the value of a line; `NaN` and lone surrogates, which Python's `json` writes, are allowed."""
    try:
        return (json_text.parse or json_text.load_parser())(text, cache_strings="keys")
    except (ValueError, TypeError):
        pass
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("not JSON") from None
