"""Which shape a record is of; the order is that of how much a shape's keys say.

If a record has a request and the response, only the response is read: the request repeats earlier calls. A record that
has messages alone (`messages`, Gemini's `contents`, a Responses `input`), or a request with them and no response, is a
whole conversation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from toolgen.audit.records import traces
from toolgen.audit.records.call import Call, Record, Unreadable, at, mappings
from toolgen.audit.records.sent import calls_of_messages, calls_of_response
from toolgen_runtime.validation import json_text

NESTED: Final = 4
"""Levels of lists, and of texts in texts, that are opened."""
_HOLDERS: Final = (("response",), ("response", "body"), ("result", "message"))
"""Where a record has the response that it is about: its own log, OpenAI's batches, Anthropic's batches."""

_ABOVE: Final = ((), ("request",), ("body",))
"""Where a record has the request whose messages are a conversation."""


def _plain(record: Record) -> list[Call] | None:
    """Return the call of `{"tool": ..., "arguments": ...}`, which any program can write."""
    tool = record.get("tool")
    return [Call(tool, record.get("arguments"))] if isinstance(tool, str) else None


def _mcp(record: Record) -> list[Call] | None:
    """Return the call of a request `tools/call` of JSON-RPC, as MCP clients log it; other messages have none."""
    if record.get("jsonrpc") != "2.0":
        return None
    params = record.get("params") if record.get("method") == "tools/call" else None
    if isinstance(params, Mapping) and isinstance(name := params.get("name"), str):
        return [Call(name, params.get("arguments"))]
    return []


def _of_responses(record: Record) -> Iterable[Call] | None:
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


READERS: Final[tuple[Callable[[Record], Iterable[Call] | None], ...]] = (
    _plain,
    traces.calls_of,
    _mcp,
    _of_responses,
)
"""Each returns the calls of a record of its shape, and None for any other record."""


def calls_of(record: Any) -> list[Call]:
    """Return the calls of a record: the JSON text of a line, or a value; a list is that of its items.

    Raises:
        ValueError: it is not JSON, or of no shape; the message says which, in a few words.
    """
    return list(_calls(record, NESTED))


def _calls(record: Any, levels: int) -> Iterable[Call]:
    if isinstance(record, Mapping):
        found = next((calls for read in READERS if (calls := read(record)) is not None), None)
        if found is not None:
            return found
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
