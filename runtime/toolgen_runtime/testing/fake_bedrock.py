"""`FakeBedrock`: a Bedrock runtime on 127.0.0.1 for the real boto3, without an account or a network.

It answers `Converse` and `ConverseStream` from a script, refuses a request that Bedrock would refuse, with
the message that Bedrock sends, and damages a stream where a test asks for it.
"""

from __future__ import annotations

import json
import re
import sys
from base64 import b64decode
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote

from toolgen_runtime.testing.replies import Answer, HttpError, encode
from toolgen_runtime.transcript import Violation, check

_PATH = re.compile(r"/model/(?P<model>[^/]+)/(?P<operation>converse|converse-stream)")
_STREAM = "application/vnd.amazon.eventstream"
_DOCUMENTS = ("input", "json")
"""The members of a message that hold the user's own JSON."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as the server got it: the model's id, whether a stream was asked for, the JSON body."""

    model: str
    stream: bool
    body: Mapping[str, Any]

    def violations(self) -> list[Violation]:
        """Return the rules by which Bedrock would refuse it, in the order in which they are checked."""
        request = {**self.body, "messages": _with_blobs(self.body.get("messages")), "modelId": self.model}
        return check(request, "bedrock", streaming=self.stream)


Script = Answer | Callable[[Request], Answer]

_NO_ANSWER = HttpError(400, "FakeBedrockException", "no answer is left: give FakeBedrock one more")


class FakeBedrock:
    """A context manager; `url` is boto3's `endpoint_url`.

    Each accepted request gets the next answer, and `otherwise` after the last one; an answer may be a function of the
    request. As in Bedrock, some rules depend on the model's id. With `enforce=False` every request is accepted.
    `requests` lists every request, `refusals` the broken rule of each refused one.

        with FakeBedrock(Reply([text("Hello")])) as bedrock:
            client = boto3.client("bedrock-runtime", **bedrock.client_options)
    """

    def __init__(self, *answers: Script, otherwise: Script = _NO_ANSWER, enforce: bool = True) -> None:
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """The URL of the endpoint."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def client_options(self) -> dict[str, str]:
        """The options with which `boto3.client("bedrock-runtime", ...)` connects only to it."""
        keys = {"aws_access_key_id": "fake", "aws_secret_access_key": "fake"}
        return {"endpoint_url": self.url, "region_name": "us-east-1", **keys}

    def answer(self, request: Request) -> Answer:
        """Return the answer to a request, and add the request to `requests`."""
        with self._lock:
            self.requests.append(request)
            violations = request.violations() if self.enforce else []
            if violations:
                self.refusals.append(violations[0])
                return HttpError(400, "ValidationException", violations[0].message)
            answer = self._answers.popleft() if self._answers else self.otherwise
        return answer(request) if callable(answer) else answer


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that has gone."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    fake: FakeBedrock
    protocol_version = "HTTP/1.1"
    timeout = 10
    """Seconds that a client may say nothing, between two requests or in one."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        match = _PATH.fullmatch(self.path)
        if match is None:
            self._send_error(HttpError(404, "UnknownOperationException", f"no such operation: {self.path}"))
            return
        try:
            body = json.loads(raw, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as problem:
            self._send_error(HttpError(400, "SerializationException", str(problem)))
            return
        self._answer(Request(unquote(match["model"]), match["operation"] == "converse-stream", body))

    def _answer(self, request: Request) -> None:
        """Send what the script has; a script that breaks is said in an error, and not left to a closed socket."""
        try:
            answer = self.fake.answer(request)
            if isinstance(answer, HttpError):
                self._send_error(answer)
                return
            content = answer.stream() if request.stream else encode(answer.response())
        except Exception as error:
            problem = f"the scripted answer cannot be sent: {type(error).__name__}: {error}"
            self._send_error(HttpError(400, "FakeBedrockException", problem))
            return
        if not request.stream:
            self._send(200, content, {"Content-Length": str(len(content))})
            return
        self.close_connection = answer.reset
        body = b"%x\r\n%b\r\n" % (len(content), content) if content else b""
        body += b"" if answer.reset else b"0\r\n\r\n"
        self._send(200, body, {"Content-Type": _STREAM, "Transfer-Encoding": "chunked"})

    def _send_error(self, error: HttpError) -> None:
        body = json.dumps({"message": error.message}).encode()
        self._send(error.status, body, {"x-amzn-ErrorType": error.code, "Content-Length": str(len(body))})

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | dict(headers)).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: a test's output is not the place for an access log."""


def _with_blobs(value: Any) -> Any:
    """Return a part of the messages with media as bytes, as the SDK has them; on the wire they are base64."""
    if isinstance(value, list):
        return [_with_blobs(item) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("bytes"), str):
        return {**value, "bytes": b64decode(value["bytes"])}
    return {key: item if key in _DOCUMENTS else _with_blobs(item) for key, item in value.items()}


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
