"""`ReverseProxy`: an ASGI application in front of an MCP server over streamable HTTP.

Requests and responses pass with their headers, bodies and streams as they are, but for calls whose arguments are wrong.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterable, MutableMapping
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from typing import Any, Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolgen.servers.call_checks import CallChecks
from toolgen.servers.http_client import (
    Headers,
    HttpClient,
    httpx,
    is_event_stream,
    media_type,
    messages_in,
    passed_on,
)
from toolgen.servers.http_sessions import HttpSessions, tools_page
from toolgen.servers.messages import INTERNAL_ERROR, Received, failure, is_call, params_of, read, written
from toolgen.servers.mirrored_headers import METHOD, PARAM, agree, param_headers

INVALID_REQUEST: Final = -32600
MAX_BODY: Final = 64 * 1024 * 1024
"""Bytes of a request, and of a response that is read; a longer response passes unread."""
MAX_HELD: Final = 256 * 1024 * 1024
"""Bytes of the bodies of all requests in progress."""
_Passed = Callable[[Received], bytes]
_HOST: Final = r"(?P<host>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?"
_LOCAL: Final = {"host": re.compile(_HOST), "origin": re.compile(rf"https?://{_HOST}")}


class _Refused(Exception):  # noqa: N818  it is answered, not raised to anyone
    """A request that does not go on, with the answer to it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class ReverseProxy:
    """Relays to one server; see docs/proxy.md."""

    def __init__(
        self, http: HttpClient, make_checks: Callable[[], CallChecks], *, local_only: bool = True
    ) -> None:
        """`make_checks` is asked once for each session; `local_only` refuses requests to names of other hosts."""
        self._http = http
        self._sessions = HttpSessions(make_checks)
        self._local_only = local_only
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; leave it if the client disconnects."""
        body = bytearray()

        def release() -> None:
            self._held -= len(body)
            body.clear()

        async def sent(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.body" and not message.get("more_body"):
                release()  # before the client knows that its request is over
            await send(message)

        try:
            await self._answered(Request(scope, receive), body, sent)
        finally:
            release()

    async def _answered(self, request: Request, body: bytearray, send: Send) -> None:
        scope, receive = request.scope, request.receive
        try:
            await self._read(request, body)
        except _Refused as refused:
            response = _answer(refused.status, failure(None, str(refused), INVALID_REQUEST))
            response.headers["connection"] = "close"
            await response(scope, receive, send)
            return
        except ClientDisconnect:
            return
        relayed = asyncio.create_task(self._relay(request, bytes(body), send))
        gone = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait((relayed, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            if not relayed.done():
                relayed.cancel()
        with suppress(asyncio.CancelledError):
            await relayed

    async def _read(self, request: Request, body: bytearray) -> None:
        """Read the body of a request that may go on."""
        names = request.headers
        if "content-length" in names and "transfer-encoding" in names:  # RFC 9112, section 6.1
            raise _Refused(400, "the body has a Content-Length and a Transfer-Encoding")
        if request.method in ("CONNECT", "TRACE"):
            raise _Refused(405, f"{request.method} is not passed on")
        if self._local_only:
            _refuse_foreign(names.items())
        if request.scope["path"] != self._http.url.path:
            raise _Refused(404, f"the proxy serves {self._http.url.path}")
        length = names.get("content-length", "")
        if length.isdigit() and (len(length) > 12 or int(length) > MAX_BODY):
            raise _Refused(413, f"the body has more than {MAX_BODY} bytes")
        async for chunk in request.stream():
            body += chunk
            self._held += len(chunk)
            if len(body) > MAX_BODY:
                raise _Refused(413, f"the body has more than {MAX_BODY} bytes")
            if self._held > MAX_HELD:
                raise _Refused(503, f"the bodies of all requests in progress have more than {MAX_HELD} bytes")

    async def _relay(self, request: Request, body: bytes, send: Send) -> None:
        received = read(body) if request.method == "POST" else Received(body)
        call, headers = received.message, passed_on(request.headers.raw)
        calls = self._sessions.calls_of(headers)
        calls.take_note(call)
        decision: Received | bytes = received
        if is_call(call):
            if not await calls.is_wanted(call, partial(tools_page, self._http, headers, call)):
                decision = written(failure(call["id"], "the request was cancelled", 0))
            else:
                schema = calls.tools.checks.input_schema(str(params_of(call).get("name")))
                if agree(dict(headers), call, schema):  # otherwise the server is to refuse both (-32020)
                    decision = calls.decide(received)
                    headers = _mirrored_again(headers, received, decision, schema)
        if isinstance(decision, Received):
            await self._pass(request, headers, decision, calls.passed, send)
        else:
            await Response(decision, media_type="application/json")(request.scope, request.receive, send)

    async def _pass(
        self, request: Request, headers: Headers, sent: Received, passed: _Passed, send: Send
    ) -> None:
        """Send a request on, and pass its response as it comes."""
        is_begun = False
        try:
            async with self._http.send(request.method, headers, sent.data, request.url.query) as response:
                chunks = await _content(response, passed)
                if (request.method == "DELETE" and response.is_success) or response.status_code == 404:
                    self._sessions.forget(passed_on(request.headers.raw))
                raw = [
                    (name.encode("latin-1"), value.encode("latin-1"))
                    for name, value in passed_on(response.headers.raw)
                ]
                is_begun = True
                start = {"type": "http.response.start", "status": response.status_code, "headers": raw}
                await send(start)
                async for chunk in chunks:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                await send({"type": "http.response.body", "body": b""})
        except httpx.HTTPError as error:
            if is_begun:
                raise
            reason = " ".join(str(error).split()) or type(error).__name__
            reason = f"the server behind the proxy does not answer: {reason}"
            answer = _answer(502, failure(sent.message.get("id"), reason, INTERNAL_ERROR))
            await answer(request.scope, request.receive, send)


def _answer(status: int, message: Any) -> Response:
    return Response(written(message), status, media_type="application/json")


def _refuse_foreign(headers: Iterable[tuple[str, str]]) -> None:
    """Refuse what a browser sends for a page of another site (MCP, streamable HTTP, "Security Warning")."""
    for name, value in headers:
        pattern = _LOCAL.get(name)
        match = pattern and pattern.fullmatch(value)
        if pattern and not (match and _is_local(match["host"])):
            raise _Refused(403, f"{name} is not this machine: the proxy serves local clients only")


def _is_local(host: str) -> bool:
    try:
        return host.lower() == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _mirrored_again(headers: Headers, received: Received, sent: Received | bytes, schema: Any) -> Headers:
    """Return the headers of what goes on, which repeat changed arguments if they repeated those that came."""
    if sent is received or not isinstance(sent, Received) or METHOD not in dict(headers):
        return headers
    before, after = (
        param_headers(params_of(each.message).get("arguments"), schema) for each in (received, sent)
    )
    kept = [(name, value) for name, value in headers if not (name.startswith(PARAM) and name in before)]
    return [*kept, *after.items()]


async def _gone(receive: Receive) -> None:
    """Wait until the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _content(response: httpx.Response, passed: _Passed) -> AsyncIterator[bytes]:
    """Return the body that the client gets; a body of JSON is read as a whole."""
    chunks = response.aiter_raw()
    if is_event_stream(response):
        return _events(response, passed)
    if media_type(response) != "application/json":
        return chunks
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > MAX_BODY:
            return _both(bytes(body), chunks)
    return _both(passed(read(bytes(body))))


async def _events(response: httpx.Response, passed: _Passed) -> AsyncIterator[bytes]:
    with suppress(httpx.TransportError):  # a stream may end at any event; the client resumes it, or not
        async for event, received in messages_in(response):
            data = passed(received)
            yield (event if data is received.data else event.with_data(data)).written()


async def _both(beginning: bytes, chunks: AsyncIterator[bytes] | None = None) -> AsyncIterator[bytes]:
    yield beginning
    if chunks is not None:
        async for chunk in chunks:
            yield chunk
