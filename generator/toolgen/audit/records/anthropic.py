"""Anthropic: messages of the Messages API, alone, beside their request, or as lines of batch results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.audit.records.call import Call, Record, Shape, parsed
from toolgen.audit.records.messages import calls_of_message


def matches(record: Record) -> bool:
    """Return whether a record is a message, or has one under `response`, or a batch's `result`."""
    return _message(record) is not None or _is_result(record)


def calls(record: Record) -> Iterator[Call]:
    """Yield the calls of the message; results of batches that failed have none."""
    message = _message(record)
    if message is not None:
        yield from calls_of_message(message)


def _is_result(record: Record) -> bool:
    result = record.get("result")
    return "custom_id" in record and isinstance(result, Mapping) and isinstance(result.get("type"), str)


def _message(record: Record) -> Record | None:
    result = record.get("result")
    nested: tuple[Any, ...] = (record, parsed(record.get("response")))
    nested += (result.get("message"),) if isinstance(result, Mapping) else ()
    for found in nested:
        if isinstance(found, Mapping) and found.get("role") == "assistant" and "content" in found:
            return found
    return None


SHAPE = Shape("Anthropic", matches, calls)
