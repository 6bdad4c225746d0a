"""A fake Bedrock server on 127.0.0.1 for your tests (`FakeBedrock`). The real boto3 connects to it without an
account.

It responds to `Converse` and `ConverseStream` with scripted replies, rejects each request that Bedrock would reject
with Bedrock's message, and damages a stream if a test asks for this. It needs only the standard library.

A frame of `application/vnd.amazon.eventstream` is u32 total length, u32 headers length, u32 CRC32 of these eight
bytes; the headers (u8 name length, name, type 7 for a string, u16 value length, value); the payload; u32 CRC32 of all
bytes before it. All numbers are big endian (https://smithy.io/2.0/aws/amazon-eventstream.html).
"""

from __future__ import annotations

import json
import re
import struct
import sys
from base64 import b64decode, b64encode
from binascii import crc32
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, zip_longest
from threading import Lock, Thread
from typing import Any, Self
from urllib.parse import unquote

from toolgen_transcripts import Violation, check

__all__ = [
    "FakeBedrock",
    "HttpError",
    "Reply",
    "Request",
    "call",
    "event_frame",
    "reasoning",
    "stream_events",
    "text",
]

Block = Mapping[str, Any]
Event = dict[str, Any]

_USAGE = {"usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {"latencyMs": 1}}
_PATH = re.compile(r"/model/(?P<model>[^/]+)/(?P<operation>converse|converse-stream)")
_DOCUMENTS = ("input", "json")
"""The fields of a message that contain the user's own JSON."""


@dataclass(frozen=True, slots=True)
class HttpError:
    """An error response in place of a reply: an HTTP status, the service's error code and a message."""

    status: int
    code: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """One model response. `converse` sends it at once, and `converse-stream` sends it in pieces.

    `content` is a list of Converse content blocks. `stop_reason` is `tool_use` by default if one of them is a tool use,
    and otherwise `end_turn`. `chunk` is the length of a text fragment in the stream. `interleave` alternates between
    the events of different blocks instead of sending one block after the other. `events` replaces the stream's events
    (boto3 raises an event named `...Exception`), and `body` replaces the body of `converse`.

    Three options damage the stream: `spoilt` gives the frame with this number (counted from 0) a wrong checksum, `cut`
    ends the stream after this many bytes, and `reset` closes the socket at the end without ending the HTTP body.
    """

    content: Sequence[Block] = ()
    stop_reason: str = ""
    chunk: int = 12
    interleave: bool = False
    events: Sequence[Mapping[str, Any]] | None = None
    body: Mapping[str, Any] | None = None
    spoilt: int | None = None
    cut: int | None = None
    reset: bool = False

    def sent(self, *, stream: bool) -> bytes:
        """Return the body of the response.

        It is the body of `converse`, or the frames of `converse-stream` with the faults that the reply asks for.
        """
        calls = any("toolUse" in block for block in self.content)
        stop_reason = self.stop_reason or ("tool_use" if calls else "end_turn")
        if not stream:
            message = {"role": "assistant", "content": self.content}
            whole = {"output": {"message": message}, "stopReason": stop_reason, **_USAGE}
            return _json(whole if self.body is None else self.body)
        events = self.events
        if events is None:
            events = stream_events(self.content, stop_reason, self.chunk, self.interleave)
        frames = [event_frame(event) for event in events]
        if self.spoilt is not None:
            frame = frames[self.spoilt]
            frames[self.spoilt] = frame[:-1] + bytes([frame[-1] ^ 0xFF])
        return b"".join(frames)[: self.cut]


Answer = Reply | HttpError


def text(words: str) -> Block:
    """Return a text block."""
    return {"text": words}


def reasoning(words: str, signature: str = "") -> Block:
    """Return a reasoning block, with a signature if there is one."""
    thought = {"text": words}
    if signature:
        thought["signature"] = signature
    return {"reasoningContent": {"reasoningText": thought}}


def call(call_id: str, name: str, arguments: Any) -> Block:
    """Return a tool use block.

    If `arguments` is a string, the stream sends it unchanged, even if it is not valid JSON.
    """
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": arguments}}


def stream_events(
    content: Sequence[Block], stop_reason: str, chunk: int = 12, interleave: bool = False
) -> list[Event]:
    """Return the ConverseStream events for a message, in the form that boto3 yields."""
    blocks: Iterable[Iterable[Event | None]] = [
        list(_block_events(index, block, chunk)) for index, block in enumerate(content)
    ]
    if interleave:
        blocks = zip_longest(*blocks)
    return [
        {"messageStart": {"role": "assistant"}},
        *filter(None, chain.from_iterable(blocks)),
        {"messageStop": {"stopReason": stop_reason}},
        {"metadata": _USAGE},
    ]


def _block_events(index: int, block: Block, chunk: int) -> Iterator[Event]:
    """Yield the events of one block. Only a tool use has a start event, as with Claude on Bedrock."""
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
            if not isinstance(arguments, str):
                arguments = json.dumps(arguments)
            return [{"toolUse": {"input": piece}} for piece in pieces(arguments)]
        case {"reasoningContent": {"reasoningText": {"text": words, **rest}}}:
            parts = [*({"text": piece} for piece in pieces(words)), *({key: rest[key]} for key in rest)]
            return [{"reasoningContent": part} for part in parts]
        case {"reasoningContent": {"redactedContent": bytes(blob)}}:
            return [{"reasoningContent": {"redactedContent": blob}}]
    raise ValueError(f"FakeBedrock cannot stream a block of {sorted(block)}: pass Reply.events instead")


def event_frame(event: Mapping[str, Any]) -> bytes:
    """Encode one event as bytes. An event has the form that boto3 yields: `{"contentBlockDelta": {...}}`.

    An event whose name ends in `Exception` becomes an exception frame, which boto3 raises.
    """
    ((name, body),) = event.items()
    kind = "exception" if name.endswith("Exception") else "event"
    headers = {":message-type": kind, f":{kind}-type": name, ":content-type": "application/json"}
    named = ((key.encode(), value.encode()) for key, value in headers.items())
    head = b"".join(b"%c%b\7%b%b" % (len(k), k, struct.pack(">H", len(v)), v) for k, v in named)
    payload = _json(body)
    lengths = struct.pack(">II", len(head) + len(payload) + 16, len(head))
    frame = lengths + struct.pack(">I", crc32(lengths)) + head + payload
    return frame + struct.pack(">I", crc32(frame))


def _json(body: object) -> bytes:
    """Return a JSON body. Bytes are written as base64, as the service sends blobs."""
    return json.dumps(body, default=lambda blob: b64encode(blob).decode()).encode()


@dataclass(frozen=True, slots=True)
class Request:
    """One request that the server received: the model's id, whether it asks for a stream, and the JSON body."""

    model: str
    stream: bool
    body: Mapping[str, Any]

    def violations(self) -> list[Violation]:
        """Return the rules that the request breaks, in the order in which Bedrock checks them."""
        request = {**self.body, "messages": _with_blobs(self.body.get("messages")), "modelId": self.model}
        return check(request, "bedrock", streaming=self.stream)


def _with_blobs(value: Any) -> Any:
    """Return a part of the messages with media as bytes, as in the SDK. The HTTP body has them as base64."""
    if isinstance(value, list):
        return [_with_blobs(item) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("bytes"), str):
        return {**value, "bytes": b64decode(value["bytes"])}
    return {key: item if key in _DOCUMENTS else _with_blobs(item) for key, item in value.items()}


Script = Answer | Callable[[Request], Answer]


class FakeBedrock:
    """A fake Bedrock server, to be used as a context manager. Its `url` is the `endpoint_url` for boto3.

    Each accepted request gets the next reply; after the last one, it gets `otherwise`. A reply may be a function of the
    request. As in Bedrock, some rules depend on the model's id. With `enforce=False`, every request is accepted.
    `requests` lists all requests, and `refusals` the broken rule for each rejected request.

        with FakeBedrock(Reply([text("Hello")])) as bedrock:
            client = boto3.client("bedrock-runtime", **bedrock.client_options)
    """

    def __init__(
        self,
        *answers: Script,
        otherwise: Script = HttpError(
            400, "FakeBedrockException", "no reply is left: give FakeBedrock one more"
        ),
        enforce: bool = True,
    ) -> None:
        self.otherwise = otherwise
        self.enforce = enforce
        self.requests: list[Request] = []
        self.refusals: list[Violation] = []
        self._answers = deque(answers)
        self._lock = Lock()
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"fake": self}))
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """The URL of the server."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def client_options(self) -> dict[str, str]:
        """Options for `boto3.client("bedrock-runtime", ...)` that make it connect only to this server."""
        keys = {"aws_access_key_id": "fake", "aws_secret_access_key": "fake"}
        return {"endpoint_url": self.url, "region_name": "us-east-1", **keys}

    def answer(self, request: Request) -> Answer:
        """Add a request to `requests`, and return the reply to it."""
        with self._lock:
            self.requests.append(request)
            violations = request.violations() if self.enforce else []
            if violations:
                self.refusals.append(violations[0])
                return HttpError(400, "ValidationException", violations[0].message)
            answer = self._answers.popleft() if self._answers else self.otherwise
        if callable(answer):
            return answer(request)
        return answer


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore the errors of clients that have closed their connection."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    fake: FakeBedrock
    protocol_version = "HTTP/1.1"
    timeout = 10
    """The number of seconds for which a client may send no data, between two requests or within one."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        match = _PATH.fullmatch(self.path)
        answer: Answer = HttpError(404, "UnknownOperationException", f"no such operation: {self.path}")
        stream, content = False, b""
        if match is not None:
            stream = match["operation"] == "converse-stream"
            answer, content = self._answer(unquote(match["model"]), stream, raw)
        if isinstance(answer, HttpError):
            body = json.dumps({"message": answer.message}).encode()
            self._send(answer.status, body, {"x-amzn-ErrorType": answer.code})
        elif not stream:
            self._send(200, content, {})
        else:
            self.close_connection = answer.reset
            body = b""
            if content:
                body = b"%x\r\n%b\r\n" % (len(content), content)
            if not answer.reset:
                body += b"0\r\n\r\n"
            headers = {"Content-Type": "application/vnd.amazon.eventstream", "Transfer-Encoding": "chunked"}
            self._send(200, body, headers)

    def _answer(self, model: str, stream: bool, raw: bytes) -> tuple[Answer, bytes]:
        """Return the scripted reply and its body. If the script fails, return an error that explains this."""
        try:
            request = Request(model, stream, json.loads(raw, parse_constant=_refuse_constant))
        except (ValueError, RecursionError) as error:
            return HttpError(400, "SerializationException", str(error)), b""
        try:
            answer = self.fake.answer(request)
            return answer, b"" if isinstance(answer, HttpError) else answer.sent(stream=stream)
        except Exception as error:
            problem = f"the scripted reply cannot be sent: {type(error).__name__}: {error}"
            return HttpError(400, "FakeBedrockException", problem), b""

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        if "Transfer-Encoding" not in headers:
            headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
        for header in headers.items():
            self.send_header(*header)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Do nothing, so that tests do not print an access log."""


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
