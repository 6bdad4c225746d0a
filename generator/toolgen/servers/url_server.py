"""`UrlServer`: a server over streamable HTTP for a client over pipes; each line becomes a request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
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
    reason_of,
)
from toolgen.servers.messages import PROTOCOL, Message, failure
from toolgen.servers.pump import GRACE, Handle

RESUME_SECONDS: Final = 1.0
"""Seconds before a stream is requested again, if the server does not say (`retry`)."""
PROTOCOL_VERSION: Final = "mcp-protocol-version"
_DELETE_SECONDS: Final = 2.0


class UrlServer:
    """Keeps the session, the version of the protocol and the streams (MCP, basic/transports, "Streamable HTTP")."""

    def __init__(self, http: HttpClient, schema_of: Callable[[Any], Any], handle: Handle) -> None:
        """`schema_of` returns the input schema of a listed tool."""
        self._http, self._handle, self._schema_of = http, handle, schema_of
        self._is_over = asyncio.Event()
        self._session: dict[str, str] = {}
        """The headers of the session: its id, and the version of the protocol once it is known."""
        self._requests: dict[str, asyncio.Task[None]] = {}
        """Requests without an answer, and under "" the stream of a session."""

    async def run(self) -> int:
        """Wait until the client has gone."""
        await self._is_over.wait()
        return 0

    async def send(self, message: Message) -> None:
        """Send a message. Only requests run at the same time, and not `initialize`."""
        if message.cancels and PROTOCOL_VERSION not in self._session:
            # Without a session a request is cancelled by closing its stream (MCP 2026-07-28).
            if message.cancels in self._requests:
                self._requests.pop(message.cancels).cancel()
        elif message.asks and message.method != "initialize":
            self._requests[message.asks] = asyncio.create_task(self._post(message))
        else:
            await self._post(message)
        if message.method == "notifications/initialized":
            self._requests[""] = asyncio.create_task(self._post(Message(b""), "GET"))

    async def finish(self) -> None:
        """Wait a moment for the answers."""
        if waiting := [task for key, task in self._requests.items() if key]:
            await asyncio.wait(waiting, timeout=GRACE)
        self._is_over.set()

    async def end(self) -> None:
        """End the session, if there is one."""
        for task in self._requests.values():
            task.cancel()
        if SESSION_ID in self._session:
            with suppress(httpx.HTTPError, TimeoutError):  # it ends there by itself
                async with asyncio.timeout(_DELETE_SECONDS):
                    async with self._http.send("DELETE", [*self._session.items()]):
                        pass
        await self._http.close()

    async def _post(self, message: Message, method: str = "POST") -> None:
        if message.method == "initialize":
            self._session = {}
        reason = await self._exchange(method, message)
        self._requests.pop(message.asks, None)
        if message.asks and reason:
            await self._handle(failure(message.value["id"], reason).data)

    async def _exchange(self, method: str, request: Message) -> str:
        """Pass the messages of a response on; return why the request has no answer, or "" if it has one.

        A stream that ends before the answer is requested again from its last event.
        """
        headers = MESSAGE | self._session
        if version := request.protocol.get(f"{PROTOCOL}protocolVersion"):
            schema = self._schema_of(str(request.params.get("name")))
            headers = {**MESSAGE, PROTOCOL_VERSION: str(version), **mirrored(request, schema)}
        last_id, pause, body = "", RESUME_SECONDS, request.data
        while True:
            is_stream = is_answered = False
            try:
                async with self._http.send(method, [*headers.items()], body) as response:
                    is_stream = response.is_success and is_event_stream(response)
                    reason = f"the server answered {response.status_code} {response.reason_phrase} without an answer"
                    if response.headers.get(SESSION_ID):
                        self._session.setdefault(SESSION_ID, response.headers[SESSION_ID])
                    async for part in parts_of(response):
                        last_id = field_of(part.data, b"id").decode("latin-1") or last_id
                        if (retry := field_of(part.data, b"retry")).isdigit():
                            pause = min(int(retry[:9]) / 1000, 60.0)
                        is_answered |= await self._received(part.message, request, response.is_success)
            except httpx.TransportError as error:
                reason = reason_of(error)
            except httpx.HTTPError as error:
                is_stream, reason = False, reason_of(error)
            if is_answered or not is_stream or not (last_id or method == "GET"):
                return "" if is_answered else reason
            await asyncio.sleep(pause)
            method, body = "GET", b""
            headers = {"accept": "text/event-stream", **self._session}
            headers |= {"last-event-id": last_id} if last_id else {}

    async def _received(self, message: Message, request: Message, is_success: bool) -> bool:
        """Pass a message on; return whether it answers a request. Of a failed response only an error is passed on."""
        if not is_success:
            if not request.asks or "error" not in message.value:
                return False
            message = message.changed(id=request.value["id"])  # it may lack the id
        is_answer = bool(request.asks) and message.answers == request.asks
        if is_answer and request.method == "initialize" and message.result is not None:
            self._session[PROTOCOL_VERSION] = str(message.result.get("protocolVersion"))
        if message.value:
            await self._handle(b" ".join(message.data.strip().splitlines()) + b"\n")
        return is_answer
