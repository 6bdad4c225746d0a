"""`HttpUpstream`: a server over streamable HTTP for a client that writes lines: each goes out as its own request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup

from toolgen.servers.event_stream import MAX_EVENT, EventSplitter
from toolgen.servers.http_client import Headers, HttpClient, httpx, is_event_stream
from toolgen.servers.http_sessions import SESSION_ID
from toolgen.servers.messages import (
    CANCELLED,
    PROTOCOL,
    Line,
    answer,
    id_text,
    is_response,
    key_of,
    params_of,
    read_line,
    result_of,
)
from toolgen.servers.mirrored_headers import PROTOCOL_VERSION, mirrored

INTERNAL_ERROR: Final = -32603
MOST_RESUMED: Final = 5
"""How often a stream is asked for again in a row, where it ends without a word."""
RESUME_SECONDS: Final = 1.0
"""How long to wait before, where the server does not say (`retry`)."""
MAX_UNDER_WAY: Final = 64 * 1024 * 1024
"""Bytes of requests whose answers have not come; one request may be under way, whatever its size."""
_DELETE_SECONDS: Final = 2.0
_TOO_LONG: Final = f"the server's message has more than {MAX_EVENT:,} bytes"

SchemaOf = Callable[[str], Any]


class HttpUpstream:
    """Keeps the session, the version of the protocol and the streams (MCP, basic/transports, "Streamable HTTP")."""

    def __init__(
        self,
        http: HttpClient,
        group: TaskGroup,
        to_client: Callable[[bytes], None],
        schema_of: SchemaOf,
        wait_for_client: Callable[[], Awaitable[None]],
    ) -> None:
        """Make one.

        Args:
            http: where the server is.
            group: where requests run beside each other.
            to_client: is given each message of the server.
            schema_of: knows the tools that are listed.
            wait_for_client: returns when the client has read enough for more to be read of the server.
        """
        self._http = http
        self._group = group
        self._to_client = to_client
        self._schema_of = schema_of
        self._wait_for_client = wait_for_client
        self._under_way = 0
        self._session: Headers = []
        self._version: Headers = []
        self._initialize = ""
        """The request of `initialize`, whose answer says the version."""
        self._posts: dict[str, anyio.CancelScope] = {}
        """Requests whose answers have not come."""

    async def send(self, data: bytes) -> None:
        """Send a line of the client. Only requests run beside each other; `initialize` is waited for, too."""
        line = read_line(data)
        message = line.messages[0] if len(line.messages) == 1 else {}
        if self._cancels(message):
            return
        if "method" in message and "id" in message and message["method"] != "initialize":
            self._group.start_soon(self._post, line)
            return
        await self._post(line)
        if message.get("method") == "notifications/initialized":
            self._group.start_soon(self._listen)

    async def drain(self) -> None:
        """Wait until all requests are answered."""
        while self._posts:
            await anyio.sleep(0.02)

    async def close(self) -> None:
        """End the session, if there is one."""
        if self._session:
            with anyio.move_on_after(_DELETE_SECONDS, shield=True):
                try:
                    async with self._http.send("DELETE", [*self._session, *self._version], b""):
                        pass
                except httpx.HTTPError:
                    pass  # it ends there by itself

    def _cancels(self, message: dict[str, Any]) -> bool:
        """Cancel a request without a session as HTTP does: by closing its stream (MCP 2026-07-28)."""
        if message.get("method") != CANCELLED or self._version:
            return False
        scope = self._posts.get(key_of(params_of(message).get("requestId")))
        if scope is not None:
            scope.cancel()
        return True

    # -- requests -------------------------------------------------------------------------------------------

    def _headers(self, message: dict[str, Any]) -> Headers:
        headers = [("accept", "application/json, text/event-stream"), ("content-type", "application/json")]
        meta = params_of(message).get("_meta")
        version = meta.get(f"{PROTOCOL}protocolVersion") if isinstance(meta, dict) else None
        if not isinstance(version, str):
            return [*headers, *self._session, *self._version]
        schema = self._schema_of(str(params_of(message).get("name")))
        return [*headers, (PROTOCOL_VERSION, version), *mirrored(message, schema).items()]

    async def _post(self, line: Line) -> None:
        message = line.messages[0] if len(line.messages) == 1 else {}
        waiting = {
            key_of(m["id"]): id_text(text)
            for m, text in zip(line.messages, line.texts() if line.messages else (), strict=True)
            if "id" in m and "method" in m
        }
        if message.get("method") == "initialize":
            self._session, self._version, self._initialize = [], [], next(iter(waiting), "")
        if self._under_way and self._under_way + len(line.data) > MAX_UNDER_WAY:
            for request_id in waiting.values():
                self._to_client(
                    _error(request_id, f"more than {MAX_UNDER_WAY:,} bytes of requests are under way")
                )
            return
        self._under_way += len(line.data)
        with anyio.CancelScope() as scope:
            self._posts |= dict.fromkeys(waiting, scope)
            try:
                async with self._http.send("POST", self._headers(message), line.data) as response:
                    self._session = _session_of(response) or self._session
                    failure = await self._read(response, waiting)
            except httpx.HTTPError as error:
                failure = (
                    f"the server does not answer: {' '.join(str(error).split()) or type(error).__name__}"
                )
            for request_id in waiting.values():
                self._to_client(_error(request_id, failure))
        self._under_way -= len(line.data)
        for key in waiting:
            self._answered(key)

    def _answered(self, key: str) -> None:
        self._posts.pop(key, None)

    async def _read(self, response: httpx.Response, waiting: dict[str, Any]) -> str:
        """Pass on what a response holds; leave in `waiting` what it does not answer, and return why."""
        if not is_event_stream(response):
            body = await self._body(response)
            if body is None:
                return _TOO_LONG
            if response.is_success:
                self._received(body, waiting)
            elif len(waiting) == 1 and "error" in (read_line(body).messages or ({},))[0]:
                # Where the request was not read as one, its id is not in the answer.
                request_id = next(iter(waiting.values()))
                error = read_line(body).messages[0]["error"]
                self._received(answer(request_id, error=error), waiting)
            answered = f"the server answered {response.status_code} {response.reason_phrase}".rstrip()
            return f"{answered}, without an answer to this request" if response.is_success else answered
        stream = _Stream()
        await self._read_events(response, stream, waiting)
        for _ in range(MOST_RESUMED):
            if not waiting or not stream.last_id or stream.was_too_long:
                break
            await self._resume(stream, waiting)
        return _TOO_LONG if stream.was_too_long else "the server's stream ended without an answer"

    async def _body(self, response: httpx.Response) -> bytes | None:
        """Return a body; None where it is too long."""
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > MAX_EVENT:
                return None
        await self._wait_for_client()
        return bytes(body)

    async def _read_events(self, response: httpx.Response, stream: _Stream, waiting: dict[str, Any]) -> None:
        events = EventSplitter(MAX_EVENT)
        try:
            async for chunk in response.aiter_raw():
                for event in events.feed(chunk):
                    stream.take(event.raw)
                    stream.was_too_long |= event.is_part
                    if event.data:
                        self._received(event.data, waiting)
                await self._wait_for_client()
        except httpx.HTTPError:
            pass  # resumed where that can be

    async def _resume(self, stream: _Stream, waiting: dict[str, Any]) -> bool:
        """Ask for a stream again, from its last event; return whether the server gave one."""
        await anyio.sleep(stream.pause)
        headers = [("accept", "text/event-stream"), *self._session, *self._version]
        headers += [("last-event-id", stream.last_id)] if stream.last_id else []
        try:
            async with self._http.send("GET", headers, b"") as response:
                if not is_event_stream(response) or not response.is_success:
                    return False
                await self._read_events(response, stream, waiting)
        except httpx.HTTPError:
            return False
        return True

    async def _listen(self) -> None:
        """Read what the server sends of itself, where it offers a stream for that."""
        stream = _Stream(pause=0.0)
        while await self._resume(stream, {}):
            stream.pause = stream.pause or RESUME_SECONDS

    # -- messages -------------------------------------------------------------------------------------------

    def _received(self, data: bytes, waiting: dict[str, Any]) -> None:
        line = read_line(data)
        for message in line.messages:
            if not is_response(message):
                continue
            key = key_of(message["id"])
            result = result_of(message)
            if key == self._initialize and result is not None:
                self._version = [(PROTOCOL_VERSION, str(result.get("protocolVersion")))]
            waiting.pop(key, None)
            self._answered(key)
        if line.messages or data.strip():
            self._to_client(b" ".join(data.split(b"\n")).replace(b"\r", b" ").strip() + b"\n")


class _Stream:
    """Where a stream is: the id of its last event, and how long to wait before it is asked for again."""

    def __init__(self, pause: float = RESUME_SECONDS) -> None:
        self.last_id = ""
        self.pause = pause
        self.was_too_long = False
        """Whether it held a message that was not read."""

    def take(self, raw: bytes) -> None:
        for line in raw.splitlines():
            name, _, value = line.partition(b":")
            text = value.removeprefix(b" ").decode("latin-1")
            if name == b"id":
                self.last_id = text
            elif name == b"retry" and text.isdigit():
                self.pause = min(int(text[:9]) / 1000, 60.0)


def _session_of(response: httpx.Response) -> Headers:
    found = response.headers.get(SESSION_ID)
    return [(SESSION_ID, found)] if found else []


def _error(request_id: str, message: str) -> bytes:
    return answer(request_id, error={"code": INTERNAL_ERROR, "message": message})
