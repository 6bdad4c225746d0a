"""Responses of any provider, alone, with their request, or as lines of batch results; and conversations.

If a record has the request and the response, only the response is read: the request repeats earlier calls. A
record that has messages alone (`messages`, Gemini's `contents`, a Responses `input`), or a request with them and no
response, is a whole conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from toolgen.audit.records.call import Call, Record, at, mappings
from toolgen.audit.records.sent import calls_of_messages, calls_of_response

_HOLDERS: Final = (("response",), ("response", "body"), ("result", "message"))
"""Where a record has the response that it is about: its own log, OpenAI's batches, Anthropic's batches."""

_ABOVE: Final = ((), ("request",), ("body",))
"""Where a record has the request whose messages are a conversation."""


def calls_of(record: Record) -> Iterable[Call] | None:
    """Return the calls of a response, alone or in its holder, or of a conversation; None for any other record."""
    for response in _responses(record):
        found = calls_of_response(response)
        if found is not None:
            return found
    if (messages := _messages(record)) is not None:
        return calls_of_messages(messages)
    is_failure = "custom_id" in record and ("result" in record or "error" in record)
    return [] if is_failure else None


def is_conversation(record: object) -> bool:
    """Return whether a record is a whole conversation, and not the response that it holds."""
    return (
        isinstance(record, Mapping)
        and _messages(record) is not None
        and all(calls_of_response(each) is None for each in _responses(record))
    )


def _responses(record: Record) -> Iterator[Record]:
    yield record
    yield from mappings([at(record, *path) for path in _HOLDERS])


def _messages(record: Record) -> Any:
    every = (at(record, *above, key) for above in _ABOVE for key in ("messages", "contents", "input"))
    return next((found for found in every if isinstance(found, list)), None)
