"""The HTTP client that the installed `mcp` brings (httpx2 with 2.x, httpx with 1.x), and the parts of a response."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any, Final

from toolgen.servers.messages import Message, read

if TYPE_CHECKING:
    import httpx2 as httpx
else:
    try:
        import httpx2 as httpx
    except ImportError:
        import httpx

__all__ = ["HttpClient", "httpx", "parts_of"]

Headers = list[tuple[bytes, bytes]]
"""Names in lower case, and values; a name may come twice."""

MESSAGE: Final = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
"""The headers of a message of MCP."""
SESSION_ID: Final = "mcp-session-id"
CONNECT_SECONDS: Final = 10.0
MAX_REDIRECTS: Final = 5
MAX_BODY: Final = 64 * 1024 * 1024
"""Bytes of a request, of a response, and of an event."""
_NOT_PASSED: Final = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
    b"upgrade host expect content-length accept-encoding".split()
)
"""Headers of one connection (RFC 9110, section 7.6.1), and those that are set anew."""
METHOD: Final = b"mcp-method"
PARAM: Final = b"mcp-param-"
_NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The parameter that `Mcp-Name` repeats."""
_END_OF_EVENT: Final = re.compile(rb"(?:\r\n|\n|\r(?!\n)){2}")


def raw(headers: Mapping[str, str]) -> Headers:
    """Return headers as they are sent."""
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


class HttpClient:
    """One server's endpoint, and the headers that every request to it has."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        """Raise `ValueError` if the URL is not valid."""
        try:
            self.url = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise ValueError(str(error)) from None
        self._headers = raw(headers)
        self._client = httpx.AsyncClient(
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),  # a client's cookies are its own
            event_hooks={"request": [self._stay]},
            follow_redirects=True,
            max_redirects=MAX_REDIRECTS,
            # Node and uvicorn close connections that are idle for 5 seconds: none of these is used at that moment.
            limits=httpx.Limits(max_connections=None, keepalive_expiry=4.0),
            timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
            verify=self.url.scheme == "https",  # loading certificates takes time
        )
        self._client.headers.clear()

    async def _stay(self, request: httpx.Request) -> None:
        if (request.url.scheme, request.url.netloc) != (self.url.scheme, self.url.netloc):
            raise httpx.HTTPError(f"it redirects to {request.url.host}")

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    def send(
        self, method: str, headers: Headers, body: bytes = b"", query: str = ""
    ) -> AbstractAsyncContextManager[httpx.Response]:
        """Send a request and give its response, whose body is not read yet; follow redirects within the server.

        Raises:
            httpx.HTTPError: the server cannot be reached, or breaks off.
        """
        own = dict(self._headers)
        both = "&".join(part for part in (self.url.query.decode("ascii"), query) if part)
        return self._client.stream(
            method,
            self.url.copy_with(query=both.encode("ascii")) if query else self.url,
            headers=[
                *(pair for pair in headers if pair[0] not in own),
                *own.items(),
                (b"accept-encoding", b"identity"),
            ],
            content=body if body or method == "POST" else None,
        )


async def parts_of(response: httpx.Response) -> AsyncIterator[tuple[bytes, Message]]:
    """Yield the parts of a response as they come, each with its message: all of it, or each event after an empty part.

    Raises:
        httpx.HTTPError: the server breaks off, or a part is too long.
    """
    buffer, searched = bytearray(), 0
    is_stream = is_event_stream(response)
    if is_stream:
        yield b"", Message(b"")
    async for chunk in response.aiter_bytes():
        buffer += chunk
        while is_stream and (end := _END_OF_EVENT.search(buffer, searched)):
            data = bytes(buffer[: end.end()])
            del buffer[: end.end()]
            searched = 0
            yield data, read(field_of(data, b"data"))
        searched = max(0, len(buffer) - 3)
        if len(buffer) > MAX_BODY:
            raise httpx.HTTPError(f"the server's message has more than {MAX_BODY:,} bytes")
    if not is_stream:
        yield bytes(buffer), read(bytes(buffer))


def field_of(event: bytes, name: bytes) -> bytes:
    """Return the value of an event's field, its lines joined; empty if the event does not have it."""
    parts = (line.partition(b":") for line in event.splitlines())
    return b"\n".join(value.removeprefix(b" ") for key, _, value in parts if key == name)


def is_event_stream(response: httpx.Response) -> bool:
    """Return whether a response is a stream of events."""
    kind: str = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "text/event-stream"


def passed_on(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the headers of a message that go on."""
    lowered = [(name.lower(), value) for name, value in headers]
    named = b",".join(value.lower() for name, value in lowered if name == b"connection")
    not_passed = _NOT_PASSED | {word.strip() for word in named.split(b",")}
    return [(name, value) for name, value in lowered if name not in not_passed]


def reason_of(error: httpx.HTTPError) -> str:
    """Return why a request has no response."""
    return f"the server does not answer: {' '.join(str(error).split()) or type(error).__name__}"


def mirrored(message: Message, schema: Any) -> Headers:
    """Return the headers that repeat parts of a request (MCP 2026-07-28, streamable-http, "Request Headers").

    `Mcp-Param-X` repeats an argument whose property in the tool's `schema` has `"x-mcp-header": "X"`. These rules are
    those of mcp 2; mcp 1 does not know this version.
    """
    headers = {METHOD.decode(): str(message.method)}
    name, arguments = message.params.get(_NAMED.get(str(message.method), "")), message.params.get("arguments")
    try:
        from mcp.shared import inbound as rules  # they take 30 MiB
    except ImportError:
        return raw(headers | ({"mcp-name": name} if isinstance(name, str) else {}))
    if isinstance(name, str):
        headers["mcp-name"] = rules.encode_header_value(name)
    is_right = isinstance(schema, dict) and rules.find_invalid_x_mcp_header(schema) is None
    if is_right and isinstance(arguments, dict):
        headers |= rules.mcp_param_headers(rules.x_mcp_header_map(schema), arguments)
    return raw(headers)


def mirrored_again(headers: Headers, before: Message, after: Message, schema: Any) -> Headers:
    """Return the headers of a changed request; as they are if one contradicts the request, which the server refuses."""
    given, old, new = dict(headers), dict(mirrored(before, schema)), dict(mirrored(after, schema))
    if METHOD not in given or any(given.get(name, value) != value for name, value in old.items()):
        return headers
    return [*((name, value) for name, value in headers if name not in old | new), *new.items()]
