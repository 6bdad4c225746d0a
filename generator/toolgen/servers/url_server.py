"""`UrlServer`: a server over streamable HTTP for a client over pipes; each line becomes a request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Any, Final

from toolgen.servers.http_client import (
    MESSAGE,
    SESSION_ID,
    HttpClient,
    field_of,
    httpx,
    is_event_stream,
    mirrored,
    parts_of,
    raw,
    reason_of,
)
from toolgen.servers.messages import PROTOCOL, Message, failure
from toolgen.servers.pump import GRACE, Handle, in_thread

RESUME_SECONDS: Final = 1.0
"""Seconds before a stream is requested again, if the server does not say (`retry`)."""
PROTOCOL_VERSION: Final = "mcp-protocol-version"
_DELETE_SECONDS: Final = 2.0


class UrlServer:
    """Keeps the session, the version of the protocol and the streams (MCP, basic/transports, "Streamable HTTP")."""

    def __init__(self, http: HttpClient, schema_of: Callable[[Any], Any], handle: Handle) -> None:
        """`schema_of` returns the input schema of a listed tool."""
        self._http, self._handle, self._schema_of = http, handle, schema_of
        self._loop = asyncio.new_event_loop()
        in_thread(self._loop.run_forever)
        self._ended: Future[int] = Future()
        self._session: dict[str, str] = {}
        """The headers of the session: its id, and the version of the protocol once it is known."""
        self._requests: dict[str, Future[None]] = {}
        """Requests without an answer, and under "" the stream of a session."""

    def run(self) -> int:
        """Wait until the client has gone."""
        return self._ended.result()

    def send(self, message: Message) -> None:
        """Send a message. Only requests run at the same time, and not `initialize`."""
        if message.cancels and PROTOCOL_VERSION not in self._session:
            # Without a session a request is cancelled by closing its stream (MCP 2026-07-28).
            if request := self._requests.get(message.cancels):
                request.cancel()
        elif message.asks and message.method != "initialize":
            self._start(message.asks, self._exchange("POST", message))
        else:
            wait([self._start("-", self._exchange("POST", message))])
        if message.method == "notifications/initialized":
            self._start("", self._exchange("GET", Message(b"")))

    def _start(self, key: str, work: Coroutine[Any, Any, None]) -> Future[None]:
        self._requests[key] = started = asyncio.run_coroutine_threadsafe(work, self._loop)
        started.add_done_callback(lambda _: self._requests.pop(key, None))
        return started

    def finish(self) -> None:
        """Wait a moment for the answers."""
        wait([request for key, request in [*self._requests.items()] if key], GRACE)
        self._ended.set_result(0)

    def end(self) -> None:
        """End the session, if there is one."""
        for request in [*self._requests.values()]:
            request.cancel()
        with suppress(TimeoutError):  # it ends there by itself
            self._start("-", self._end()).result(_DELETE_SECONDS)

    async def _end(self) -> None:
        if SESSION_ID in self._session:
            with suppress(httpx.HTTPError):
                async with self._http.send("DELETE", raw(self._session)):
                    pass
        await self._http.close()

    async def _exchange(self, method: str, request: Message) -> None:
        """Send a message and pass on what comes; a stream that ends before the answer is resumed from its last event.

        A request that gets no answer is answered with the reason.
        """
        if request.method == "initialize":
            self._session = {}
        headers = raw(MESSAGE | self._session)
        if version := request.protocol.get(f"{PROTOCOL}protocolVersion"):
            schema = self._schema_of(str(request.params.get("name")))
            headers = [*raw({**MESSAGE, PROTOCOL_VERSION: str(version)}), *mirrored(request, schema)]
        last_id, pause, body, is_answered = b"", RESUME_SECONDS, request.data, False
        while True:
            is_stream = False
            try:
                async with self._http.send(method, headers, body) as response:
                    is_stream = response.is_success and is_event_stream(response)
                    reason = f"the server answered {response.status_code} {response.reason_phrase} without an answer"
                    if response.headers.get(SESSION_ID):
                        self._session.setdefault(SESSION_ID, response.headers[SESSION_ID])
                    async for data, message in parts_of(response):
                        last_id = field_of(data, b"id") or last_id
                        if (retry := field_of(data, b"retry")).isdigit():
                            pause = min(int(retry[:9]) / 1000, 60.0)
                        is_answered |= self._received(message, request, response.is_success)
            except httpx.HTTPError as error:
                reason = reason_of(error)
                is_stream = is_stream and isinstance(error, httpx.TransportError)
            if is_answered or not (is_stream and (last_id or method == "GET")):
                break
            await asyncio.sleep(pause)
            method, body, headers = "GET", b"", raw({"accept": "text/event-stream", **self._session})
            headers += [(b"last-event-id", last_id)] if last_id else []
        if request.asks and not is_answered:
            self._handle(failure(request.value["id"], reason).data)

    def _received(self, message: Message, request: Message, is_success: bool) -> bool:
        """Pass a message on; return whether it answers a request. Of a failed response only an error is passed on."""
        if not is_success and "error" in message.value and request.asks:
            message = message.changed(id=request.value["id"])  # it may lack the id
        is_answer = bool(request.asks) and message.answers == request.asks
        if is_answer and request.method == "initialize" and message.result is not None:
            self._session[PROTOCOL_VERSION] = str(message.result.get("protocolVersion"))
        if message.value and (is_success or is_answer):
            self._handle(b" ".join(message.data.strip().splitlines()) + b"\n")
        return is_answer
