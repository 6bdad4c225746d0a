"""A checked client session of MCP, of a server on stdio or in this process; the host begins turns and rounds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from cases import command, environment
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.server.lowlevel import Server

from seams.common import SLOW, Call, Calls, Told, Tools, called, parsed, spec, texts
from toolgen_adapters.mcp import checked

try:
    from mcp import Client
except ImportError:  # mcp 1
    Client = None  # type: ignore[assignment,misc]

IS_2 = Client is not None
LACKS = {
    "approval": "the host asks for approval before it calls the session",
    "handoff": "a session has no agents",
    "structured": "a session sees only calls",
    "cut off, streamed": "the host reads the stream",
}
TAKES_TEXT = True


def server_of(tools: Tools, wrap: Any = lambda handler: handler, shown: list[Any] | None = None) -> Any:
    """Return a low-level server of these functions; `wrap` gets its handler of calls, `shown` is its list."""

    def listed() -> list[Any]:
        return shown or [types.Tool.model_validate(spec(tool)) for tool in tools]

    async def run(name: str, arguments: Any) -> list[Any]:
        (tool,) = (tool for tool in tools if tool.__name__ == name)
        return [types.TextContent(type="text", text=await called(tool, arguments or {}))]

    if IS_2:

        async def on_list_tools(context: Any, params: Any) -> Any:
            return types.ListToolsResult(tools=listed())

        async def on_call_tool(context: Any, params: Any) -> Any:
            return types.CallToolResult(content=await run(params.name, params.arguments))

        return Server("desk", on_list_tools=on_list_tools, on_call_tool=wrap(on_call_tool))

    async def list_tools() -> Any:
        return listed()

    server = Server("desk")
    server.list_tools()(list_tools)
    server.call_tool(validate_input=False)(wrap(run))
    return server


@asynccontextmanager
async def connected(server: Any, mode: Any = "legacy", **options: Any) -> AsyncIterator[Any]:
    """Give a client of a server in this process, with a session that lasts in the mode "legacy"."""
    if IS_2:
        async with Client(server, mode=mode, **options) as client:
            yield client
        return
    from mcp.shared.memory import create_connected_server_and_client_session

    async with create_connected_server_and_client_session(server, **options) as session:
        yield session


@asynccontextmanager
async def on_stdio(server: str, folder: Path, page: int = 100) -> AsyncIterator[ClientSession]:
    """Give a session with one of the servers of the cases; `page` is how many tools a page of the odd one has."""
    program, arguments = command(server)
    variables = environment(server, folder) | {"ODD_PAGE": str(page)}
    parameters = StdioServerParameters(command=program, args=arguments, env=variables)
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        await session.initialize()
        yield session


def told(result: Any) -> Told:
    """Return what a result says."""
    return Told(texts(result.content), bool(result.is_error if IS_2 else result.isError))


@asynccontextmanager
async def opened(tools: str | Tools, folder: Path, **options: Any) -> AsyncIterator[Any]:
    async with AsyncExitStack() as stack:
        opening = [on_stdio(tools, folder, page=3)] if isinstance(tools, str) else None
        server = None if isinstance(tools, str) else server_of(tools)
        sessions = [
            checked(await stack.enter_async_context(one), **options)
            for one in opening or [connected(server) for _ in range(2)]
        ]

        async def ask(*answers: Calls, client: int = 0) -> list[Told]:
            session, found = sessions[client], []
            session.begin_turn()
            for answer in answers:
                session.begin_round()
                found += await asyncio.gather(*(call(session, *one) for one in answer))
            return found

        async def call(session: Any, name: str, sent: str) -> Told:
            value = parsed(sent)
            limit = {"read_timeout_seconds": _seconds(SLOW / 2)} if name == "slow" else {}
            given = value if sent and isinstance(value, dict) else sent
            return told(await session.call_tool(name, given, **limit))

        yield ask


def _seconds(seconds: float) -> Any:
    from datetime import timedelta

    return seconds if IS_2 else timedelta(seconds=seconds)


async def cut_off(tools: Tools, call: Call, streamed: bool, **options: Any) -> list[Told]:
    async with opened(tools, Path(), **options) as ask:
        return list(await ask([call]))
