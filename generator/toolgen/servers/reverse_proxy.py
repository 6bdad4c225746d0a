"""`ReverseProxy`: an ASGI application in front of an MCP server over streamable HTTP.

Requests and responses pass with their headers, bodies and streams as they are, but for calls whose arguments are wrong.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterable, MutableMapping
from contextlib import AsyncExitStack, suppress
from functools import partial
from ipaddress import ip_address
from typing import Any, Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolgen.servers.call_checks import CallChecks
from toolgen.servers.client_calls import Decision
from toolgen.servers.http_client import (
    Headers,
    HttpClient,
    httpx,
    is_event_stream,
    media_type,
    messages_in,
    passed_on,
)
from toolgen.servers.http_sessions import HttpSession, HttpSessions, tools_page
from toolgen.servers.messages import (
    INTERNAL_ERROR,
    Message,
    Received,
    failure,
    is_call,
    params_of,
    read,
    written,
)
from toolgen.servers.mirrored_headers import METHOD, PARAM, agree, param_headers

INVALID_REQUEST: Final = -32600
MAX_BODY: Final = 64 * 1024 * 1024
"""Bytes of a request, and of a response that is read; a longer response passes unread."""
MAX_HELD: Final = 256 * 1024 * 1024
"""Bytes of the bodies of all requests in progress."""
_Passed = Callable[[Received], bytes]
_JSON: Final = ("content-type", "application/json")
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
            await self._handle(Request(scope, receive), body, sent)
        finally:
            release()

    async def _handle(self, request: Request, body: bytearray, send: Send) -> None:
        scope, receive = request.scope, request.receive
        try:
            await self._read(request, body)
        except _Refused as refused:
            content = written(failure(None, str(refused), INVALID_REQUEST))
            headers: dict[str, str] = dict((_JSON, ("connection", "close")))
            await Response(content, refused.status, headers)(scope, receive, send)
            return
        except ClientDisconnect:
            return
        tasks = [
            asyncio.create_task(self._relay(request, bytes(body), send)),
            asyncio.create_task(_gone(receive)),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if tasks[0].done():
                tasks[0].result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, request: Request, body: bytearray) -> None:
        """Read the body of a request that may go on."""
        names = request.headers
        if "content-length" in names and "transfer-encoding" in names:  # RFC 9112, section 6.1
            raise _Refused(400, "the body has a Content-Length and a Transfer-Encoding")
        if request.method in ("CONNECT", "TRACE"):
            raise _Refused(405, f"{request.method} is not passed on")
        if self._local_only:
            _refuse_foreign(request.headers.items())
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
        headers = passed_on(request.headers.raw)
        session = self._sessions.of(headers)
        calls = session.calls()
        calls.take_note(received.message)
        decision: Decision | None = Decision(received)
        if is_call(received.message):
            ask = partial(tools_page, self._http, headers, received.message)
            decision = await calls.judged(received, ask, partial(_agree, headers, received.message, session))
        if decision is None:
            await _answer(send, 200, _error(received, "the request was cancelled", 0))
        elif decision.goes_on is None:
            await _answer(send, 200, decision.answer)
        else:
            headers = _mirrored_again(headers, received, decision.goes_on, session)
            await self._pass(request, headers, decision.goes_on, calls.passed, send)

    async def _pass(
        self, request: Request, headers: Headers, sent: Received, passed: _Passed, send: Send
    ) -> None:
        """Send a request on, and pass its response as it comes."""
        async with AsyncExitStack() as stack:
            try:
                response = await stack.enter_async_context(
                    self._http.send(request.method, headers, sent.data, request.url.query)
                )
                told, chunks = await _content(response, passed)
            except httpx.HTTPError as error:
                reason = " ".join(str(error).split()) or type(error).__name__
                reason = f"the server behind the proxy does not answer: {reason}"
                await _answer(send, 502, _error(sent, reason))
                return
            if (request.method == "DELETE" and response.is_success) or response.status_code == 404:
                self._sessions.forget(passed_on(request.headers.raw))
            await _start(send, response.status_code, told)
            async for chunk in chunks:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b""})


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


def _agree(headers: Headers, call: Message, session: HttpSession) -> bool:
    """Return whether headers say what the body says; if not, the server is to refuse both (-32020)."""
    return agree(dict(headers), call, session.input_schema(call))


def _mirrored_again(headers: Headers, received: Received, sent: Received, session: HttpSession) -> Headers:
    """Return the headers of what goes on, which repeat changed arguments if they repeated those that came."""
    if sent is received or METHOD not in dict(headers):
        return headers
    schema = session.input_schema(received.message)
    before, after = (
        param_headers(params_of(each.message).get("arguments"), schema) for each in (received, sent)
    )
    kept = [(name, value) for name, value in headers if not (name.startswith(PARAM) and name in before)]
    return [*kept, *after.items()]


async def _gone(receive: Receive) -> None:
    """Wait until the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass


# -- responses ----------------------------------------------------------------------------------------------


async def _content(response: httpx.Response, passed: _Passed) -> tuple[Headers, AsyncIterator[bytes]]:
    """Return the headers and the body that the client gets; a body of JSON is read as a whole."""
    headers, chunks = passed_on(response.headers.raw), response.aiter_raw()
    if is_event_stream(response):
        return headers, _events(response, passed)
    if media_type(response) != "application/json":
        return headers, chunks
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > MAX_BODY:
            return headers, _both(bytes(body), chunks)
    return headers, _both(passed(read(bytes(body))))


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


def _error(received: Received, reason: str, code: int = INTERNAL_ERROR) -> bytes:
    return written(failure(received.message.get("id"), reason, code))


async def _answer(send: Send, status: int, body: bytes) -> None:
    await _start(send, status, [_JSON, ("content-length", str(len(body)))])
    await send({"type": "http.response.body", "body": body})


async def _start(send: Send, status: int, headers: Headers) -> None:
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": raw})
