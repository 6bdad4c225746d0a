"""Lines of any length, read in bounded memory; of one that is too long the ends are kept, so that it has an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final, Literal

from toolgen.servers.messages import answer
from toolgen.servers.written import members

MAX_LINE: Final = 64 * 1024 * 1024
"""Bytes of a line that is read."""
TOO_LONG: Final = -32600
"""`Invalid Request` (JSON-RPC 2.0, 5.1)."""
_END: Final = 4_096
"""Bytes at either end of a longer line that are looked at."""

_STRING: Final = rb'"[^"\\]*"'
_PAIR: Final = rb'"(?:jsonrpc|id|method)"\s*:\s*(?:%s|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)' % _STRING
_HEAD: Final = re.compile(rb"\s*\{\s*((?:%s\s*,\s*)*)(?:\"(\w+)\")?" % _PAIR)
_TAIL: Final = re.compile(rb",\s*(%s(?:\s*,\s*%s)*)\s*\}\s*\Z" % (_PAIR, _PAIR))


@dataclass(frozen=True, slots=True)
class LongLine:
    """A line of more than `MAX_LINE` bytes, of which only the ends were kept."""

    head: bytes
    tail: bytes

    @property
    def kind(self) -> Literal["request", "answer", ""]:
        """What the line is, where its ends say so: a request that is to be answered, or an answer."""
        members = self._members().keys()
        if "id" not in members:
            return ""
        if members & {"result", "error"}:
            return "answer"
        return "request" if members & {"method", "params"} else ""

    def refusal(self, whose: str) -> bytes:
        """Return an error that stands for the answer to this line, or for the answer that it is."""
        message = f"the message of the {whose} has more than {MAX_LINE:,} bytes"
        error = {"code": TOO_LONG, "message": message}
        return answer(self._members().get("id", "null"), error=error)

    def _members(self) -> dict[str, str]:
        """Return the members of the object that stand at its ends, as written; of one that is cut off the name alone.

        Members at the end belong to the object itself where they stand before its last brace: were they within a
        text, its quotes would be escaped.
        """
        head, tail = _HEAD.match(self.head), _TAIL.search(self.tail)
        pairs = [*([head[1].rstrip().rstrip(b",")] if head else []), *([tail[1]] if tail else [])]
        found: dict[str, str] = {}
        for pair in filter(None, pairs):
            try:
                text = (b"{%s}" % pair).decode()
                json.loads(text)
            except ValueError:  # such as a number with a zero before it, or what is not UTF-8
                continue
            found |= members(text)
        if head and head[2]:
            found.setdefault(head[2].decode("ascii", "replace"), "null")
        return found


def logged(whose: str) -> bytes:
    """Return the line of the log about a line that does not go on."""
    return (
        f"toolgen proxy: a line of the {whose} has more than {MAX_LINE:,} bytes and does not go on\n".encode()
    )


def read_lines(stream: IO[bytes]) -> Iterator[bytes | LongLine]:
    """Yield the lines of a stream; of one with more than `MAX_LINE` bytes, with its line feed, the ends."""
    most = MAX_LINE
    while data := stream.readline(most + 1):
        if len(data) <= most:
            yield data
            continue
        head, tail = data[:_END], data[-_END:]
        while not data.endswith(b"\n") and (data := stream.readline(_END)):
            tail = (tail + data)[-_END:]
        yield LongLine(head, tail)
