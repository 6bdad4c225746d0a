"""`Pump`: passes the messages of a client over pipes to a server, which is a process or a URL; see docs/proxy.md."""

from __future__ import annotations

import asyncio
import secrets
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import IO, TYPE_CHECKING, Any, Final

from toolgen.servers.call_filter import CallFilter
from toolgen.servers.messages import Json, Message, list_request, read
from toolgen.servers.pipes import (
    SIGNALED,
    Handle,
    LineWriter,
    LongLine,
    ProcessServer,
    lines_of,
    set_once,
)

if TYPE_CHECKING:
    from toolgen.servers.url_server import UrlServer

FAILED: Final = 2


class Pump:
    """One client, from its first line to its last."""

    def __init__(
        self,
        streams: tuple[IO[bytes], IO[bytes]],
        calls: CallFilter,
        connect: Callable[[Handle], ProcessServer | UrlServer],
    ) -> None:
        """Take the client's output and input, which is not buffered for writing."""
        self._calls = calls
        self._reads, self._client = streams[0], LineWriter(streams[1])
        self._server = connect(self._from_server)
        self._waiting: asyncio.Queue[Message] = asyncio.Queue()
        self._own = f"toolgen-{secrets.token_hex(8)}-"
        """The prefix of the ids of the proxy's own requests."""
        self._asked: dict[str, asyncio.Future[Json | None]] = {}
        self.client_has_gone = False

    async def run(self) -> int:
        """Pass messages until one side has gone or a signal comes; return the exit code."""
        loop = asyncio.get_running_loop()
        signaled: asyncio.Future[int] = loop.create_future()
        with suppress(NotImplementedError, AttributeError):  # Windows
            for number in (signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, set_once, signaled, SIGNALED + number)
        serving = asyncio.create_task(self._server.run())
        reading = asyncio.create_task(self._read_client())
        tasks: list[asyncio.Task[Any]] = [serving, reading, asyncio.create_task(self._make_calls())]
        try:
            await _first(serving, reading, self._client.broken, signaled)
            if not serving.done() and not signaled.done():
                self.client_has_gone = True
                tasks.append(asyncio.create_task(self._server.finish()))
                await _first(serving, signaled)
            if signaled.done():
                return signaled.result()
            if reading.done():
                reading.result()
            return serving.result()
        except LongLine:
            return FAILED
        finally:
            await self._server.end()
            for task in tasks:
                task.cancel()

    async def _read_client(self) -> None:
        """Send the client's messages on. Calls and cancellations wait until the tools are known, others do not."""
        async for line in lines_of(self._reads):
            message = read(line)
            self._calls.note(message)
            if message.is_call or message.cancels:
                await self._waiting.put(message)
            else:
                await self._server.send(message)
        await self._waiting.join()

    async def _make_calls(self) -> None:
        while message := await self._waiting.get():
            if message.is_call:
                message = await self._calls.decide(message, partial(self._ask, message))
            await (self._client.write(message.data) if message.answers else self._server.send(message))
            self._waiting.task_done()

    async def _ask(self, call: Message, cursor: str | None) -> Json | None:
        request_id = f"{self._own}{secrets.token_hex(4)}"
        asked: asyncio.Future[Json | None] = asyncio.get_running_loop().create_future()
        self._asked[request_id] = asked
        try:
            await self._server.send(list_request(request_id, cursor, call))
            return await asked
        finally:
            del self._asked[request_id]

    async def _from_server(self, line: bytes) -> None:
        """Pass a line on, unless it answers the proxy's own request."""
        message = read(line)
        if message.answers and str(message.value["id"]).startswith(self._own):
            if (asked := self._asked.get(message.value["id"])) is not None:
                set_once(asked, message.result)
        else:
            await self._client.write(self._calls.passed(message).data)


async def _first(*futures: asyncio.Future[Any]) -> None:
    """Wait until one of several is done."""
    await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)
