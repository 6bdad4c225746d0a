"""A session with an MCP server on stdio, for adapters whose framework has no client of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from cases import command, environment
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


@asynccontextmanager
async def connected(server: str, folder: Path) -> AsyncIterator[ClientSession]:
    """The session, initialized."""
    program, arguments = command(server)
    variables = environment(server, folder) | {"ODD_PAGE": "100"}
    parameters = StdioServerParameters(command=program, args=arguments, env=variables)
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        await session.initialize()
        yield session


async def listed(session: ClientSession) -> list[Any]:
    """The tools that the server has now."""
    return list((await session.list_tools()).tools)
