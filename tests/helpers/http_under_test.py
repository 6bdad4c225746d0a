"""Servers over HTTP within the tests' process, and an MCP server that says what it was sent."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from toolgen.commands.proxy.reverse_proxy import config_of, listen

COUNT: dict[str, Any] = {
    "name": "count",
    "inputSchema": {
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "minimum": 1},
            "note": {"type": "string"},
        },
        "required": ["limit"],
    },
}


Response = tuple[int, list[tuple[str, str]], list[bytes]]
"""Status, headers, chunks."""


class _Server:
    """A server that stays for the next test, with another application."""

    def __init__(self) -> None:
        self.application: Any = None
        listening = listen("127.0.0.1", 0)
        self.address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        server = uvicorn.Server(config_of(self))
        threading.Thread(target=server.run, args=([listening],), daemon=True).start()
        while not server.started:
            time.sleep(0.005)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.application(scope, receive, send)


_idle: list[_Server] = []


@contextmanager
def serving(application: Any) -> Iterator[str]:
    """Serve an application meanwhile; give its address."""
    server = _idle.pop() if _idle else _Server()
    server.application = application
    try:
        yield server.address
    finally:
        _idle.append(server)


class McpApp:
    """An MCP server at /mcp, for JSON or events; `seen` is every request that it got."""

    def __init__(self, *, events: bool = False, session: str = "", tools: Any = None) -> None:
        self.events = events
        self.session = session
        self.tools = [COUNT] if tools is None else tools
        self.seen: list[tuple[str, str, list[tuple[str, str]], bytes]] = []
        self.answers: dict[str, Response] = {}
        """Responses as they are, by method of HTTP or of the message: status, headers, chunks."""
        self.gate = threading.Event()
        """What a chunk that is empty waits for."""
        self.gone = threading.Event()
        """Set once a client has disconnected within a response."""

    @property
    def calls(self) -> list[Any]:
        return [json.loads(body) for _, _, _, body in self.seen if b'"tools/call"' in body]

    def headers(self, at: int = -1) -> dict[str, str]:
        return dict(self.seen[at][2])

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            event = await receive()
            body, more = body + event.get("body", b""), event.get("more_body", False)
        headers = [(name.decode(), value.decode("latin-1")) for name, value in scope["headers"]]
        target = scope["path"] + ("?" + scope["query_string"].decode() if scope["query_string"] else "")
        self.seen.append((scope["method"], target, headers, body))
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            message = None
        method = message.get("method", "") if isinstance(message, dict) else ""
        status, more_headers, chunks = (
            self.answers.get(scope["method"]) or self.answers.get(method) or self._answer(message, method)
        )
        raw = [(name.encode(), value.encode()) for name, value in more_headers]
        await send({"type": "http.response.start", "status": status, "headers": raw})
        watch = asyncio.ensure_future(self._watch(receive))
        for chunk in chunks:
            while not chunk and not self.gate.is_set() and not self.gone.is_set():
                await asyncio.sleep(0.005)
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        watch.cancel()

    async def _watch(self, receive: Any) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.gone.set()

    def _answer(self, message: Any, method: str) -> Response:
        if isinstance(message, list):
            results = [self._response(part, part.get("method", "")) for part in message if "id" in part]
            return self._sent(results)
        if message is None or "id" not in message or not method:
            return 202, [("content-length", "0")], []
        return self._sent(self._response(message, method), new=method == "initialize")

    def _sent(self, value: Any, *, new: bool = False) -> Response:
        text = json.dumps(value).encode()
        session = [("mcp-session-id", self.session)] if new and self.session else []
        if self.events:
            return 200, [("content-type", "text/event-stream"), *session], [b"id: 7\ndata: " + text + b"\n\n"]
        length = ("content-length", str(len(text)))
        return 200, [("content-type", "application/json"), length, *session], [text]

    def _response(self, message: Any, method: str) -> Any:
        params = message.get("params") or {}
        result: Any
        if method == "initialize":
            info = {"name": "n", "version": "1"}
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
        elif method == "tools/list":
            result = {"tools": self.tools}
        else:
            result = {"content": [{"type": "text", "text": json.dumps(params)}], "isError": False}
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}


class WithLifespan:
    """An application of Starlette, whose lifespan begins with its first request."""

    def __init__(self, application: Any) -> None:
        self.application = application
        self.begun: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self.begun is None:
            self.begun = self.application.router.lifespan_context(self.application)
            await self.begun.__aenter__()
        await self.application(scope, receive, send)
