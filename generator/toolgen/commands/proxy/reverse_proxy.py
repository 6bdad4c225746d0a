"""An ASGI application in front of an MCP server over streamable HTTP; see docs/proxy.md."""

from __future__ import annotations

import asyncio
import re
import signal
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

from toolgen.commands.proxy.call_filter import ToolList
from toolgen.commands.servers import http_client as http
from toolgen.commands.servers.large_messages import Held, Share
from toolgen.commands.servers.messages import Json, Message, list_request, weight_of
from toolgen.commands.servers.param_headers import PREFIX
from toolgen_runtime.calls.recent import Recent

MOST_CONNECTIONS: Final = 1_000
BODY_SECONDS: Final = 60.0
"""The number of seconds within which the body of a request must arrive."""
END_SECONDS: Final = 1.0
"""The seconds that responses have to end after a signal; then the proxy ends them."""
_CREDENTIALS: Final = re.compile(rb"mcp-session-id|cookie|.*(?:key|token|secret|auth|tenant).*")
"""Headers on which a server's list of tools may depend (MCP 2026-07-28, server/tools, "Listing Tools")."""
_OF_ONE_REQUEST: Final = (b"accept", b"content-", b"last-event-id", b"mcp-name", b"mcp-param-")
_TOO_MUCH: Final = "the proxy holds too many large requests; try again"
_HOST: Final = r"(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]{1,5})?"
_LOCAL: Final = {"host": re.compile(f"(?i){_HOST}"), "origin": re.compile(f"(?i)https?://{_HOST}")}


class ReverseProxy:
    """Forwards requests and responses between HTTP clients and one server, but responds to invalid calls
    itself.
    """

    def __init__(
        self, client: http.HttpClient, make_tools: Callable[[], ToolList], *, local_only: bool = True
    ) -> None:
        """Create the proxy.

        `make_tools` is called once for each session; `local_only` rejects requests from web pages.
        """
        self._client, self._make_tools, self._local_only = client, make_tools, local_only
        self._ending = asyncio.Event()
        self._held = Held()
        """The weight of all bodies that are received or forwarded at the moment."""
        self._clients: Recent[tuple[tuple[bytes, bytes], ...], ToolList] = Recent()
        """The tools by session and credentials, so that no call is checked against another client's tools."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to one request. Abandon it if the client disconnects."""
        request, share = Request(scope, receive), Share(self._held)
        try:
            await self._serve(request, share, send)
        except HTTPException as refused:
            await Response(refused.detail, refused.status_code, {"connection": "close"})(scope, receive, send)
        except ClientDisconnect:
            pass
        finally:
            share.free()

    def end(self) -> None:
        """Respond to all requests whose responses have not ended."""
        self._ending.set()

    async def _serve(self, request: Request, share: Share, send: Send) -> None:
        """Respond to a request. `HTTPException` and `ClientDisconnect` are raised only before the response starts."""
        body = await self._body(request, share)
        if request.method == "POST":
            message = await http.read_in_time(body)
        else:
            message = Message(body)
        reply = _Reply(send)
        async with anyio.create_task_group() as group:

            async def leave() -> None:
                while (await request.receive())["type"] != "http.disconnect":
                    pass
                group.cancel_scope.cancel()

            async def end() -> None:
                await self._ending.wait()
                group.cancel_scope.cancel()

            group.start_soon(leave)
            group.start_soon(end)
            await self._relay(request, message, reply.send)
            group.cancel_scope.cancel()
        if self._ending.is_set() and message.asks and not reply.has_ended:
            await reply.fail(request, message.fail("the proxy ended before the response"))

    async def _body(self, request: Request, share: Share) -> bytes:
        """Return the body of a request that is to be forwarded.

        Raises:
            HTTPException: the request is rejected.
        """
        for name, value in request.headers.items():  # sent by a web page (MCP, "Security Warning")
            if self._local_only and name in _LOCAL and not _LOCAL[name].fullmatch(value):
                raise HTTPException(403, f"{name} is not this machine: the proxy serves local clients only")
        if request.scope["path"] != self._client.url.path:
            raise HTTPException(404, f"the proxy serves {self._client.url.path}")
        body = bytearray()
        try:
            with anyio.fail_after(BODY_SECONDS):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > http.MAX_BODY:
                        raise HTTPException(413, f"the body has more than {http.MAX_BODY} bytes")
                    if not share.add(len(chunk)):
                        raise HTTPException(503, _TOO_MUCH)
        except TimeoutError:
            raise HTTPException(408, f"the body did not come within {BODY_SECONDS:.0f} seconds") from None
        whole = bytes(body)
        if not share.add(weight_of(whole) - len(whole)):
            raise HTTPException(503, _TOO_MUCH)
        return whole

    async def _relay(self, request: Request, message: Message, send: Send) -> None:
        headers = http.passed_on(request.headers.raw)
        key = tuple(sorted(pair for pair in headers if _CREDENTIALS.fullmatch(pair[0])))
        if key not in self._clients:
            self._clients[key] = self._make_tools()
            self._clients[key].is_shared = all(name != b"mcp-session-id" for name, _ in key)
        tools, checked = self._clients[key], None
        if message.is_call or message.cancels:
            received = message
            try:
                message, checked = await tools.decide(message, partial(self._tools_page, headers, message))
            except Exception as error:  # no request is left without an answer, whatever is wrong with it
                reason = f"the proxy failed: {type(error).__name__}"
                await _answer(request, send, message.fail(reason), 500)
                return
            if message.answers:
                await _answer(request, send, message)
                return
            # Repaired, so that the client's headers are wrong.
            if message is not received and message.protocol:
                kept = [pair for pair in headers if not pair[0].startswith(PREFIX.encode())]
                headers = [*kept, *http.raw(message.param_headers)]
        is_begun = False
        try:
            exchange = self._client.exchange(request.method, headers, message.data, request.url.query)
            async with exchange as response:
                passed = http.passed_on(response.headers.raw, b"content-encoding")
                start = {"type": "http.response.start", "status": response.status_code, "headers": passed}
                async for data, part in http.parts_of(response, self._held):
                    if not is_begun:
                        await send(start)
                        is_begun = True
                    is_answer = part.answers == message.asks
                    own = (checked, message.span) if is_answer else (None, None)
                    changed = tools.passed(part, *own)
                    if changed is not part:
                        data = data.replace(part.data, changed.data.strip(), 1)
                    await send({"type": "http.response.body", "body": data, "more_body": True})
        except http.HttpError as error:
            if not is_begun:
                await _answer(request, send, message.fail(http.reason_of(error)), 502)
                return
        finally:
            if message.span is not None:  # it has no answer
                message.span.end(None)
        await send({"type": "http.response.body", "body": b""})

    async def _tools_page(self, headers: http.Headers, call: Message, cursor: str | None) -> Json | None:
        """Request a page of the tools with the headers of a call.

        Return None if the server does not send it.
        """
        kept = [pair for pair in headers if not pair[0].startswith(_OF_ONE_REQUEST)]
        sent = [(name, b"tools/list" if name == b"mcp-method" else value) for name, value in kept]
        request = list_request(cursor, call)
        with suppress(http.HttpError):
            exchange = self._client.exchange("POST", [*sent, *http.raw(http.MESSAGE)], request.data)
            async with exchange as response:
                async for _, part in http.parts_of(response, self._held):
                    if part.answers == request.asks:
                        return part.result
        return None


