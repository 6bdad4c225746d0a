"""`UrlServer`: a server over streamable HTTP for a client that writes lines: each goes out as its own request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from toolgen.servers.event_stream import Event
from toolgen.servers.http_client import ACCEPT, Headers, HttpClient, httpx, is_event_stream, messages_in
from toolgen.servers.http_sessions import SESSION_ID
from toolgen.servers.messages import (
    CANCELLED,
    PROTOCOL,
    Message,
    Received,
    answer,
    failure,
    is_request,
    is_response,
    key_of,
    params_of,
    result_of,
    written,
)
from toolgen.servers.mirrored_headers import PROTOCOL_VERSION, mirrored
from toolgen.servers.pump import Handle

MOST_RESUMED: Final = 5
"""How often a stream is asked for again in a row, where it ends without an answer."""
RESUME_SECONDS: Final = 1.0
"""How long to wait before, where the server does not say (`retry`)."""
_GRACE: Final = 5.0
_DELETE_SECONDS: Final = 2.0


class UrlServer:
    """Keeps the session, the version of the protocol and the streams (MCP, basic/transports, "Streamable HTTP")."""

    def __init__(self, http: HttpClient, handle: Handle, schema_of: Callable[[str], Any]) -> None:
        """`schema_of` knows the tools that are listed."""
        self._http, self._handle, self._schema_of = http, handle, schema_of
        self.gone: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._session: Headers = []
        """The headers of a session: its id, and once that is known the version of the protocol."""
        self._initialize = ""
        """The request of `initialize`, whose answer says the version."""
        self._posts: dict[str, asyncio.Task[None]] = {}
        """Requests whose answers have not come."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def send(self, received: Received) -> None:
        """Send a line. Only requests run at the same time; `initialize` is waited for, too."""
        message = received.message
        if self._cancels(message):
            return
        if is_request(message) and message["method"] != "initialize":
            self._posts[key_of(message["id"])] = self._begin(self._post(received))
            return
        await self._post(received)
        if message.get("method") == "notifications/initialized":
            self._begin(self._listen())

    async def finish(self) -> int:
        """Wait a moment for the answers that have not come."""
        if self._posts:
            await asyncio.wait(self._posts.values(), timeout=_GRACE)
        return 0

    async def end(self) -> None:
        """End the session, if there is one."""
        for task in self._tasks:
            task.cancel()
        if SESSION_ID in dict(self._session):
            with suppress(httpx.HTTPError, TimeoutError):  # it ends there by itself
                async with asyncio.timeout(_DELETE_SECONDS), self._http.send("DELETE", self._session):
                    pass
        await self._http.close()

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _cancels(self, message: Message) -> bool:
        """Cancel a request without a session as HTTP does: by closing its stream (MCP 2026-07-28)."""
        if message.get("method") != CANCELLED or PROTOCOL_VERSION in dict(self._session):
            return False
        task = self._posts.pop(key_of(params_of(message).get("requestId")), None)
        if task is not None:
            task.cancel()
        return True

    # -- requests -------------------------------------------------------------------------------------------

    def _headers(self, message: Message) -> Headers:
        meta = params_of(message).get("_meta")
        version = meta.get(f"{PROTOCOL}protocolVersion") if isinstance(meta, dict) else None
        if not isinstance(version, str):
            return [*ACCEPT, *self._session]
        schema = self._schema_of(str(params_of(message).get("name")))
        return [*ACCEPT, (PROTOCOL_VERSION, version), *mirrored(message, schema).items()]

    async def _post(self, received: Received) -> None:
        message = received.message
        request = message if is_request(message) else None
        if message.get("method") == "initialize" and request is not None:
            self._session, self._initialize = [], key_of(request["id"])
        stream = _Stream(request)
        try:
            async with self._http.send("POST", self._headers(message), received.data) as response:
                found = response.headers.get(SESSION_ID)
                if found and SESSION_ID not in dict(self._session):
                    self._session.append((SESSION_ID, found))
                reason = await self._read(response, stream)
        except httpx.HTTPError as error:
            reason = f"the server does not answer: {' '.join(str(error).split()) or type(error).__name__}"
        if request is not None:
            self._posts.pop(key_of(request["id"]), None)
        if stream.waits:
            await self._handle(written(failure(message["id"], reason)))

    # -- responses ------------------------------------------------------------------------------------------

    async def _read(self, response: httpx.Response, stream: _Stream) -> str:
        """Pass on what a response holds; return why that is no answer to the request, if it is not."""
        if is_event_stream(response):
            await self._read_events(response, stream)
            for _ in range(MOST_RESUMED):
                if stream.waits and stream.last_id:
                    await self._resume(stream)
            return "the server's stream ended without an answer"
        async for _, received in messages_in(response):
            if response.is_success:
                await self._received(received, stream)
            elif stream.waits and "error" in received.message:
                # If the server could not read the request, its answer lacks the id.
                told = answer(stream.request_id, error=received.message["error"])
                await self._received(received.changed(told), stream)
        answered = f"the server answered {response.status_code} {response.reason_phrase}".rstrip()
        return f"{answered}, without an answer to this request" if response.is_success else answered

    async def _read_events(self, response: httpx.Response, stream: _Stream) -> None:
        with suppress(httpx.TransportError):  # resumed where that can be
            async for event, received in messages_in(response):
                stream.take(event)
                await self._received(received, stream)

    async def _resume(self, stream: _Stream) -> bool:
        """Ask for a stream again, from its last event; return whether the server gave one."""
        await asyncio.sleep(stream.pause)
        headers = [("accept", "text/event-stream"), *self._session]
        headers += [("last-event-id", stream.last_id)] if stream.last_id else []
        try:
            async with self._http.send("GET", headers) as response:
                if not is_event_stream(response) or not response.is_success:
                    return False
                await self._read_events(response, stream)
        except httpx.TransportError:
            return False
        return True

    async def _listen(self) -> None:
        """Read the stream of the server's own messages, if it offers one."""
        stream = _Stream(pause=0.0)
        with suppress(httpx.HTTPError):
            while await self._resume(stream):
                stream.pause = stream.pause or RESUME_SECONDS

    async def _received(self, received: Received, stream: _Stream) -> None:
        message = received.message
        if is_response(message):
            key, result = key_of(message["id"]), result_of(message)
            if key == self._initialize and result is not None:
                self._session.append((PROTOCOL_VERSION, str(result.get("protocolVersion"))))
                self._initialize = ""
            stream.waits = stream.waits and key != key_of(stream.request_id)
        if received.data.strip():
            await self._handle(b" ".join(received.data.strip().splitlines()) + b"\n")


class _Stream:
    """What a stream is to answer, its last event, and how long to wait before it is asked for again."""

    def __init__(self, request: Message | None = None, pause: float = RESUME_SECONDS) -> None:
        self.request_id = None if request is None else request["id"]
        self.waits = request is not None
        """Whether the request is not answered yet."""
        self.last_id = ""
        self.pause = pause

    def take(self, event: Event) -> None:
        self.last_id = event.value(b"id").decode("latin-1") or self.last_id
        retry = event.value(b"retry")
        if retry.isdigit():
            self.pause = min(int(retry[:9]) / 1000, 60.0)
