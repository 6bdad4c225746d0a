"""`ReverseProxy`: an ASGI application in front of an MCP server over streamable HTTP.

Requests and responses pass with their headers, bodies and streams as they are, but for calls whose arguments are wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from typing import Any, Final

import anyio
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from toolgen.servers.call_checks import CallChecks
from toolgen.servers.client_calls import Decision
from toolgen.servers.event_stream import Event, EventSplitter
from toolgen.servers.http_client import Headers, HttpClient, httpx, is_event_stream, media_type, passed_on
from toolgen.servers.http_sessions import SESSION_ID, HttpSession, HttpSessions
from toolgen.servers.messages import (
    CANCELLED,
    Received,
    failure,
    is_call,
    is_request,
    params_of,
    read,
    written,
)
from toolgen.servers.mirrored_headers import METHOD, PARAM, agree, param_headers

INVALID_REQUEST: Final = -32600
MAX_BODY: Final = 64 * 1024 * 1024
"""Bytes of a request, and of a response that is read; a longer response passes unread."""
MAX_HELD: Final = 256 * 1024 * 1024
"""Bytes of the bodies of all requests under way."""
_JSON: Final = ("content-type", "application/json")
_HOST: Final = r"(?P<host>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?"
_LOCAL: Final = {"host": re.compile(_HOST), "origin": re.compile(rf"https?://{_HOST}")}


class _Refused(Exception):  # noqa: N818  it is answered, not raised to anyone
    """A request that does not go on, with the answer to it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class _Passing:
    """One request on its way: whose it is, and what the client is told beside the server's response."""

    request: Request
    session: HttpSession
    passed: Callable[[Received], bytes]
    answers: bytes
    send: Send


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
        """Answer one request."""
        request = Request(scope, receive)
        body = bytearray()
        try:
            await self._answered(request, body, receive, send)
        finally:
            self._held -= len(body)

    async def _answered(self, request: Request, body: bytearray, receive: Receive, send: Send) -> None:
        scope = request.scope
        try:
            await self._read(request, body)
        except _Refused as refused:
            content = written(failure(None, str(refused), INVALID_REQUEST))
            await Response(content, refused.status, dict((_JSON, ("connection", "close"))))(
                scope, receive, send
            )
            return
        except ClientDisconnect:
            return
        async with anyio.create_task_group() as group:
            group.start_soon(_until_gone, receive, group.cancel_scope)
            await self._relay(request, bytes(body), send)
            group.cancel_scope.cancel()

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
                raise _Refused(503, f"the bodies of all requests under way have more than {MAX_HELD} bytes")

    async def _relay(self, request: Request, body: bytes, send: Send) -> None:
        received = read(body) if request.method == "POST" else Received(body)
        headers = passed_on(request.headers.raw)
        session = self._sessions.of(headers)
        calls = session.calls()
        calls.take_note(received)
        for message in received.messages:
            if message.get("method") == CANCELLED:
                session.cancel(params_of(message).get("requestId"))
        decision = Decision(body)
        if any(map(is_call, received.messages)):
            if calls.need_list(received) and not await session.read_tools(received, self._http, headers):
                await _answer(send, 200, _errors(received, "the request was cancelled", 0))
                return
            decision, headers = _decided(received, headers, session, calls.decide)
        if decision.answers and not decision.to_server:
            await _answer(send, 200, decision.to_client)
            return
        passing = _Passing(request, session, calls.passed, decision.to_client, _Started(send))
        started = passing.send
        try:
            query = request.url.query
            async with self._http.send(request.method, headers, decision.to_server, query) as response:
                if (request.method == "DELETE" and response.is_success) or (
                    response.status_code == 404 and SESSION_ID in request.headers
                ):
                    self._sessions.forget(headers)
                await _pass(response, passing)
        except httpx.HTTPError as error:
            if isinstance(started, _Started) and started.yet:
                raise  # what the client has is not whole: the connection breaks off
            reason = " ".join(str(error).split()) or type(error).__name__
            await _answer(
                send, 502, _errors(received, f"the server behind the proxy does not answer: {reason}")
            )


