"""A session with a real MCP server, through the official client: mcp 1.x and 2.x, stdio and streamable HTTP."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import IO, Any, Final, Protocol

from toolgen.servers.server import ServerAddress

_REFUSALS: Final = (401, 403, 407, 429)


class Listener(Protocol):
    """Takes each notification of the server."""

    async def __call__(self, message: Any) -> None:
        """Take one; mcp 1.x wraps it."""


@asynccontextmanager
async def open_session(server: ServerAddress, log: IO[str], listener: Listener) -> AsyncIterator[Any]:
    """Connect with whichever client is installed; the handshake is done. A server that is started writes to `log`."""
    try:
        from mcp import Client
    except ImportError:
        async with _session_of_mcp_1(server, log, listener) as session:
            yield session
        return
    from mcp.client import streamable_http
    from mcp.client.stdio import stdio_client

    if server.url:
        http_client: Any = streamable_http.create_mcp_http_client(headers=dict(server.headers))  # type: ignore[attr-defined]
        http_client.event_hooks = {"response": [partial(_log_refusal, log)]}
        async with (
            http_client as http,
            Client(
                streamable_http.streamable_http_client(server.url, http_client=http), message_handler=listener
            ) as client,
        ):
            yield client.session
        return
    connection: Any = stdio_client(_parameters(server), errlog=log)  # type: ignore[arg-type]
    async with Client(connection, message_handler=listener) as client:
        yield client.session


@asynccontextmanager
async def _session_of_mcp_1(server: ServerAddress, log: IO[str], listener: Listener) -> AsyncIterator[Any]:
    from mcp import ClientSession
    from mcp.client import streamable_http
    from mcp.client.stdio import stdio_client

    if server.url:
        connection: Any = streamable_http.streamablehttp_client(server.url, headers=dict(server.headers))  # type: ignore[attr-defined]
    else:
        connection = stdio_client(_parameters(server), errlog=log)  # type: ignore[arg-type]
    async with (
        connection as streams,
        ClientSession(streams[0], streams[1], message_handler=listener) as session,
    ):
        await session.initialize()
        yield session


async def _log_refusal(log: IO[str], response: Any) -> None:
    """Keep the status of a refusal, which the client's own message leaves out."""
    if response.status_code in _REFUSALS or response.status_code >= 500:
        log.write(f"{response.status_code} {response.reason_phrase}\n")


def _parameters(server: ServerAddress) -> Any:
    from mcp import StdioServerParameters

    command, *words = server.command
    environment = {**os.environ, **server.environment}
    return StdioServerParameters(command=command, args=words, env=environment, cwd=server.cwd)
