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
"""Pages that a list may have."""
_BY_HAND: Final = "start the server by hand"
MAX_REASON: Final = 300
"""Characters of a failure that are shown."""


def tools_of(server: ServerAddress, timeout: float) -> dict[str, Any]:
    """Return `{"tools": [...]}` as the server lists them, all pages, sorted by name, with `ttlMs` and `cacheScope`.

    Args:
        server: where it is.
        timeout: seconds for all of it.

    Raises:
        SpecError: `server-failed`: the client is not installed, or the server cannot be reached, hangs, exits, answers
            with what is not MCP, lists its tools in pages without an end, or has none.
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
            reason, hint = _reason_and_hint(error, server)
            raise _failed(server, f"{reason}{_last_line(log)}", hint) from None
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
    seen: set[str | None] = set()
    while cursor not in seen:
        if len(seen) == MAX_PAGES:
            raise _EndlessError(f"the list of tools has more than {MAX_PAGES:,} pages")
        seen.add(cursor)
        page = (await session.list_tools(cursor=cursor)).model_dump(
            mode="json", by_alias=True, exclude_none=True
        )
        listing = listing or page
        tools += page["tools"]
        cursor = page.get("nextCursor")
        if not cursor:
            break
    else:
        raise _EndlessError(f"the list of tools has no end: the cursor {cursor!r} comes again")
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


class _EndlessError(Exception):
    pass


def _reason_and_hint(error: BaseException, server: ServerAddress) -> tuple[str, str]:
    """Return a failure in one line, and what to do about it; of a group the first."""
    from pydantic import ValidationError

    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = (" ".join(str(error).split()) or type(error).__name__)[:MAX_REASON]
    if isinstance(error, _EndlessError):
        return text, "correct how the server pages tools/list"
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        return f"the answer is not one of MCP: {where}: {first['msg']}"[
            :MAX_REASON
        ], "correct the server's answer"
    if isinstance(error, FileNotFoundError):
        return f"there is no program {error.filename!r}", "name a program that is installed"
    if isinstance(error, OSError) and server.command:
        return error.strerror or text, "name a program that can be run"
    if text == "Connection closed":
        return "the server closed the connection", _BY_HAND
    return text, "see that the URL is right, and that the server runs" if server.url else _BY_HAND


def _last_line(log: IO[str]) -> str:
    """Return the last line that the server wrote to standard error, for the message."""
    log.seek(0)
    lines = [line.strip() for line in log.read(1_000_000).splitlines() if line.strip()]
    return f"; it wrote: {lines[-1][:MAX_REASON]}" if lines else ""


def _failed(server: ServerAddress, message: str, hint: str) -> SpecError:
    return SpecError([Diagnostic(Place(server.name), "server-failed", message, hint)])
