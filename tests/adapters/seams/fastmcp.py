"""A server of FastMCP with the middleware, or a proxy of another server with it, and FastMCP's client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from inspect import signature
from pathlib import Path
from typing import Any

from cases import command, environment
from fastmcp import Client, FastMCP
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy
from fastmcp.server.middleware import Middleware

from seams.common import SLOW, Calls, Desk, Function, Rounds, Told, Tools, parsed, texts
from toolgen_adapters.fastmcp import ToolgenMiddleware

LACKS = {
    "approval": "a server does not ask for approval",
    "handoff": "a server has no agents",
    "structured": "a server sees only calls",
    "cut off": "arguments come as objects",
    "cut off, streamed": "arguments come as objects",
}
ASKS = [{"mode": "legacy"}, {"mode": "auto"}] if "mode" in signature(Client).parameters else [{}]
SESSIONS: dict[str, Any] = ASKS[0]


@asynccontextmanager
async def opened(tools: str | Tools, folder: Path, **options: Any) -> AsyncIterator[Any]:
    checks, rounds = ToolgenMiddleware(**options), Rounds()

    class Telling(Middleware):
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            rounds.tell(lambda: checks.begin_turn(context), lambda: checks.begin_round(context))
            return await call_next(context)

    async with AsyncExitStack() as stack:
        if isinstance(tools, str):
            program, arguments = command(tools)
            started = StdioTransport(program, arguments, env=environment(tools, folder), keep_alive=False)
            mcp = create_proxy(await stack.enter_async_context(Client(started)))
        else:
            mcp = FastMCP("desk")
        mcp.add_middleware(Telling())
        mcp.add_middleware(checks)
        clients = [await stack.enter_async_context(Client(mcp, **SESSIONS)) for _ in range(2)]
        known: set[str] = set()

        def add(tool: Function) -> None:
            if tool.__name__ not in known:
                known.add(tool.__name__)
                limit = {"timeout": SLOW / 2} if tool.__name__ == "slow" and LIMITS else {}
                mcp.tool(**limit)(tool)

        if hasattr(tools, "listeners"):
            tools.listeners.append(add)

        async def ask(*answers: Calls, client: int = 0) -> list[Told]:
            for tool in () if isinstance(tools, str) else tools:
                add(tool)
            rounds.begin(client, answers)
            found = []
            for answer in answers:
                calls = (
                    clients[client].call_tool(name, parsed(sent), raise_on_error=False)
                    for name, sent in answer
                )
                found += [Told(texts(r.content), r.is_error) for r in await asyncio.gather(*calls)]
            return found

        yield ask


LIMITS = "timeout" in signature(FastMCP.tool).parameters


async def asking(given: list[Any], calls: Calls, mode: str | None = None, **options: Any) -> Any:
    desk, questions = Desk(), list[Any]()

    async def user(message: str, response_type: Any, params: Any, context: Any) -> Any:
        schema = getattr(params, "requested_schema", None) or params.requestedSchema
        questions.append({"message": message, "schema": schema})
        return ElicitResult(**given.pop(0))

    mcp = FastMCP("tables")
    mcp.add_middleware(ToolgenMiddleware(**options))
    for tool in (desk.book, desk.login):
        mcp.tool(tool)
    client: dict[str, Any] = {"elicitation_handler": user} if given else {}
    async with Client(mcp, **client, **({"mode": mode} if mode else {})) as opened_client:
        results = [
            await opened_client.call_tool(name, parsed(sent), raise_on_error=False) for name, sent in calls
        ]
    return questions, [Told(texts(result.content), result.is_error) for result in results], desk.ran
