"""The HTTP client that the installed version of `mcp` brings: httpx2 with 2.x, httpx with 1.x; one interface."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any, Final

from toolgen.servers.address import HEADER
from toolgen.servers.event_stream import MAX_EVENT, Event, LongEvent, events
from toolgen.servers.messages import Received, read

if TYPE_CHECKING:
    import httpx2 as httpx
else:
    try:
        import httpx2 as httpx
    except ImportError:
        import httpx

__all__ = ["ACCEPT", "Headers", "HttpClient", "httpx", "is_event_stream", "media_type", "messages_in"]

Headers = list[tuple[str, str]]
"""Names in lower case, and values; a name may come twice."""

ACCEPT: Final[Headers] = [
    ("accept", "application/json, text/event-stream"),
    ("content-type", "application/json"),
]
"""The headers of a message of MCP."""
CONNECT_SECONDS: Final = 10.0
MAX_REDIRECTS: Final = 5
_NOT_PASSED: Final = frozenset(
    (
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te"),
        *("trailer", "transfer-encoding", "upgrade", "host", "expect", "content-length", "accept-encoding"),
    )
)
"""Headers of one connection (RFC 9110, section 7.6.1), and those that are made anew."""


class HttpClient:
    """One server's endpoint, with headers that every request to it has."""

    def __init__(self, url: str, headers: Iterable[tuple[str, str]] = ()) -> None:
        """Raise `ValueError` if the URL or a header is not valid."""
        try:
            self.url = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise ValueError(str(error)) from None
        if not self.url.host:
            raise ValueError("the URL has no host")
        self._headers: Headers = [(name.lower(), value) for name, value in headers]
        for name, value in self._headers:
            if not HEADER.fullmatch(f"{name}:{value}"):
                raise ValueError(
                    f"{name!r} is not a header name, or its value contains other characters than visible ASCII"
                )
        self._client = httpx.AsyncClient(
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),  # one client's are not another's
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
        self, method: str, headers: Iterable[tuple[str, str]], body: bytes = b"", query: str = ""
    ) -> AsyncIterator[httpx.Response]:
        """Send a request and yield its response, whose body is not read yet.

        Redirects within the server's origin are followed; others are responses as any other.

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


async def messages_in(response: httpx.Response) -> AsyncIterator[tuple[Event, Received]]:
    """Yield what a response holds: each event, or its body as one, with the messages in it.

    Raises:
        httpx.HTTPError: the server breaks off, or a message is too long.
    """
    if is_event_stream(response):
        try:
            async for event in events(response.aiter_raw()):
                yield event, read(event.value(b"data"))
        except LongEvent as error:
            raise httpx.HTTPError(str(error)) from None
        return
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > MAX_EVENT:
            raise httpx.HTTPError(f"the server's message has more than {MAX_EVENT:,} bytes")
    yield Event(()), read(bytes(body))


def passed_on(raw: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the headers of a message that go on: not those of one connection, nor what is made anew."""
    headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in raw]
    named = {
        word.strip().lower() for name, value in headers if name == "connection" for word in value.split(",")
    }
    return [(name, value) for name, value in headers if name not in _NOT_PASSED and name not in named]


def media_type(response: httpx.Response) -> str:
    """Return the type of a response's body, without parameters; empty if the body is packed."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        return ""
    kind: Any = response.headers.get("content-type", "")
    return str(kind).partition(";")[0].strip().lower()


def is_event_stream(response: httpx.Response) -> bool:
    """Return whether a response is a stream of events."""
    return media_type(response) == "text/event-stream"


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
