"""JSON-RPC requests `tools/call`, as MCP clients, servers and proxies log them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolgen.audit.records.call import Call, Record, Shape


def matches(record: Record) -> bool:
    """Return whether a record is a message of JSON-RPC."""
    return record.get("jsonrpc") == "2.0"


def calls(record: Record) -> Iterator[Call]:
    """Yield the call of a request; other messages have none."""
    params = record.get("params")
    if record.get("method") == "tools/call" and isinstance(params, Mapping):
        name = params.get("name")
        if isinstance(name, str):
            yield Call(name, params.get("arguments"))


SHAPE = Shape("MCP", matches, calls)
