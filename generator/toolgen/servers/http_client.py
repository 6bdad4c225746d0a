"""The HTTP client that the installed `mcp` brings (httpx2 with 2.x, httpx with 1.x), and the parts of a response."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Final

from toolgen.servers.messages import Message, read

if TYPE_CHECKING:
    import httpx2 as httpx
else:
    try:
        import httpx2 as httpx
    except ImportError:
        import httpx

__all__ = ["HttpClient", "httpx", "parts_of"]

Headers = list[tuple[str, str]]
"""Names in lower case, and values; a name may come twice."""

MESSAGE: Final = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
"""The headers of a message of MCP."""
SESSION_ID: Final = "mcp-session-id"
CONNECT_SECONDS: Final = 10.0
MAX_REDIRECTS: Final = 5
MAX_BODY: Final = 64 * 1024 * 1024
"""Bytes of a request, of a response that is read, and of an event."""
_NOT_PASSED: Final = frozenset(
    (
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te"),
        *("trailer", "transfer-encoding", "upgrade", "host", "expect", "content-length", "accept-encoding"),
    )
)
"""Headers of one connection (RFC 9110, section 7.6.1), and those that are set anew."""
_END_OF_EVENT: Final = re.compile(rb"(?:\r\n|\n|\r(?!\n)){2}")


class HttpClient:
    """One server's endpoint, and the headers that every request to it has."""

    def __init__(self, url: str, headers: Iterable[tuple[str, str]] = ()) -> None:
        """Raise `ValueError` if the URL is not valid."""
        try:
            self.url = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise ValueError(str(error)) from None
        self._headers: Headers = [(name.lower(), value) for name, value in headers]
        self._client = httpx.AsyncClient(
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),  # a client's cookies are its own
            limits=httpx.Limits(max_connections=None, keepalive_expiry=30.0),
            timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
            verify=self.url.scheme == "https",  # loading certificates takes time
        )
        self._client.headers.clear()

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    @asynccontextmanager
    async def send(
        self, method: str, headers: Headers, body: bytes = b"", query: str = ""
    ) -> AsyncIterator[httpx.Response]:
        """Send a request and yield its response, whose body is not read yet; follow redirects within the server.

        Raises:
            httpx.HTTPError: the server cannot be reached, or breaks off.
        """
        own = {name for name, _ in self._headers}
        kept = [(name, value) for name, value in headers if name not in own]
        sent = [*kept, *self._headers, ("accept-encoding", "identity")]  # bodies are read here, too
        both = "&".join(part for part in (self.url.query.decode("ascii"), query) if part)
        request = self._client.build_request(
            method,
            self.url.copy_with(query=both.encode("ascii")) if query else self.url,
            headers=[(name.encode("latin-1"), value.encode("latin-1")) for name, value in sent],
            content=body if body or method == "POST" else None,
        )
        response = await self._client.send(request, stream=True)
        for _ in range(MAX_REDIRECTS):
            following = response.next_request
            if following is None or _origin(following.url) != _origin(self.url) or following.method != method:
                break
            await response.aclose()
            response = await self._client.send(following, stream=True)
        try:
            yield response
        finally:
            await response.aclose()


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes of a response that go on together, and the message in them: an event, or a whole body."""

    data: bytes
    message: Message
    is_event: bool = False

    def changed(self, message: Message) -> bytes:
        """Return the bytes with another message in place of this one."""
        if message is self.message:
            return self.data
        if not self.is_event:
            return message.data
        kept = [line for line in self.data.splitlines() if line and line.partition(b":")[0] != b"data"]
        return b"\n".join((*kept, b"data: " + message.data.strip())) + b"\n\n"


async def parts_of(response: httpx.Response) -> AsyncIterator[Part]:
    """Yield the parts of a response as they come, an empty one at the beginning of a stream.

    Compressed and very long bodies pass without being read.

    Raises:
        httpx.HTTPError: the server breaks off, or an event is too long.
    """
    buffer = bytearray()
    searched = 0
    is_stream = is_event_stream(response)
    if is_stream:
        yield Part(b"", Message(b""))
    async for chunk in response.aiter_raw():
        buffer += chunk
        while is_stream and (end := _END_OF_EVENT.search(buffer, searched)):
            data = bytes(buffer[: end.end()])
            del buffer[: end.end()]
            searched = 0
            yield Part(data, read(field_of(data, b"data")), is_event=True)
        searched = max(0, len(buffer) - 3)
        if len(buffer) > MAX_BODY and is_stream:
            raise httpx.HTTPError(f"the server's message has more than {MAX_BODY:,} bytes")
        if len(buffer) > MAX_BODY or (not is_stream and "content-encoding" in response.headers):
            yield Part(bytes(buffer), Message(b""))
            buffer.clear()
    if not is_stream:
        yield Part(bytes(buffer), read(bytes(buffer)))


def field_of(event: bytes, name: bytes) -> bytes:
    """Return the value of an event's field, its lines joined; empty if the event does not have it."""
    parts = (line.partition(b":") for line in event.splitlines())
    return b"\n".join(value.removeprefix(b" ") for key, _, value in parts if key == name)


def is_event_stream(response: httpx.Response) -> bool:
    """Return whether a response is a stream of events that can be read."""
    kind: str = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "text/event-stream" and "content-encoding" not in response.headers


def passed_on(raw: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the headers of a message that go on."""
    headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in raw]
    named = {
        word.strip().lower() for name, value in headers if name == "connection" for word in value.split(",")
    }
    return [(name, value) for name, value in headers if name not in _NOT_PASSED and name not in named]


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
