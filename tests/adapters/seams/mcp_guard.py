"""A guarded low-level server of MCP; every call of a question is a round of its own, unless some come at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import types

from seams.common import Calls, Desk, Rounds, Told, Tools, parsed, spec
from seams.mcp import IS_2, LACKS as OF_SESSIONS, connected, server_of, told
from toolgen_adapters.mcp import guard

LACKS = OF_SESSIONS | {"cut off": "arguments come as objects", "servers": "it is a server"}
ASKS = [{"mode": mode} for mode in (["legacy", "auto"] if IS_2 else ["legacy"])]


@asynccontextmanager
async def opened(tools: Tools, folder: Path, **options: Any) -> AsyncIterator[Any]:
    rounds = Rounds()

    def guarded(handler: Any) -> Any:
        made = guard(handler, lambda: [spec(tool) for tool in tools], **options)

        async def handle(first: Any, second: Any) -> Any:
            context = None if isinstance(first, str) else first
            rounds.tell(lambda: made.begin_turn(context), lambda: made.begin_round(context))
            return await made(first, second)

        return handle

    async with AsyncExitStack() as stack:
        server = server_of(tools, guarded)
        clients = [await stack.enter_async_context(connected(server)) for _ in range(2)]

        async def ask(*answers: Calls, client: int = 0) -> list[Told]:
            rounds.begin(client, answers)
            found = []
            for answer in answers:
                calls = (clients[client].call_tool(name, parsed(sent)) for name, sent in answer)
                found += [told(result) for result in await asyncio.gather(*calls)]
            return found

        yield ask


async def asking(given: list[Any], calls: Calls, mode: str, **options: Any) -> Any:
    desk, questions = Desk(), list[Any]()

    async def user(_: Any, params: Any) -> Any:
        schema = params.requested_schema if IS_2 else params.requestedSchema
        questions.append({"message": params.message, "schema": schema})
        return types.ElicitResult(**given.pop(0))

    tools: Tools = [desk.book, desk.login]
    server = server_of(tools, lambda handler: guard(handler, list(map(spec, tools)), **options))
    async with connected(server, mode=mode, elicitation_callback=user if given else None) as client:
        found = [told(await client.call_tool(name, parsed(sent))) for name, sent in calls]
    return questions, found, desk.ran
