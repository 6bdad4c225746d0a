"""Recognize the format of a record. Formats with unmistakable keys are tried first.

If a record has both a request and a response, only the response is read, because the request repeats earlier calls. A
record with only messages (`messages`, Gemini's `contents`, a Responses `input`), or with a request and no response, is
a whole conversation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from toolgen.commands.audit.records import traces
from toolgen.commands.audit.records.call import Call, Record, Unreadable, at, mapping, mappings
from toolgen.commands.audit.records.sent import calls_of_messages, calls_of_response
from toolgen_runtime.validation import json_text

NESTED: Final = 4
"""The number of levels of lists, and of text inside text, that are read."""
_HOLDERS: Final = (("response",), ("response", "body"), ("result", "message"))
"""Where a record has the response: in a program's own log, in OpenAI's batches, in Anthropic's batches."""

_ABOVE: Final = ((), ("request",), ("body",))
"""Where a record has the request whose messages are a conversation."""


def _plain(record: Record) -> list[Call] | None:
    """Return the call in a record `{"tool": ..., "arguments": ...}`, a format that any program can write."""
    tool = record.get("tool")
    if isinstance(tool, str):
        return [Call(tool, record.get("arguments"))]
    return None


def _mcp(record: Record) -> list[Call] | None:
    """Return the call in a JSON-RPC request `tools/call`, as MCP clients log it. Other messages have no calls."""
    if record.get("jsonrpc") != "2.0":
        return None
    params = mapping(record.get("params"))
    if record.get("method") == "tools/call" and isinstance(name := params.get("name"), str):
        return [Call(name, params.get("arguments"))]
    return []


def _of_responses(record: Record) -> Iterable[Call] | None:
    """Return the calls in a response, alone or inside its record, or in a conversation; None for any other record."""
    for response in _responses(record):
        found = calls_of_response(response)
        if found is not None:
            return found
    if (messages := _messages(record)) is not None:
        return calls_of_messages(messages)
    is_failure = "custom_id" in record and ("result" in record or "error" in record)
    return [] if is_failure else None


def is_conversation(record: object) -> bool:
    """Return whether a record is a whole conversation, not a single response."""
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
"""The readers of all formats. Each returns the calls in a record, or None if the record has another format."""


def calls_of(record: Any) -> list[Call]:
    """Return the calls that a record contains.

    A record is a value, or the JSON text of a line, and a list counts as several records.

    Raises:
        ValueError: the record is not JSON, or has no known format; the message says which, in a few words.
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
    """Parse a line. `NaN` and lone surrogates are allowed, because Python's `json` writes them."""
    with suppress(ValueError, TypeError):
        return (json_text.parse or json_text.load_parser())(text, cache_strings="keys")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("not JSON") from None
