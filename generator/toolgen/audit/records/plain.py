"""`{"tool": ..., "arguments": ...}`: what any program can write."""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.audit.records.call import Call, Record, Shape


def matches(record: Record) -> bool:
    """Return whether a record names its tool under `tool`."""
    return isinstance(record.get("tool"), str)


def calls(record: Record) -> Iterator[Call]:
    """Yield the call."""
    yield Call(record["tool"], record.get("arguments"))


SHAPE = Shape("plain", matches, calls)