class _Started:
    """Sends, and knows whether it has begun to."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.yet = False

    async def __call__(self, event: Any) -> None:
        self.yet = True
        await self._send(event)


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


def _decided(
    received: Received, headers: Headers, session: HttpSession, decide: Callable[[Received], Decision]
) -> tuple[Decision, Headers]:
    """Return what becomes of calls, and the headers of what goes on.

    Where headers say something else than the body, both go on as they are, for the server to refuse (-32020).
    """
    message, names = received.messages[0], dict(headers)
    schema = session.checks.input_schema(str(params_of(message).get("name")))
    is_modern = not received.is_batch and METHOD in names
    if not received.is_batch and not agree(names, message, schema):
        return Decision(received.data), headers
    decision = decide(received)
    if not is_modern or decision.to_server in (b"", received.data):
        return decision, headers
    before = param_headers(params_of(message).get("arguments"), schema)
    after = param_headers(params_of(read(decision.to_server).messages[0]).get("arguments"), schema)
    kept = [(name, value) for name, value in headers if not (name.startswith(PARAM) and name in before)]
    return decision, [*kept, *after.items()]


async def _until_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    """End what a request started when its client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


# -- responses ----------------------------------------------------------------------------------------------


async def _pass(response: httpx.Response, passing: _Passing) -> None:
    """Pass a response on: event by event, a body of JSON as a whole, all else as it comes."""
    if is_event_stream(response):
        await _pass_events(response, passing)
        return
    chunks = response.aiter_raw()
    beginning, is_whole = b"", False
    has_answers = bool(passing.answers) and response.is_success
    if has_answers or media_type(response) == "application/json":
        async for chunk in chunks:
            beginning += chunk
            if len(beginning) > MAX_BODY:
                break
        else:
            is_whole = True
    headers, status = passed_on(response.headers.raw), response.status_code
    if is_whole:
        body = passing.passed(read(beginning))
        if has_answers:
            body, status = _joined(passing.answers, body), 200
            headers = [*(header for header in headers if header[0] != "content-type"), _JSON]
        await _start(passing.send, status, [*headers, ("content-length", str(len(body)))])
        await passing.send({"type": "http.response.body", "body": body})
        return
    length = response.headers.get("content-length")
    await _start(passing.send, status, [*headers, *([("content-length", length)] if length else [])])
    put = partial(_put, passing.send)
    await put(beginning)
    async for chunk in chunks:
        await put(chunk)
    await put(b"", more=False)


async def _pass_events(response: httpx.Response, passing: _Passing) -> None:
    await _start(passing.send, response.status_code, passed_on(response.headers.raw))
    events = EventSplitter()
    put = partial(_put, passing.send)
    if passing.answers:
        await put(b"data: " + passing.answers.strip() + b"\n\n")
    try:
        async for chunk in response.aiter_raw():
            for event in events.feed(chunk):
                await put(_passed_event(event, passing))
    except httpx.HTTPError:
        pass  # a stream may end at any event; the client resumes it, or not
    await put(events.rest(), more=False)


def _passed_event(event: Event, passing: _Passing) -> bytes:
    received = read(event.data)
    passed = passing.passed(received) if event.data else event.data
    return event.raw if passed is received.data else event.with_data(passed)


def _joined(answers: bytes, body: bytes) -> bytes:
    """Return the proxy's answers to a batch with those of the server."""
    return written([*read(answers).messages, *read(body).messages])


def _errors(received: Received, reason: str, code: int = -32603) -> bytes:
    """Return an error for each request, or one without an id."""
    found = [failure(message["id"], reason, code) for message in received.messages if is_request(message)]
    return written(
        found if received.is_batch and found else found[0] if found else failure(None, reason, code)
    )


async def _answer(send: Send, status: int, body: bytes) -> None:
    await _start(send, status, [_JSON, ("content-length", str(len(body)))])
    await send({"type": "http.response.body", "body": body})


async def _start(send: Send, status: int, headers: Headers) -> None:
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": raw})


async def _put(send: Send, data: bytes, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": data, "more_body": more})
