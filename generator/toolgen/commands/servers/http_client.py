"""Send requests to a server, with the HTTP client that `mcp` installs, and read the parts of its responses.

The client is httpx2 with mcp 2.x and httpx with mcp 1.x.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Final

from toolgen.commands.servers.large_messages import Held, Share
from toolgen.commands.servers.messages import Message, read, weight_of
from toolgen.commands.servers.param_headers import encoded
from toolgen.commands.servers.threads import in_worker

if TYPE_CHECKING:
    import httpx2 as httpx
else:
    try:
        import httpx2 as httpx
    except ImportError:
        import httpx

HttpError = httpx.HTTPError
Headers = list[tuple[bytes, bytes]]
"""Header names in lower case, with their values; a name may occur twice."""

MESSAGE: Final = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
"""The headers of an MCP message."""
SESSION_ID: Final = "mcp-session-id"
CONNECT_SECONDS: Final = 10.0
MAX_BODY: Final = 64 * 1024 * 1024
"""The maximum number of bytes of a request, of a response, and of an event."""
QUICKLY_READ: Final = 500_000
"""The number of bytes of a message that are read at once; reading a message of this length takes a few milliseconds."""
_TOO_MUCH: Final = "the proxy holds too many large messages"
_NOT_PASSED: Final = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
    b"upgrade host expect content-length accept-encoding".split()
)
"""Headers that belong to one connection (RFC 9110, section 7.6.1), and those that the client sets itself."""
_NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""For each method, the parameter that `Mcp-Name` repeats."""
_END_OF_EVENT: Final = re.compile(rb"(?:\r\n|\n|\r(?!\n)){2}")


def raw(headers: Mapping[str, str]) -> Headers:
    """Convert headers to bytes, as HTTP sends them."""
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


class HttpClient(httpx.AsyncClient):
    """The client for one server. It adds the headers that every request must have."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        """Create the client. Raise `ValueError` if the URL is not valid."""
        try:
            self.url = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise ValueError(str(error)) from None
        self._own = dict(raw({**headers, "accept-encoding": "identity"}))
        super().__init__(
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),  # clients keep their own cookies
            event_hooks={"request": [self._stay]},
            follow_redirects=True,
            # Node and uvicorn close connections that are idle for 5 seconds; this client closes them before that.
            limits=httpx.Limits(max_connections=None, keepalive_expiry=4.0),
            timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
            verify=self.url.scheme == "https",  # loading certificates takes time
        )
        self.headers.clear()

    async def _stay(self, request: httpx.Request) -> None:
        if (request.url.scheme, request.url.netloc) != (self.url.scheme, self.url.netloc):
            raise HttpError(f"it redirects to {request.url.host}")

    def exchange(
        self, method: str, headers: Headers, body: bytes = b"", query: str = ""
    ) -> AbstractAsyncContextManager[httpx.Response]:
        """Send a request, and return the response before its body is read. Redirects to the same server are
        followed.

        Raises:
            HttpError: the server cannot be reached, or breaks the connection.
        """
        sent = [pair for pair in headers if pair[0] not in self._own]
        both = "&".join(part for part in (self.url.query.decode("ascii"), query) if part)
        return self.stream(
            method,
            self.url.copy_with(query=both.encode("ascii")) if query else self.url,
            headers=[*sent, *self._own.items()],
            content=body if body or method == "POST" else None,
        )


async def read_in_time(data: bytes) -> Message:
    """Parse a message. If it is large, other requests are served in the meantime."""
    if len(data) <= QUICKLY_READ:
        return read(data)
    return await in_worker(read, data)


async def parts_of(
    response: httpx.Response, held: Held | None = None
) -> AsyncIterator[tuple[bytes, Message]]:
    """Yield the parts of a response as they arrive, together with the message in each.

    The parts are the body, or an empty part followed by each event.

    Raises:
        HttpError: the server breaks the connection, a part is too long, or all that is `held` is too much.
    """
    share = Share(held or Held())
    try:
        async for data, text in _texts_of(response, share):
            weight = weight_of(text) - len(text)
            if not share.add(weight):
                raise HttpError(_TOO_MUCH)
            yield data, await read_in_time(text)
            share.free(weight)
    finally:
        share.free()


async def _texts_of(response: httpx.Response, share: Share) -> AsyncIterator[tuple[bytes, bytes]]:
    """Yield the parts of a response, each with the text of its message."""
    buffer, searched = bytearray(), 0
    is_stream = is_event_stream(response)
    if is_stream:
        yield b"", b""
    async for chunk in response.aiter_bytes():
        buffer += chunk
        if not share.add(len(chunk)):
            raise HttpError(_TOO_MUCH)
        while is_stream and (end := _END_OF_EVENT.search(buffer, searched)):
            data = bytes(buffer[: end.end()])
            del buffer[: end.end()]
            searched = 0
            fields = (line.partition(b":") for line in data.splitlines())
            lines = (value.removeprefix(b" ") for name, _, value in fields if name == b"data")
            yield data, b"\n".join(lines)
            share.free(len(data))
        searched = max(0, len(buffer) - 3)
        if len(buffer) > MAX_BODY:
            raise HttpError(f"the server's message has more than {MAX_BODY:,} bytes")
    if not is_stream:
        whole = bytes(buffer)
        buffer.clear()
        yield whole, whole


def is_event_stream(response: httpx.Response) -> bool:
    """Return whether a response is a stream of server-sent events."""
    return str(response.headers.get("content-type", "")).lower().startswith("text/event-stream")


def passed_on(headers: Iterable[tuple[bytes, bytes]], *others: bytes) -> Headers:
    """Return the headers that are forwarded, without those in `others`."""
    lowered = [(name.lower(), value) for name, value in headers]
    named = b",".join(value.lower() for name, value in lowered if name == b"connection")
    not_passed = _NOT_PASSED | {*others} | {word.strip() for word in named.split(b",")}
    return [(name, value) for name, value in lowered if name not in not_passed]


def reason_of(error: HttpError) -> str:
    """Return, in words, why a request got no response."""
    return f"the server does not respond: {' '.join(str(error).split()) or type(error).__name__}"


def mirrored(message: Message) -> Headers:
    """Return the headers that repeat the method, name and parameters of a request (MCP 2026-07-28, "Request
    Headers").
    """
    name = message.params.get(_NAMED.get(str(message.method), ""))
    headers = {"mcp-method": str(message.method)}
    if isinstance(name, str):
        headers["mcp-name"] = encoded(name)
    return raw({**headers, **message.param_headers})
