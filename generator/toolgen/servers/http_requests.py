"""`read_request`: a request of HTTP, whole, or why it is not taken."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, MutableMapping, Set
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final

import anyio

from toolgen.servers.http_client import Headers, passed_on

MAX_REQUEST: Final = 64 * 1024 * 1024
"""Bytes of a request's body."""
MAX_HELD: Final = 4 * MAX_REQUEST
"""Bytes of the bodies of all requests that are under way; one may be, whatever its size."""
IDLE_SECONDS: Final = 30.0
"""How long a client may pause within a body."""
BODY_SECONDS: Final = 300.0
"""How long a body may take."""
INVALID_REQUEST: Final = -32600

_HOST = r"(?P<host>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?"
_LOCAL: Final = {b"host": re.compile(_HOST), b"origin": re.compile(rf"https?://{_HOST}")}
_OF_CONNECTIONS: Final = ("CONNECT", "TRACE")
"""Methods that speak to the next connection, not to a resource."""

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]


class BadRequest(Exception):  # noqa: N818  it is answered, not raised to anyone
    """A request that does not go on, with the answer to it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, INVALID_REQUEST


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it goes on: its own headers, without those of the connection."""

    method: str
    headers: Headers
    body: bytes
    query: str


class Bodies:
    """Counts the bytes of bodies that are held."""

    def __init__(self) -> None:
        self.size = 0

    @contextmanager
    def share(self) -> Iterator[Share]:
        """Give the share of one request, and take it back when that is over."""
        share = Share(self)
        try:
            yield share
        finally:
            self.size -= share.size


class Share:
    """The bytes of one request's body."""

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self.size = 0

    def add(self, size: int) -> None:
        """Count more bytes; raise `BadRequest` where they are too many."""
        self.size += size
        self._bodies.size += size
        if self.size > MAX_REQUEST:
            raise BadRequest(413, f"the body has more than {MAX_REQUEST} bytes")
        if self._bodies.size > MAX_HELD and self.size < self._bodies.size:
            raise BadRequest(503, f"the bodies of all requests under way have more than {MAX_HELD} bytes")


async def read_request(
    scope: Mapping[str, Any], receive: Receive, share: Share, *, path: str, local_only: bool
) -> Request | None:
    """Return a request with its whole body; None where the client is gone.

    Args:
        scope: of ASGI, of the type `http`.
        receive: of ASGI.
        share: what counts the body.
        path: where the endpoint is.
        local_only: whether to refuse requests that a page of another site could have made.

    Raises:
        BadRequest: it is not for the endpoint, or its body is too long or too slow.
    """
    raw = scope["headers"]
    _refuse_ambiguous(scope["method"], {bytes(name) for name, _ in raw})
    if local_only:
        _refuse_foreign(raw)
    if scope["path"] != path:
        raise BadRequest(404, f"the proxy serves {path}")
    body = await _body(receive, raw, share)
    if body is None:
        return None
    return Request(scope["method"], passed_on(raw), body, scope["query_string"].decode("latin-1"))


def _refuse_ambiguous(method: str, names: Set[bytes]) -> None:
    """Refuse what means different things to those that it passes (RFC 9112, section 6.1; RFC 9110, section 9.3.6)."""
    if {b"content-length", b"transfer-encoding"} <= names:
        raise BadRequest(400, "the body has a Content-Length and a Transfer-Encoding")
    if method in _OF_CONNECTIONS:
        raise BadRequest(405, f"{method} is not passed on")


def _refuse_foreign(raw: Iterable[tuple[bytes, bytes]]) -> None:
    """Refuse what a browser sends for a page of another site (MCP, streamable HTTP, "Security Warning")."""
    for name, value in raw:
        pattern = _LOCAL.get(bytes(name))
        match = pattern and pattern.fullmatch(bytes(value).decode("latin-1"))
        if pattern and not (match and _is_local(match["host"])):
            where = bytes(name).decode("latin-1")
            raise BadRequest(403, f"{where} is not this machine: the proxy serves local clients only")


def _is_local(host: str) -> bool:
    try:
        return host.lower() == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


async def _body(receive: Receive, raw: list[tuple[bytes, bytes]], share: Share) -> bytes | None:
    length = dict(raw).get(b"content-length", b"")
    if length.isdigit() and (len(length) > 12 or int(length) > MAX_REQUEST):
        raise BadRequest(413, f"the body has more than {MAX_REQUEST} bytes")
    body = bytearray()
    try:
        with anyio.fail_after(BODY_SECONDS):
            while True:
                with anyio.fail_after(IDLE_SECONDS):
                    event = await receive()
                if event["type"] == "http.disconnect":
                    return None
                body += event.get("body", b"")
                share.add(len(event.get("body", b"")))
                if not event.get("more_body"):
                    return bytes(body)
    except TimeoutError:
        raise BadRequest(408, "the body did not come") from None
