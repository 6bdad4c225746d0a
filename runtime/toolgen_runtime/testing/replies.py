"""What a `FakeBedrock` answers: scripted messages, exact event streams, HTTP errors, faults of the wire.

A frame of `application/vnd.amazon.eventstream` is u32 total length, u32 headers length, u32 CRC32 of those eight
bytes; the headers (u8 name length, name, type 7 for a string, u16 value length, value); the payload; u32 CRC32 of all
before. Big endian throughout (https://smithy.io/2.0/aws/amazon-eventstream.html).
"""

from __future__ import annotations

import json
import struct
from base64 import b64encode
from binascii import crc32
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

Block = Mapping[str, Any]
Event = dict[str, Any]
Content = Sequence[Block]

USAGE = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
METRICS = {"latencyMs": 1}
_STRING = 7
_PRELUDE = 12
_TRAILER = 4


@dataclass(frozen=True, slots=True)
class HttpError:
    """An error instead of a reply: the HTTP status, the service's error code, its message."""

    status: int
    code: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of the model, served whole by `converse` and in pieces by `converse-stream`.

    `content` is a list of Converse content blocks; `stop_reason` defaults to `tool_use` where one of them is
    a tool use, else to `end_turn`. `chunk` is the length of a text fragment in the stream; `interleave` sends
    the blocks' events in turns instead of block after block. `events` replaces the stream's events by exactly
    these (an event named `...Exception` is raised by boto3), `body` the body of `converse`.

    Faults of the stream: `spoilt` gives the frame of that number (from 0) a wrong checksum; `cut` ends the
    stream after that many bytes; `reset` closes the socket at the end without ending the HTTP body.
    """

    content: Content = ()
    stop_reason: str = ""
    chunk: int = 12
    interleave: bool = False
    events: Sequence[Mapping[str, Any]] | None = None
    body: Mapping[str, Any] | None = None
    spoilt: int | None = None
    cut: int | None = None
    reset: bool = False

    def stop(self) -> str:
        """Return the reply's stop reason."""
        calls = any("toolUse" in block for block in self.content)
        return self.stop_reason or ("tool_use" if calls else "end_turn")

    def response(self) -> Mapping[str, Any]:
        """Return the body of `converse`."""
        if self.body is not None:
            return self.body
        message = {"role": "assistant", "content": list(self.content)}
        return {
            "output": {"message": message},
            "stopReason": self.stop(),
            "usage": USAGE,
            "metrics": METRICS,
        }

    def stream(self) -> bytes:
        """Return the body of `converse-stream`: frames, with the faults that were asked for."""
        events = self.events
        if events is None:
            events = stream_events(self.content, self.stop(), self.chunk, self.interleave)
        frames = [event_frame(event) for event in events]
        if self.spoilt is not None:
            frame = frames[self.spoilt]
            frames[self.spoilt] = frame[:-1] + bytes([frame[-1] ^ 0xFF])
        return b"".join(frames)[: self.cut]


def text(words: str) -> Block:
    """Return a text block."""
    return {"text": words}


def reasoning(words: str, signature: str = "") -> Block:
    """Return a reasoning block, signed where a signature is given."""
    signed = {"signature": signature} if signature else {}
    return {"reasoningContent": {"reasoningText": {"text": words, **signed}}}


def call(call_id: str, name: str, arguments: Any) -> Block:
    """Return a tool use block; `arguments` may be a text, which the stream then sends as it is, valid or not."""
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": arguments}}


def stream_events(
    content: Content, stop_reason: str, chunk: int = 12, interleave: bool = False
) -> list[Event]:
    """Return the ConverseStream events of a message, as boto3 hands them over."""
    blocks = [list(_block_events(index, block, chunk)) for index, block in enumerate(content)]
    in_turns = chain.from_iterable(zip_longest(*blocks)) if interleave else chain.from_iterable(blocks)
    return [
        {"messageStart": {"role": "assistant"}},
        *(event for event in in_turns if event is not None),
        {"messageStop": {"stopReason": stop_reason}},
        {"metadata": {"usage": USAGE, "metrics": METRICS}},
    ]


def _block_events(index: int, block: Block, chunk: int) -> Iterator[Event]:
    """Yield the events of one block. Only a tool use has a start, as Claude on Bedrock sends it."""
    if "toolUse" in block:
        start = {key: value for key, value in block["toolUse"].items() if key != "input"}
        yield {"contentBlockStart": {"start": {"toolUse": start}, "contentBlockIndex": index}}
    for delta in _deltas(block, chunk):
        yield {"contentBlockDelta": {"delta": delta, "contentBlockIndex": index}}
    yield {"contentBlockStop": {"contentBlockIndex": index}}


def _deltas(block: Block, chunk: int) -> list[Event]:
    def pieces(words: str) -> list[str]:
        return [words[start : start + chunk] for start in range(0, len(words), chunk)]

    match block:
        case {"text": str(words)}:
            return [{"text": piece} for piece in pieces(words)]
        case {"toolUse": {"input": arguments}}:
            written = arguments if isinstance(arguments, str) else json.dumps(arguments)
            return [{"toolUse": {"input": piece}} for piece in pieces(written)]
        case {"reasoningContent": {"reasoningText": {"text": words, **rest}}}:
            signed = [{key: value} for key, value in rest.items()]
            return [{"reasoningContent": part} for part in [*({"text": p} for p in pieces(words)), *signed]]
        case {"reasoningContent": {"redactedContent": bytes(blob)}}:
            return [{"reasoningContent": {"redactedContent": blob}}]
    raise ValueError(f"FakeBedrock cannot stream a block of {sorted(block)}: pass Reply.events instead")


def event_frame(event: Mapping[str, Any]) -> bytes:
    """Return the frame of one event as boto3 hands it over: `{"contentBlockDelta": {...}}`.

    An event whose name ends in `Exception` becomes an exception frame, which boto3 raises.
    """
    ((name, body),) = event.items()
    kind = "exception" if name.endswith("Exception") else "event"
    headers = {":message-type": kind, f":{kind}-type": name, ":content-type": "application/json"}
    head = b"".join(
        struct.pack(
            f">B{len(key)}sBH{len(value)}s", len(key), key.encode(), _STRING, len(value), value.encode()
        )
        for key, value in headers.items()
    )
    payload = encode(body)
    lengths = struct.pack(">II", _PRELUDE + len(head) + len(payload) + _TRAILER, len(head))
    frame = lengths + struct.pack(">I", crc32(lengths)) + head + payload
    return frame + struct.pack(">I", crc32(frame))


def encode(body: object) -> bytes:
    """Return a JSON body; bytes stand in it as base64, as the service sends blobs."""
    return json.dumps(body, default=lambda blob: b64encode(blob).decode()).encode()


Answer = Reply | HttpError
