"""Server-sent events as they come: bytes in, whole events out (WHATWG HTML, "Server-sent events")."""

from __future__ import annotations

import re
from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import dataclass
from typing import Final

MAX_EVENT: Final = 64 * 1024 * 1024
"""Bytes of an event; a longer one ends the stream."""
_END_OF_LINE: Final = re.compile(rb"\r\n|\n|\r(?!\Z)")
_BOM: Final = b"\xef\xbb\xbf"


class LongEvent(Exception):  # noqa: N818  not an error of the program
    """An event is longer than `MAX_EVENT`."""


@dataclass(frozen=True, slots=True)
class Event:
    """The lines of an event, comments among them."""

    lines: tuple[bytes, ...]

    def value(self, field: bytes) -> bytes:
        """Return the value of a field, its lines joined; empty if the event does not have it."""
        parts = (line.removeprefix(_BOM).partition(b":") for line in self.lines)
        return b"\n".join(value.removeprefix(b" ") for name, _, value in parts if name == field)

    def with_data(self, data: bytes) -> Event:
        """Return the event with other data of one line; its id, name and the rest stay."""
        kept = (line for line in self.lines if line.removeprefix(_BOM).partition(b":")[0] != b"data")
        return Event((*kept, b"data: " + data.strip()))

    def written(self) -> bytes:
        """Return the event as it is sent."""
        return b"\n".join(self.lines) + b"\n\n"


async def events(chunks: AsyncIterable[bytes]) -> AsyncIterator[Event]:
    """Yield the events of a stream; one that is not complete at the end is none.

    Raises:
        LongEvent: one is too long.
    """
    lines: list[bytes] = []
    buffer = bytearray()
    size = searched = 0
    async for chunk in chunks:
        buffer += chunk
        while end := _END_OF_LINE.search(buffer, searched):
            line = bytes(buffer[: end.start()])
            del buffer[: end.end()]
            searched = 0
            if line:
                lines.append(line)
                size += len(line)
            elif lines:
                yield Event(tuple(lines))
                lines, size = [], 0
        searched = max(0, len(buffer) - 1)
        if size + len(buffer) > MAX_EVENT:
            raise LongEvent(f"the server's message has more than {MAX_EVENT:,} bytes")
    if buffer == b"\r" and lines:
        yield Event(tuple(lines))