class _Reply:
    """Sends a response, and knows how much of it is sent."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Any = None
        self.has_ended = False

    async def send(self, event: Any) -> None:
        if event["type"] == "http.response.start":
            self._start = event
        else:
            self.has_ended = not event.get("more_body", False)
        await self._send(event)

    async def fail(self, request: Request, message: Message) -> None:
        """End the response with an error, which is the whole response or the last event of a stream."""
        if self._start is None:
            await _answer(request, self._send, message, 503)
        elif any(value.startswith(b"text/event-stream") for _, value in self._start["headers"]):
            body = b"data: " + message.data.strip() + b"\n\n"
            await self._send({"type": "http.response.body", "body": body})


async def _answer(request: Request, send: Send, message: Message, status: int = 200) -> None:
    response = Response(message.data, status, media_type="application/json")
    await response(request.scope, request.receive, send)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a port. With port 0, the system chooses one.

    Raises:
        OSError: the address is in use, or does not belong to this machine.
    """
    listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # without it a call takes 40 ms longer
    return listening


class _Server(uvicorn.Server):
    """A server that answers all requests and calls a function before a signal ends it."""

    def __init__(self, application: ReverseProxy, at_end: Callable[[], None]) -> None:
        super().__init__(config_of(application))
        self._application, self._at_end = application, at_end

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().call_later(END_SECONDS, self._application.end)
        await super().shutdown(sockets)
        self._at_end()


def serve(
    client: http.HttpClient,
    make_tools: Callable[[], ToolList],
    listening: socket.socket,
    at_end: Callable[[], None],
) -> None:
    """Serve until the process receives a signal. Then call `at_end`, and end the process as the signal
    requires.
    """
    is_local = ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback
    application = ReverseProxy(client, make_tools, local_only=is_local)
    if hangs_up := getattr(signal, "SIGHUP", None):  # Windows has none
        signal.signal(hangs_up, lambda *_: signal.raise_signal(signal.SIGTERM))
    _Server(application, at_end).run(sockets=[listening])


def config_of(application: Any) -> uvicorn.Config:
    """Return the settings of the HTTP server for an application.

    Malformed requests get a response, and nothing is logged.
    """
    return uvicorn.Config(
        application,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=2,
    )
