"""Clients of the proxy: one that reads and writes lines as they are, and the official one with its server."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import IO, Any

import anyio
from mcp import Client as McpClient
from mcp.server.mcpserver import Context, MCPServer

from helpers.support import hear_ctrl_c
from toolgen.commands.proxy.call_filter import ToolList
from toolgen.commands.servers.pump import Pump

SECONDS = 60.0


def request(method: str, params: Any = None, id: Any = 1) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": id,
        "method": method,
        **({} if params is None else {"params": params}),
    }


class Lines:
    """Lines to a proxy and from it, as they are."""

    def __init__(self, to: IO[bytes], of: IO[bytes]) -> None:
        self._to, self._of = to, of
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.reading = threading.Thread(target=self._read, daemon=True)
        self.reading.start()

    def _read(self) -> None:
        for line in self._of:
            self.lines.put(line)

    def write(self, line: bytes) -> None:
        self._to.write(line)
        self._to.flush()

    def send(self, message: Any) -> None:
        self.write(json.dumps(message).encode() + b"\n")

    def next(self) -> Any:
        return json.loads(self.lines.get(timeout=SECONDS))

    def ask(self, method: str, params: Any = None, *, id: Any = 1) -> Any:
        self.send(request(method, params, id))
        answer = self.next()
        assert answer["id"] == id
        return answer.get("result", answer.get("error"))

    def call(self, arguments: Any, name: str = "count", *, id: Any = 1, **more: Any) -> Any:
        return self.ask("tools/call", {"name": name, "arguments": arguments, **more}, id=id)


class PumpClient(Lines):
    """A client of a pump in this process."""

    def __init__(self, connect: Callable[..., Any], **options: Any) -> None:
        reads, writes = os.pipe(), os.pipe()
        streams = os.fdopen(reads[0], "rb"), os.fdopen(writes[1], "wb")
        tools = ToolList(lambda _: None, absent="empty", **options)
        self._pump = Pump(streams, tools, connect)
        self._codes: Future[int] = Future()

        def run() -> None:
            with streams[1]:
                self._codes.set_result(self._pump.run())

        threading.Thread(target=run, daemon=True).start()
        super().__init__(os.fdopen(reads[1], "wb"), os.fdopen(writes[0], "rb"))

    def end(self) -> int:
        self._to.close()
        return self._codes.result(SECONDS)

    def close(self) -> None:
        self._pump.stop(0)
        self._codes.result(SECONDS)


class LineClient(Lines):
    """A client of a program."""

    def __init__(self, words: list[str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=hear_ctrl_c)
        super().__init__(self.process.stdin, self.process.stdout)
        self.errors: list[bytes] = []
        self.error_lines: queue.Queue[str] = queue.Queue()
        self._threads = [self.reading, threading.Thread(target=self._read_errors, daemon=True)]
        self._threads[1].start()

    def _read_errors(self) -> None:
        for line in self.process.stderr:
            self.errors.append(line)
            self.error_lines.put(line.decode())

    def next_error(self) -> str:
        return self.error_lines.get(timeout=SECONDS)

    def end(self) -> tuple[int, str]:
        self._to.close()
        return self.wait()

    def wait(self) -> tuple[int, str]:
        code = self.process.wait(SECONDS)
        for thread in self._threads:
            thread.join(SECONDS)
        for thread, pipe in zip(self._threads, (self.process.stdout, self.process.stderr), strict=True):
            if pipe is not None and not thread.is_alive():  # closing what is being read would wait for it
                pipe.close()
        return code, b"".join(self.errors).decode()


def notes() -> MCPServer:
    """Return a server that reports progress and has a resource and a prompt."""
    server = MCPServer("notes")

    @server.tool()
    async def write_note(text: str, times: int, ctx: Context) -> str:
        "Write a note."
        await ctx.report_progress(1, 2, "half")
        return text * times

    @server.resource("note://one")
    def one() -> str:
        return "one"

    @server.prompt()
    def greet(name: str) -> str:
        return f"Hello {name}"

    return server


def talk(server: Any, mode: str) -> None:
    """Talk to `notes` behind a proxy in an era of the protocol."""
    progress: list[float] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        progress.append(done)

    async def run() -> None:
        async with McpClient(server, mode=mode) as client:  # type: ignore[arg-type]
            wrong = await client.call_tool("write_note", {"text": "a"})
            assert wrong.is_error
            assert wrong.meta["toolgen"]["fields"] == ["times"]
            assert [tool.name for tool in (await client.list_tools()).tools] == ["write_note"]
            right = await client.call_tool("write_note", {"text": "a", "times": 3}, progress_callback=note)
            assert right.content[0].text == "aaa"  # type: ignore[union-attr]
            assert [str(r.uri) for r in (await client.list_resources()).resources] == ["note://one"]
            prompt = await client.get_prompt("greet", {"name": "you"})
            assert prompt.messages[0].content.text == "Hello you"  # type: ignore[union-attr]

    anyio.run(run)
    assert progress == [1]
