"""Server-sent events as they come: bytes in, whole events out, with their data (WHATWG HTML, "Server-sent events")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MAX_EVENT: Final = 64 * 1024 * 1024
"""Bytes of an event that is read; a longer one passes unread."""
_END: Final = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))")
_LINE: Final = re.compile(rb"([^\r\n]*)(\r\n|\n|\r|$)")
_LONGEST_END: Final = 4
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Event:
    """An event with the empty line that ends it, as it came; `data` is empty where it has none.

    Of one that is too long, `raw` is a part, and `data` is not read.
    """

    raw: bytes
    data: bytes = b""
    is_part: bool = False

    def with_data(self, data: bytes) -> bytes:
        """Return the event with other data of one line; its id, name and the rest stay."""
        parts: list[bytes] = []
        replaced = False
        for line, end in _lines(self.raw):
            if not _is_data(line):
                parts.append(line + end)
            elif not replaced:
                replaced = True
                parts.append(b"data: " + data.strip() + end)
        return b"".join(parts)


class EventSplitter:
    """Puts events together from chunks; nothing is lost or added."""

    def __init__(self, max_event: int = MAX_EVENT) -> None:
        self._max = max_event
        self._buffer = bytearray()
        self._searched = 0
        self._skips = False
        """Whether the event is too long, and passes in parts."""

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """Yield the events that a chunk completes."""
        self._buffer += chunk
        while match := _END.search(self._buffer, self._searched):
            if match.end() == len(self._buffer) and self._buffer.endswith(b"\r"):
                return  # a line feed may belong to it
            raw = bytes(self._buffer[: match.end()])
            del self._buffer[: match.end()]
            self._searched = 0
            yield Event(raw, is_part=True) if self._skips else Event(raw, data_of(raw))
            self._skips = False
        self._searched = max(0, len(self._buffer) - _LONGEST_END)
        if len(self._buffer) > self._max:
            self._skips = True
            kept = len(self._buffer) - _LONGEST_END  # the end of the event may have begun
            yield Event(bytes(self._buffer[:kept]), is_part=True)
            del self._buffer[:kept]
            self._searched = 0

    def rest(self) -> bytes:
        """Return what came after the last event."""
        return bytes(self._buffer)


def data_of(raw: bytes) -> bytes:
    """Return the data of an event, its lines joined."""
    found = [line for line, _ in _lines(raw.removeprefix(_BOM)) if _is_data(line)]
    return b"\n".join(line.partition(b":")[2].removeprefix(b" ") for line in found)


def _is_data(line: bytes) -> bool:
    return line.removeprefix(_BOM).partition(b":")[0] == b"data"


def _lines(raw: bytes) -> Iterator[tuple[bytes, bytes]]:
    for match in _LINE.finditer(raw):
        if match[0]:
            yield match[1], match[2]
