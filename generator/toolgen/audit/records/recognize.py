"""Which shape a record is of; the order is that of how much a shape's keys say."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from toolgen.audit.records import responses, traces
from toolgen.audit.records.call import Call, Record, Unreadable
from toolgen_runtime.validation import json_text

NESTED: Final = 4
"""Levels of lists, and of texts in texts, that are opened."""


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


READERS: Final[tuple[Callable[[Record], Iterable[Call] | None], ...]] = (
    _plain,
    traces.calls_of,
    _mcp,
    responses.calls_of,
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
