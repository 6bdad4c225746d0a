"""OpenAI: chat completions and responses, lines of batch outputs, and conversations as for fine-tuning.

Of a record with the request beside the response, only the response is read: the request repeats earlier calls. A
record that has `messages` alone is a whole conversation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.audit.records.call import Call, Record, Shape, mappings, parsed
from toolgen.audit.records.messages import calls_of_blocks, calls_of_message, calls_of_messages


def matches(record: Record) -> bool:
    """Return whether a record is one of these, or has one under `response`."""
    return _response(record) is not None or isinstance(parsed(record.get("messages")), list)


def calls(record: Record) -> Iterator[Call]:
    """Yield the calls of the response, or of the conversation."""
    response = _response(record)
    if response is None:
        # Anthropic's messages have the same key; both forms of a call are read.
        yield from calls_of_messages(parsed(record.get("messages")))
        return
    for choice in mappings(response.get("choices")):
        if isinstance(choice.get("message"), Mapping):
            yield from calls_of_message(choice["message"])
    yield from calls_of_blocks(response.get("output"))


def _response(record: Record) -> Record | None:
    """Return the response in a record: itself, or what stands under `response`, or in its `body` (batches)."""
    for found in _nested(record):
        if found.get("object") in ("chat.completion", "response") or isinstance(found.get("choices"), list):
            return found
    return None


def _nested(record: Record) -> Iterator[Record]:
    at: Any = record
    for key in ("response", "body", ""):
        if not isinstance(at, Mapping):
            return
        yield at
        at = parsed(at.get(key))


SHAPE = Shape("OpenAI", matches, calls)
