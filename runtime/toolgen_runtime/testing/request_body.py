"""The body of an HTTP/1.1 request (RFC 9112, section 6), read with a bound on its size and on the time it takes."""

from __future__ import annotations

import re
import time
from email.message import Message
from io import BufferedIOBase
from typing import Final

MAX_BYTES: Final = 25 * 2**20
"""Bytes of a body; more than Bedrock takes."""
MAX_SECONDS: Final = 20.0
"""Seconds in which a body must have come, however slowly its parts do."""

_LENGTH: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
_CHUNK_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,12})[ \t]*(?:;[^\r\n]*)?\r?\n")
_LINE: Final = 1024
"""Bytes of the line before a chunk, and of a trailer."""
_PIECE: Final = 2**16


class BadBodyError(Exception):
    """A body that cannot be read: `status` is the HTTP status that says so, the connection is of no more use."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def read_body(headers: Message, stream: BufferedIOBase, seconds: float = MAX_SECONDS) -> bytes:
    """Return the body of a request; empty where the headers announce none.

    Raises:
        BadBodyError: it is malformed, incomplete, too large or too slow.
        OSError: the client is gone.
    """
    lengths, codings = set(headers.get_all("Content-Length", [])), headers.get_all("Transfer-Encoding", [])
    reader = _Reader(stream, time.monotonic() + seconds)
    if codings:
        if lengths or [coding.strip().lower() for coding in codings] != ["chunked"]:
            raise BadBodyError(400, "Transfer-Encoding can only be chunked, without a Content-Length")
        return reader.chunks()
    if not lengths:
        return b""
    length = lengths.pop()
    if lengths or not _LENGTH.fullmatch(length):
        raise BadBodyError(400, "Content-Length is not one whole number")
    return reader.exactly(int(length))


class _Reader:
    def __init__(self, stream: BufferedIOBase, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline
        self._room = MAX_BYTES

    def exactly(self, size: int) -> bytes:
        self._room -= size
        if self._room < 0:
            raise BadBodyError(413, f"the body is larger than {MAX_BYTES} bytes")
        pieces = []
        while size:
            if time.monotonic() > self._deadline:
                raise BadBodyError(408, "the body came too slowly")
            try:
                piece = self._stream.read1(min(size, _PIECE))
            except TimeoutError:
                raise BadBodyError(408, "the body came too slowly") from None
            if not piece:
                raise BadBodyError(400, "the body is shorter than it was announced")
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def chunks(self) -> bytes:
        pieces = []
        while size := self._chunk_size():
            pieces.append(self.exactly(size))
            if self._line() not in (b"\r\n", b"\n"):
                raise BadBodyError(400, "a chunk is longer than it was announced")
        while self._line() not in (b"\r\n", b"\n"):  # trailers
            continue
        return b"".join(pieces)

    def _chunk_size(self) -> int:
        match = _CHUNK_SIZE.fullmatch(self._line())
        if match is None:
            raise BadBodyError(400, "the size of a chunk is not a hexadecimal number")
        return int(match[1], 16)

    def _line(self) -> bytes:
        line = bytearray()
        while not line.endswith(b"\n"):
            if len(line) >= _LINE:
                raise BadBodyError(400, "a line between chunks is too long")
            line += self.exactly(1)
        return bytes(line)
