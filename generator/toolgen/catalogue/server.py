"""The page on a local server, which checks payloads that are tried. On loopback only, for a person at this machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from toolgen.explanation import explain
from toolgen_runtime.validation.json_text import read
from toolgen_runtime.validation.toolset import Toolset

HOST: Final = "127.0.0.1"
MAX_BODY: Final = 1_000_000
"""Bytes of a request's body."""
TIMEOUT: Final = 10
"""Seconds that a client has for its request."""


def answer(toolsets: Mapping[str, Toolset], request: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is said of one payload: whether it is valid, its issues, the hint, and what repair makes of it.

    Raises:
        KeyError: no such tool.
    """
    toolset = toolsets[str(request.get("group") or "")]
    text = str(request.get("text") or "")
    return explain(toolset, str(request.get("tool")), text.encode("utf-8", "replace")).to_dict()


def serve(page: str, toolsets: Mapping[str, Toolset], port: int = 0) -> ThreadingHTTPServer:
    """Return a server on 127.0.0.1 that has the page at `/` and takes payloads at `/check`; it is not started.

    Raises:
        OSError: the port is taken.
    """

    class Handler(BaseHTTPRequestHandler):
        timeout = TIMEOUT
        server_version, sys_version = "toolgen", ""

        def do_GET(self) -> None:
            if not self._is_own():
                self._say(HTTPStatus.FORBIDDEN, {"error": "this server is for the machine that it runs on"})
            elif self.path.partition("?")[0] != "/":
                self._say(HTTPStatus.NOT_FOUND, {"error": "there is one page, at /"})
            else:
                self._send(HTTPStatus.OK, "text/html; charset=utf-8", page.encode("utf-8"))

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_POST(self) -> None:
            if not self._is_own() or self.headers.get_content_type() != "application/json":
                self._say(HTTPStatus.FORBIDDEN, {"error": "payloads come as JSON, from the page itself"})
            elif self.path != "/check":
                self._say(HTTPStatus.NOT_FOUND, {"error": "payloads are checked at /check"})
            else:
                self._say(*self._checked())

        def _checked(self) -> tuple[HTTPStatus, dict[str, Any]]:
            length = self.headers.get("Content-Length", "")
            if not length.isdecimal() or len(length) > 12:
                return HTTPStatus.LENGTH_REQUIRED, {"error": "Content-Length is not a number"}
            if int(length) > MAX_BODY:
                return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, {"error": f"at most {MAX_BODY} bytes"}
            request, issues = read(self.rfile.read(int(length)))
            if issues or not isinstance(request, dict):
                return HTTPStatus.BAD_REQUEST, {"error": "the request is not a JSON object"}
            try:
                return HTTPStatus.OK, answer(toolsets, request)
            except KeyError:
                return HTTPStatus.NOT_FOUND, {"error": "there is no such tool"}

        def _is_own(self) -> bool:
            """Say whether a request names this server: a page of another site, under a name of its own, does not."""
            host = f"{HOST}:{self.server.server_port}"  # type: ignore[attr-defined]
            names = {host, host.replace(HOST, "localhost")}
            origin = self.headers.get("Origin")
            return self.headers.get("Host") in names and (
                origin is None or origin.removeprefix("http://") in names
            )

        def _say(self, status: HTTPStatus, value: dict[str, Any]) -> None:
            self._send(status, "application/json", json.dumps(value).encode())

        def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return _Server((HOST, port), Handler)


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that has gone."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)
