"""`adapters.loop`, with the client of each API in turn and model servers on 127.0.0.1."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

from helpers.model_servers import WIRES, model_server

from seams.common import SLOW, Call, Calls, Told, Tools, called, parsed, spec
from seams.mcp import on_stdio
from toolgen import compile_tools
from toolgen_adapters import loop
from toolgen_runtime import Registry
from toolgen_transcripts import openai

LACKS = {
    "approval": "your handlers ask for approval",
    "handoff": "your loop manages the agents",
    "structured": "the API does this without a tool call",
}
TAKES_TEXT = True
CHAT = WIRES[0]
wires = cycle(WIRES)


@asynccontextmanager
async def opened(tools: str | Tools, folder: Path, **options: Any) -> AsyncIterator[Any]:
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(on_stdio(tools, folder)) if isinstance(tools, str) else None
        conversations: dict[int, Any] = {}
        registry = Registry(timeout=SLOW / 2 if "on_call" in options and session is None else None, **options)

        async def run(name: str, payload: Any) -> Any:
            (tool,) = (tool for tool in tools if callable(tool) and tool.__name__ == name)
            return await called(tool, payload)

        async def ask(*answers: Calls, client: int = 0) -> list[Told]:
            conversation = conversations.setdefault(client, registry.conversation())
            listed: Any = (
                (await session.list_tools()).tools
                if session
                else [spec(tool) for tool in tools if callable(tool)]
            )
            conversation.update(compile_tools(listed))
            if hasattr(tools, "listeners"):
                tools.listeners.append(lambda _: conversation.update(compile_tools(list(map(spec, tools)))))
            conversation.begin_turn()
            handler: Any = session.call_tool if session else run
            found: list[Told] = []
            for number, answer in enumerate(answers):
                wire = next(wires) if all(isinstance(parsed(sent), dict) for _, sent in answer) else CHAT
                calls = [(f"call_{number}_{index}", *call) for index, call in enumerate(answer)]
                with model_server() as server:
                    server.answers.append(wire.answer(calls, True))
                    response = await asyncio.to_thread(wire.ask, server.url, [wire.user("go")])
                provider: Any = wire.provider
                results = await loop.aresults(response, conversation, handler, provider=provider)
                found += [Told(output.text(), not output.ok) for output in results.outputs]
            return found

        yield ask


def assembled(chunks: list[dict[str, Any]]) -> Any:
    assembler = openai.StreamAssembler()
    for chunk in chunks:
        assembler.feed(chunk)
    return assembler.finish()


async def cut_off(tools: Tools, call: Call, streamed: bool, **options: Any) -> list[Told]:
    conversation = Registry(**options).conversation()
    conversation.update(compile_tools([spec(tool) for tool in tools]))
    received: Any = CHAT.answer([("call_0", *call)], False)
    if streamed:
        (made,) = received["choices"][0]["message"]["tool_calls"]
        delta = {"role": "assistant", "tool_calls": [{"index": 0, **made}]}
        choices = {"index": 0, "delta": delta}, {"index": 0, "delta": {}, "finish_reason": "length"}
        chunk = {"id": "r", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        received = assembled([{**chunk, "choices": [choice]} for choice in choices])
    handlers = {tool.__name__: tool for tool in tools}
    results = await loop.aresults(received, conversation, handlers, provider="openai")
    return [Told(output.text(), not output.ok) for output in results.outputs]
