"""`ReverseProxy`: an ASGI application in front of an MCP server over streamable HTTP; see docs/proxy.md."""

from __future__ import annotations

import re
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from typing import Any, Final

import anyio
import uvicorn
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolgen.servers.call_filter import CallFilter, ToolList
from toolgen.servers.http_client import (
    MAX_BODY,
    MESSAGE,
    METHOD,
    PARAM,
    SESSION_ID,
    Headers,
    HttpClient,
    httpx,
    mirrored_again,
    parts_of,
    passed_on,
    raw,
    reason_of,
)
from toolgen.servers.messages import Json, Message, failure, list_request, read
from toolgen_runtime.calls.kept import Recent

MOST_CONNECTIONS: Final = 1_000
INVALID_REQUEST: Final = -32600
_CREDENTIALS: Final = re.compile(rb"mcp-session-id|cookie|.*(?:key|token|secret|auth|tenant).*")
"""Headers that a server may list its tools by (MCP 2026-07-28, server/tools, "Listing Tools")."""
_OF_ONE_REQUEST: Final = (b"accept", b"last-event-id", b"mcp-name")
_HOST: Final = r"(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]{1,5})?"
_LOCAL: Final = {"host": re.compile(f"(?i){_HOST}"), "origin": re.compile(f"(?i)https?://{_HOST}")}


class ReverseProxy:
    """Passes requests and responses between HTTP clients and one server, and answers wrong calls."""

    def __init__(
        self, http: HttpClient, make_tools: Callable[[], ToolList], *, local_only: bool = True
    ) -> None:
        """`make_tools` is called once for each session; `local_only` refuses requests of web pages."""
        self._http, self._make_tools, self._local_only = http, make_tools, local_only
        self._clients: Recent[tuple[tuple[bytes, bytes], ...], CallFilter] = Recent()
        """By session and credentials, so that no call is checked against another client's tools."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; abandon it if the client disconnects."""
        request = Request(scope, receive)
        try:
            body = await self._body(request)
        except HTTPException as refused:
            message = failure(None, refused.detail, INVALID_REQUEST)
            await _answer(message, refused.status_code, connection="close")(scope, receive, send)
            return
        except ClientDisconnect:
            return
        async with anyio.create_task_group() as group:

            async def leave() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                group.cancel_scope.cancel()

            group.start_soon(leave)
            await self._relay(request, body, send)
            group.cancel_scope.cancel()

    async def _body(self, request: Request) -> bytes:
        """Return the body of a request that may go on.

        Raises:
            HTTPException: the request is refused.
        """
        headers = request.headers
        if "content-length" in headers and "transfer-encoding" in headers:  # RFC 9112, section 6.1
            raise HTTPException(400, "the body has a Content-Length and a Transfer-Encoding")
        if request.method in ("CONNECT", "TRACE"):
            raise HTTPException(405, f"{request.method} is not passed on")
        for name, value in headers.items():  # of a web page (MCP, "Security Warning")
            if self._local_only and name in _LOCAL and not _LOCAL[name].fullmatch(value):
                raise HTTPException(403, f"{name} is not this machine: the proxy serves local clients only")
        if request.scope["path"] != self._http.url.path:
            raise HTTPException(404, f"the proxy serves {self._http.url.path}")
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_BODY:
                raise HTTPException(413, f"the body has more than {MAX_BODY} bytes")
        return bytes(body)

    async def _relay(self, request: Request, body: bytes, send: Send) -> None:
        message = read(body) if request.method == "POST" else Message(body)
        headers = passed_on(request.headers.raw)
        calls = self._calls_of(headers)
        calls.note(message)
        if message.is_call or message.cancels:
            decision = await calls.decide(message, partial(self._tools_page, headers, message))
            if decision.answers:
                await _answer(decision)(request.scope, request.receive, send)
                return
            if decision is not message:
                schema = calls.tools.schemas.get(message.params["name"])
                headers, message = mirrored_again(headers, message, decision, schema), decision
        is_begun = False
        try:
            async with self._http.send(request.method, headers, message.data, request.url.query) as response:
                passed = [pair for pair in passed_on(response.headers.raw) if pair[0] != b"content-encoding"]
                start = {"type": "http.response.start", "status": response.status_code, "headers": passed}
                async for data, part in parts_of(response):
                    if not is_begun:
                        await send(start)
                        is_begun = True
                    if (changed := calls.passed(part)) is not part:
                        data = data.replace(part.data, changed.data.strip())
                    await send({"type": "http.response.body", "body": data, "more_body": True})
        except httpx.HTTPError as error:
            if not is_begun:
                answer = _answer(failure(message.value.get("id"), reason_of(error)), 502)
                await answer(request.scope, request.receive, send)
                return
        await send({"type": "http.response.body", "body": b""})

    def _calls_of(self, headers: Headers) -> CallFilter:
        """Return the filter of a client. Requests without a session share only the tools: their ids may be equal."""
        key = tuple(sorted(pair for pair in headers if _CREDENTIALS.fullmatch(pair[0])))
        known = self._clients.pop(key) if key in self._clients else CallFilter(self._make_tools())
        self._clients[key] = known
        return known if SESSION_ID.encode() in dict(key) else CallFilter(known.tools)

    async def _tools_page(self, headers: Headers, call: Message, cursor: str | None) -> Json | None:
        """Ask for a page of the tools as the client of a call; return None if the server does not give it."""
        sent = [
            (name, b"tools/list" if name == METHOD else value)
            for name, value in headers
            if name not in _OF_ONE_REQUEST and not name.startswith((PARAM, b"content-"))
        ]
        request = list_request(f"toolgen-{secrets.token_hex(8)}", cursor, call)
        with suppress(httpx.HTTPError):
            async with self._http.send("POST", [*sent, *raw(MESSAGE)], request.data) as response:
                async for _, part in parts_of(response):
                    if part.answers == request.asks:
                        return part.result
        return None


def _answer(message: Message, status: int = 200, **headers: str) -> Response:
    return Response(message.data, status, headers, media_type="application/json")


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any.

    Raises:
        OSError: the address is taken, or is not of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # without it a call takes 40 ms more
    return listening


def serve(http: HttpClient, make_tools: Callable[[], ToolList], listening: socket.socket) -> None:
    """Serve until a signal asks to end; then leave as the signal does."""
    is_local = ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback
    application = ReverseProxy(http, make_tools, local_only=is_local)
    uvicorn.Server(config_of(application)).run(sockets=[listening])


def config_of(application: Any) -> uvicorn.Config:
    """Return the settings for an application: malformed requests are answered, and nothing is logged."""
    quiet: Any = {"log_config": None, "log_level": "critical", "access_log": False}
    bare: Any = {"proxy_headers": False, "server_header": False, "date_header": False}
    limits: Any = {"limit_concurrency": MOST_CONNECTIONS, "timeout_graceful_shutdown": 1}
    return uvicorn.Config(application, http="h11", ws="none", lifespan="off", **quiet, **bare, **limits)
