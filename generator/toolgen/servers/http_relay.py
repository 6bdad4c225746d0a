"""`HttpRelay`: an ASGI application in front of an MCP server over streamable HTTP.

Requests and responses pass with their headers, bodies and streams as they are, but for calls whose arguments are wrong.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Final

import anyio

from toolgen.servers.event_stream import Event, EventSplitter
from toolgen.servers.exchange import Decision, Exchange
from toolgen.servers.http_client import Headers, HttpClient, httpx, is_event_stream, media_type, passed_on
from toolgen.servers.http_requests import BadRequest, Bodies, Request, Share, read_request
from toolgen.servers.http_sessions import SESSION_ID, CheckMaker, HttpSession, HttpSessions
from toolgen.servers.messages import (
    CANCELLED,
    LIST_CHANGED,
    Line,
    answer,
    id_text,
    is_call,
    is_response,
    params_of,
    read_line,
)
from toolgen.servers.mirrored_headers import METHOD, PARAM, agree, param_headers

INTERNAL_ERROR: Final = -32603
MAX_BODY: Final = 64 * 1024 * 1024
"""Bytes of a response that is read; a longer one passes unread."""

_JSON: Final = ("content-type", "application/json")
_CLOSE: Final = ("connection", "close")
"""Where the next request begins is not known, or the client is not one to go on with."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Passing:
    """One request on its way: whose it is, and what the client is told beside the server's response."""

    request: Request
    session: HttpSession
    exchange: Exchange
    answers: bytes = b""


class HttpRelay:
    """Relays to one server; see docs/proxy.md."""

    def __init__(self, http: HttpClient, make_checks: CheckMaker, *, local_only: bool = True) -> None:
        """`make_checks` is asked once for each session; `local_only` refuses requests to names of other hosts."""
        self._http = http
        self._sessions = HttpSessions(make_checks)
        self._local_only = local_only
        self._bodies = Bodies()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        with self._bodies.share() as share:
            await self._respond(scope, receive, send, share)

    async def _respond(self, scope: Scope, receive: Receive, send: Send, share: Share) -> None:
        try:
            request = await read_request(
                scope, receive, share, path=self._http.url.path, local_only=self._local_only
            )
        except BadRequest as bad:
            await _answer(send, bad.status, _error(Line(b""), bad.code, bad.message), _CLOSE)
            return
        if request is None:
            return
        async with anyio.create_task_group() as group:
            group.start_soon(_until_gone, receive, group.cancel_scope)
            await self._relay(request, send)
            group.cancel_scope.cancel()

    async def _relay(self, request: Request, send: Send) -> None:
        line = read_line(request.body) if request.method == "POST" else Line(request.body)
        session = self._sessions.of(request.headers)
        exchange = session.exchange()
        _take_note(line, session, exchange)
        decision = Decision(request.body, b"")
        headers = request.headers
        if any(map(is_call, line.messages)):
            if not await session.ready(line, self._http, headers):
                await _answer(send, 200, _error(line, 0, "the request was cancelled"))
                return
            decision, headers = _decided(line, headers, session, exchange)
        if decision.to_client and not decision.to_server:
            await _answer(send, 200, decision.to_client)
            return
        passing = _Passing(request, session, exchange, decision.to_client)
        started = _Started(send)
        try:
            async with self._http.send(
                request.method, headers, decision.to_server, request.query
            ) as response:
                self._end_session(request, response)
                await _pass(response, passing, started)
        except httpx.HTTPError as error:
            if started.yet:
                raise  # what the client has is not whole: the connection breaks off
            reason = " ".join(str(error).split()) or type(error).__name__
            message = f"the server behind the proxy does not answer: {reason}"
            await _answer(send, 502, _error(line, INTERNAL_ERROR, message))

    def _end_session(self, request: Request, response: httpx.Response) -> None:
        is_over = request.method == "DELETE" and response.is_success
        if is_over or (response.status_code == 404 and SESSION_ID in dict(request.headers)):
            self._sessions.forget(request.headers)


