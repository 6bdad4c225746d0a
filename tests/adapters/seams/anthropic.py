"""Anthropic's `tool_runner` with its own client and a model server on 127.0.0.1; the host begins turns and rounds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import anthropic
from helpers.model_servers import WIRES, ModelServer, model_server

from seams.common import Calls, Function, Told, Tools, called, spec, texts
from seams.mcp import on_stdio
from toolgen_adapters.anthropic import beta_async_tools

CLAUDE = next(wire for wire in WIRES if wire.provider == "anthropic")
LACKS = {
    "changed": "a runner has a fixed list of tools",
    "approval": "the host asks for approval in its handlers",
    "handoff": "a runner has only one agent",
    "structured": "the API does this without a tool call",
    "cut off": "the API sends objects",
    "cut off, streamed": "the API sends objects",
}
OWN_NAMES = True


def script(server: ModelServer, *answers: Calls) -> None:
    """Let the model make these calls, a list of them an answer, and then be done."""
    server.requests.clear()
    for number, answer in enumerate((*answers, ())):
        calls = [(f"call_{number}_{index}", name, sent) for index, (name, sent) in enumerate(answer)]
        server.answers.append(CLAUDE.answer(calls, True))


def told(server: ModelServer) -> list[Told]:
    """What the model was answered. Newer runners send what is new alone, older ones the whole history."""
    messages = [message for request in server.requests for message in request["messages"]]
    contents = [message["content"] for message in messages if isinstance(message["content"], list)]
    results = {b["tool_use_id"]: b for content in contents for b in content if b["type"] == "tool_result"}
    return [Told(texts(result["content"]), result.get("is_error", False)) for result in results.values()]


@asynccontextmanager
async def opened(tools: str | Tools, folder: Path, **options: Any) -> AsyncIterator[Any]:
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(on_stdio(tools, folder)) if isinstance(tools, str) else None
        made: dict[tuple[int, int], Any] = {}

        async def of(client: int) -> Any:
            """Return the tools of a client: other ones when there are more."""
            if session is not None:
                return beta_async_tools((await session.list_tools()).tools, session.call_tool, **options)
            key = client, len(tools)
            if key not in made:
                handlers = {tool.__name__: _handler(tool) for tool in tools if callable(tool)}
                specs = [spec(tool) for tool in tools if callable(tool)]
                made[key] = beta_async_tools(specs, handlers, **options)
            return made[key]

        async def ask(*answers: Calls, client: int = 0) -> list[Told]:
            with model_server() as server:
                script(server, *answers)
                api = anthropic.AsyncAnthropic(base_url=server.url, api_key="fake", max_retries=0)
                checked, history = await of(client), [{"role": "user", "content": "go"}]
                checked.begin_turn()
                runner: Any = api.beta.messages.tool_runner(
                    model="m", max_tokens=100, tools=checked, messages=history
                )
                async for _ in runner:
                    checked.begin_round()
                return told(server)

        yield ask


def _handler(tool: Function) -> Any:
    async def handle(payload: Any) -> Any:
        return await called(tool, payload)

    return handle
