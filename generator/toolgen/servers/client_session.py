"""A session with a real MCP server, through the official client: mcp 1.x and 2.x, stdio and streamable HTTP."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import IO, Any, Final, Protocol

from toolgen.servers.address import ServerAddress

_REFUSALS: Final = (401, 403, 407, 429)


class Listener(Protocol):
    """Takes each notification of the server."""

    async def __call__(self, message: Any) -> None:
        """Take one; mcp 1.x wraps it."""


Sift = Callable[[dict[str, Any]], None]
"""Changes the result of a response before the client looks at it, and refuses all of it for a part."""


@asynccontextmanager
async def open_session(
    server: ServerAddress, log: IO[str], listener: Listener, sift: Sift
) -> AsyncIterator[Any]:
    """Connect with whichever client is installed; the handshake is done. A server that is started writes to `log`."""
    try:
        from mcp import Client
    except ImportError:
        async with _session_of_mcp_1(server, log, listener, sift) as session:
            yield session
        return
    from mcp.client import streamable_http
    from mcp.client.stdio import stdio_client

    if server.url:
        http_client: Any = streamable_http.create_mcp_http_client(headers=dict(server.headers))  # type: ignore[attr-defined]
        http_client.event_hooks = {"response": [partial(_log_refusal, log)]}
        async with http_client as http:
            over_http: Any = streamable_http.streamable_http_client(server.url, http_client=http)
            async with Client(_sifted(over_http, sift), message_handler=listener) as client:
                yield client.session
        return
    connection: Any = stdio_client(_parameters(server), errlog=log)  # type: ignore[arg-type]
    async with Client(_sifted(connection, sift), message_handler=listener) as client:
        yield client.session


@asynccontextmanager
async def _session_of_mcp_1(
    server: ServerAddress, log: IO[str], listener: Listener, sift: Sift
) -> AsyncIterator[Any]:
    from mcp import ClientSession
    from mcp.client import streamable_http
    from mcp.client.stdio import stdio_client

    if server.url:
        connection: Any = streamable_http.streamablehttp_client(server.url, headers=dict(server.headers))  # type: ignore[attr-defined]
    else:
        connection = stdio_client(_parameters(server), errlog=log)  # type: ignore[arg-type]
    async with (
        _sifted(connection, sift) as streams,
        ClientSession(streams[0], streams[1], message_handler=listener) as session,
    ):
        await session.initialize()
        yield session


@asynccontextmanager
async def _sifted(connection: Any, sift: Sift) -> AsyncIterator[Any]:
    """Open a connection whose messages pass `sift`."""
    async with connection as streams:
        yield _Sifted(streams[0], sift), streams[1]


class _Sifted:
    """The messages that a client reads of a server."""

    def __init__(self, stream: Any, sift: Sift) -> None:
        self._stream, self._sift = stream, sift

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __aiter__(self) -> _Sifted:
        return self

    async def __anext__(self) -> Any:
        item = await self._stream.__anext__()
        message = getattr(item, "message", None)
        result = getattr(getattr(message, "root", message), "result", None)  # mcp 1.x wraps it
        if isinstance(result, dict):
            self._sift(result)
        return item

    async def __aenter__(self) -> _Sifted:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self._stream.__aexit__(*error)


async def _log_refusal(log: IO[str], response: Any) -> None:
    """Keep the status of a refusal, which the client's own message leaves out."""
    if response.status_code in _REFUSALS or response.status_code >= 500:
        log.write(f"{response.status_code} {response.reason_phrase}\n")


def _parameters(server: ServerAddress) -> Any:
    from mcp import StdioServerParameters

    command, *words = server.command
    environment = {**os.environ, **server.environment}
    return StdioServerParameters(command=command, args=words, env=environment, cwd=server.cwd)
