"""`tools/list` of a real MCP server, through the official client: mcp 1.x and 2.x, stdio and streamable HTTP."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import IO, Any, Final

from toolgen.diagnostics import Diagnostic, Place, SpecError
from toolgen.servers.server import ServerAddress

MAX_PAGES: Final = 1_000
"""Pages of a list after which a server is taken to repeat itself."""
MAX_REASON: Final = 300
"""Characters of a failure that are shown."""


def tools_of(server: ServerAddress, timeout: float) -> dict[str, Any]:
    """Return `{"tools": [...]}` as the server lists them, all pages, sorted by name, with `ttlMs` and `cacheScope`.

    Args:
        server: where it is.
        timeout: seconds for all of it.

    Raises:
        SpecError: `server-failed`: the client is not installed, or the server cannot be reached, hangs, exits, answers
            with what is not MCP, or has no tools.
    """
    import asyncio

    with tempfile.TemporaryFile("w+", errors="replace") as log, _no_logging():
        try:
            found = asyncio.run(_listed(server, timeout, log))
        except ImportError as error:
            hint = "run: pip install 'toolgen[mcp]'"
            raise _failed(server, f"the package {error.name} is not installed", hint) from None
        except TimeoutError:
            raise _failed(
                server, f"no answer within {timeout:g} s{_last_line(log)}", "see --timeout"
            ) from None
        except Exception as error:  # whatever client, transport and server raise is the server's failure here
            raise _failed(server, f"{_reason(error)}{_last_line(log)}", "start the server by hand") from None
    if not found["tools"]:
        raise _failed(server, "the server has no tools", "check its configuration and authorisation")
    return found


async def _listed(server: ServerAddress, timeout: float, log: IO[str]) -> dict[str, Any]:
    import asyncio

    async with asyncio.timeout(timeout), _session(server, log) as session:
        return await _all_pages(session)


async def _all_pages(session: Any) -> dict[str, Any]:
    tools: list[dict[str, Any]] = []
    listing: dict[str, Any] = {}
    cursor = None
    for _ in range(MAX_PAGES):
        page = (await session.list_tools(cursor=cursor)).model_dump(
            mode="json", by_alias=True, exclude_none=True
        )
        listing = listing or page
        tools += page["tools"]
        cursor = page.get("nextCursor")
        if not cursor:
            break
    kept: dict[str, Any] = {key: listing[key] for key in ("ttlMs", "cacheScope") if key in listing}
    return {**kept, "tools": sorted(tools, key=lambda tool: str(tool.get("name")))}


@asynccontextmanager
async def _session(server: ServerAddress, log: IO[str]) -> AsyncIterator[Any]:
    """Connect with whichever client is installed; the handshake is done."""
    try:
        from mcp import Client
    except ImportError:
        async with _session_of_mcp_1(server, log) as session:
            yield session
        return
    from mcp.client import streamable_http
    from mcp.client.stdio import stdio_client

    if server.url:
        async with (
            streamable_http.create_mcp_http_client(headers=dict(server.headers)) as http,  # type: ignore[attr-defined]
            Client(streamable_http.streamable_http_client(server.url, http_client=http)) as client,
        ):
            yield client
        return
    async with Client(stdio_client(_parameters(server), errlog=log)) as client:  # type: ignore[arg-type]
        yield client


@asynccontextmanager
async def _session_of_mcp_1(server: ServerAddress, log: IO[str]) -> AsyncIterator[Any]:
    from mcp import ClientSession
    from mcp.client import streamable_http
    from mcp.client.stdio import stdio_client

    if server.url:
        connection: Any = streamable_http.streamablehttp_client(server.url, headers=dict(server.headers))  # type: ignore[attr-defined]
    else:
        connection = stdio_client(_parameters(server), errlog=log)  # type: ignore[arg-type]
    async with connection as streams, ClientSession(*streams[:2]) as session:
        await session.initialize()
        yield session


def _parameters(server: ServerAddress) -> Any:
    from mcp import StdioServerParameters

    command, *words = server.command
    environment = {**os.environ, **server.environment}
    return StdioServerParameters(command=command, args=words, env=environment, cwd=server.cwd)


@contextmanager
def _no_logging() -> Iterator[None]:
    """Keep clients from logging tracebacks of what is reported in one line."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def _reason(error: BaseException) -> str:
    """Return a failure in one line; of a group the first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, FileNotFoundError):
        return f"there is no program {error.filename!r}"
    text = " ".join(str(error).split()) or type(error).__name__
    return "the server closed the connection" if text == "Connection closed" else text[:MAX_REASON]


def _last_line(log: IO[str]) -> str:
    """Return the last line that the server wrote to standard error, for the message."""
    log.seek(0)
    lines = [line.strip() for line in log.read(1_000_000).splitlines() if line.strip()]
    return f"; it wrote: {lines[-1][:MAX_REASON]}" if lines else ""


def _failed(server: ServerAddress, message: str, hint: str) -> SpecError:
    return SpecError([Diagnostic(Place(server.name), "server-failed", message, hint)])