class _Started:
    """Sends, and knows whether it has begun to."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.yet = False

    async def start(self, status: int, headers: Headers) -> None:
        self.yet = True
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await self._send({"type": "http.response.start", "status": status, "headers": raw})

    async def body(self, data: bytes, *, more: bool) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": more})


# -- requests -----------------------------------------------------------------------------------------------


def _take_note(line: Line, session: HttpSession, exchange: Exchange) -> None:
    for message in line.messages:
        if message.get("method") == "tools/list" and "id" in message:
            exchange.list_asked(message)
        elif message.get("method") == CANCELLED:
            session.cancelled(exchange, params_of(message).get("requestId"))


def _decided(
    line: Line, headers: Headers, session: HttpSession, exchange: Exchange
) -> tuple[Decision, Headers]:
    """Return what becomes of calls, and the headers of what goes on.

    Where headers say something else than the body, both go on as they are, for the server to refuse (-32020).
    """
    message = line.messages[0]
    schema = session.tools.checks.input_schema(str(params_of(message).get("name")))
    if not line.is_batch and not agree(headers, message, schema):
        return Decision(line.data, b""), headers
    decision = exchange.decide(line)
    if line.is_batch or decision.to_server in (b"", line.data) or METHOD not in dict(headers):
        return decision, headers
    arguments = params_of(read_line(decision.to_server).messages[0]).get("arguments")
    before, after = (
        param_headers(params_of(message).get("arguments"), schema),
        param_headers(arguments, schema),
    )
    kept = [(name, value) for name, value in headers if not (name.startswith(PARAM) and name in before)]
    return decision, [*kept, *after.items()]


async def _until_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    """End what a request started when its client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


# -- responses ----------------------------------------------------------------------------------------------


async def _pass(response: httpx.Response, passing: _Passing, sending: _Started) -> None:
    """Pass a response on: event by event, a body of JSON as a whole, all else as it comes."""
    if is_event_stream(response):
        await _pass_events(response, passing, sending)
        return
    chunks = response.aiter_raw()
    beginning = b""
    has_answers = bool(passing.answers) and response.is_success
    if has_answers or media_type(response) == "application/json":
        beginning, is_whole = await _read(chunks)
        if is_whole:
            await _pass_json(response, _from_server(beginning, passing), passing, sending)
            return
    length = response.headers.get("content-length")
    headers = passed_on(response.headers.raw)
    await sending.start(response.status_code, [*headers, *([("content-length", length)] if length else [])])
    await sending.body(beginning, more=True)
    async for chunk in chunks:
        await sending.body(chunk, more=True)
    await sending.body(b"", more=False)


async def _pass_json(response: httpx.Response, body: bytes, passing: _Passing, sending: _Started) -> None:
    headers, status = passed_on(response.headers.raw), response.status_code
    if passing.answers and response.is_success:
        body, status = _joined(passing.answers, body), 200
        headers = [*(header for header in headers if header[0] != "content-type"), _JSON]
    await sending.start(status, [*headers, ("content-length", str(len(body)))])
    await sending.body(body, more=False)


async def _pass_events(response: httpx.Response, passing: _Passing, sending: _Started) -> None:
    await sending.start(response.status_code, passed_on(response.headers.raw))
    events = EventSplitter()
    if passing.answers:
        await sending.body(b"data: " + passing.answers.strip() + b"\n\n", more=True)
    try:
        async for chunk in response.aiter_raw():
            for event in events.feed(chunk):
                await sending.body(_passed_event(event, passing), more=True)
    except httpx.HTTPError:
        pass  # a stream may end at any event; the client resumes it, or not
    await sending.body(events.rest(), more=False)


def _passed_event(event: Event, passing: _Passing) -> bytes:
    data = _from_server(event.data, passing) if event.data else event.data
    return event.raw if data == event.data else event.with_data(data)


def _from_server(data: bytes, passing: _Passing) -> bytes:
    """Return what of a server's text goes to the client; learn what it says of the tools."""
    line = read_line(data)
    changed: dict[int, dict[str, Any] | None] = {}
    for index, message in enumerate(line.messages):
        if not is_response(message):
            if message.get("method") == LIST_CHANGED:
                passing.session.lists_changed(passing.exchange)
        elif passing.exchange.is_list(message):
            passing.exchange.list_answered(message)
        elif (noted := passing.exchange.with_note(message)) is not None:
            changed[index] = noted
    return line.changed(changed)


async def _read(chunks: AsyncIterator[bytes]) -> tuple[bytes, bool]:
    """Return a body and whether it is the whole one."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > MAX_BODY:
            return bytes(body), False
    return bytes(body), True


def _joined(answers: bytes, body: bytes) -> bytes:
    """Return the answers to a batch as one: the proxy's, and the server's if there are any."""
    one, other = answers.strip(), body.strip()
    return one[:-1] + b"," + other[1:] if other.startswith(b"[") and len(other) > 2 else one


def _error(line: Line, code: int, message: str) -> bytes:
    asked = (index for index, m in enumerate(line.messages) if "id" in m and "method" in m)
    index = next(asked, None)
    request_id = "null" if index is None else id_text(line.texts()[index])
    return answer(request_id, error={"code": code, "message": message})


async def _answer(send: Send, status: int, body: bytes, *more: tuple[str, str]) -> None:
    sending = _Started(send)
    await sending.start(status, [_JSON, ("content-length", str(len(body))), *more])
    await sending.body(body, more=False)
