"""The Claude Agent SDK with its command line, and a model of scripted streams on 127.0.0.1."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cases import DATA, command, environment
from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultAllow,
    create_sdk_mcp_server,
    tool,
)
from helpers.model_servers import serving

from seams.common import Calls, Function, Told, Tools, called, spec, texts
from seams.mcp import on_stdio
from toolgen_adapters.claude_agent import hooks

LACKS = {
    "noted": "the command line takes the note apart from the result",
    "resumed": "a session of the command line continues only in the command line",
    "changed": "a server's tools are only listed when a session begins",
    "repaired": "the command line converts the number before the hooks run",
    "cancelled": "a tool in this process continues after an interrupt",
    "times out": "the command line converts the failure to text before the hooks run",
    "handoff": "a subagent has a separate conversation",
    "added later": "a server's tools are only listed when a session begins",
    "server changes": "a server's tools are only listed when a session begins",
    "structured": "the command line handles it",
    "cut off": "arguments come as objects",
    "cut off, streamed": "arguments come as objects",
}
OWN_NAMES = True
for variable in [name for name in os.environ if name.startswith(("CLAUDE", "ANTHROPIC"))]:
    del os.environ[variable]


class Model:
    """A model that makes these calls, a list of them an answer; `told` is what it is answered."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.results: dict[str, Told] = {}
        self.made = 0

    def stream(self, body: Any) -> tuple[str, str]:
        """Return the next answer as a stream; requests without tools are the command line's own."""
        calls: Calls = ()
        if body.get("tools"):
            for message in body["messages"]:
                blocks = message["content"] if isinstance(message["content"], list) else []
                for block in blocks:
                    if block["type"] == "tool_result":
                        told = Told(texts(block["content"]), bool(block.get("is_error")))
                        self.results.setdefault(block["tool_use_id"], told)
            calls = self.answers.pop(0) if self.answers else ()
            self.made += 1
        message = {"id": f"m{self.made}", "type": "message", "role": "assistant", "model": "m", "content": []}
        usage = {"input_tokens": 1, "output_tokens": 1}
        ended = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}}
        ]
        for index, (name, sent) in enumerate(calls or [("", "")]):
            block = {"type": "tool_use", "id": f"toolu_{self.made}_{index}", "name": name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": sent or "{}"}
            if not calls:
                block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
            events += [
                {"type": "content_block_start", "index": index, "content_block": block},
                {"type": "content_block_delta", "index": index, "delta": delta},
                {"type": "content_block_stop", "index": index},
            ]
        events += [{"type": "message_delta", "delta": ended, "usage": usage}, {"type": "message_stop"}]
        return "text/event-stream", "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)


def _made(function: Function) -> Any:
    listed = spec(function)

    async def handle(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": await called(function, arguments)}]}

    return tool(listed["name"], listed["description"], listed["inputSchema"])(handle)


class Host:
    """A program with the SDK: a server, its hooks, and the calls that a person was asked about."""

    def __init__(self, server: Any, tools: Any, **options: Any) -> None:
        self.server = server
        self.hooks = hooks({"desk": tools}, **options)
        self.asked = 0

    async def allow(self, name: str, arguments: Any, context: Any) -> PermissionResultAllow:
        self.asked += 1
        return PermissionResultAllow()

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Any]:
        """Give a function that asks in one session."""
        model = Model()
        with serving(model.stream) as url, TemporaryDirectory(ignore_cleanup_errors=True) as home:
            variables = {"HOME": home, "CLAUDE_CONFIG_DIR": home, "ANTHROPIC_BASE_URL": url}
            variables |= {"ANTHROPIC_API_KEY": "fake", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
            given = ClaudeAgentOptions(
                mcp_servers={"desk": self.server},
                hooks=self.hooks,
                env=variables,
                cwd=DATA,  # which is what a server may read
                setting_sources=[],
                tools=[],
                can_use_tool=self.allow,
            )
            async with ClaudeSDKClient(given) as client:

                async def ask(*answers: Calls) -> list[Told]:
                    model.results.clear()
                    before = model.made
                    model.answers = [[(f"mcp__desk__{n}", sent) for n, sent in calls] for calls in answers]
                    await client.query("go")
                    async for _ in client.receive_response():
                        pass
                    found = {k: v for k, v in model.results.items() if int(k.split("_")[1]) > before}
                    return [
                        Told(told.text.replace("mcp__desk__", ""), told.is_error) for told in found.values()
                    ]

                yield ask


@asynccontextmanager
async def opened(tools: str | Tools, folder: Path, **options: Any) -> AsyncIterator[Any]:
    async with AsyncExitStack() as stack:
        if isinstance(tools, str):
            async with on_stdio(tools, folder) as session:
                listed: Any = (await session.list_tools()).tools
            program, arguments = command(tools)
            variables = environment(tools, folder) | {"ODD_PAGE": "100"}
            server: Any = {"type": "stdio", "command": program, "args": arguments, "env": variables}
        else:
            server = create_sdk_mcp_server("desk", tools=list(map(_made, tools)))
            listed = list(map(spec, tools))
        host, clients = Host(server, listed, **options), {}

        async def ask(*answers: Calls, client: int = 0) -> list[Told]:
            if client not in clients:
                clients[client] = await stack.enter_async_context(host.client())
            return list(await clients[client](*answers))

        if not isinstance(tools, str):
            for client in range(2):
                clients[client] = await stack.enter_async_context(host.client())
        yield ask


async def approval(tools: Tools, *answers: Calls, **options: Any) -> tuple[list[Told], int]:
    server = create_sdk_mcp_server("desk", tools=list(map(_made, tools)))
    host = Host(server, list(map(spec, tools)), **options)
    async with host.client() as ask:
        return list(await ask(*answers)), host.asked
