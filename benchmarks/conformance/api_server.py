"""An endpoint on 127.0.0.1 that keeps the requests of any API, and the rules that a request breaks.

Each request is answered with an error after which no client retries, because only the request matters.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from api_cases import Request

from toolgen_transcripts import check

_ANSWER = json.dumps(
    {"error": {"message": "recorded", "type": "invalid_request_error", "code": 400}}
).encode()


class Recorder:
    """The endpoint, while it is open: `url`, and the bodies that it has received."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                recorder.bodies.append(json.loads(self.rfile.read(length) or b"{}"))
                self.send_response(400)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(_ANSWER)))
                self.end_headers()
                self.wfile.write(_ANSWER)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Recorder:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def rules_broken(case: Request, body: dict[str, Any]) -> list[int]:
    """Return the rules that a request breaks; Gemini has the model in the address."""
    whole = {"model": case.model_id, **body}
    return [violation.rule for violation in check(whole, case.api, moved=case.moved)]
