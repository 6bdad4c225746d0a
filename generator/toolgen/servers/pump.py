"""`Pump`: a client that writes lines in front of one server, which is a process or a URL; see docs/proxy.md."""

from __future__ import annotations

import asyncio
import secrets
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import IO, Any, Final, Protocol

from toolgen.servers.call_checks import CallChecks
from toolgen.servers.call_filter import CallFilter, ToolList
from toolgen.servers.messages import (
    Message,
    Received,
    is_call,
    is_garbage,
    is_response,
    list_request,
    read,
    result_of,
    written,
)
from toolgen.servers.pipes import LineReader, LineWriter

MAX_HELD: Final = 16 * 1024 * 1024
"""Bytes of calls that wait for a list; beyond that the client is not read until the list is there."""
SIGNALED: Final = 128
"""What shells add to the number of the signal that ended a process."""
FAILED: Final = 2
_DRAIN_SECONDS: Final = 5.0

Handle = Callable[[bytes], Awaitable[None]]


class Server(Protocol):
    """What is behind the proxy."""

    gone: asyncio.Future[int]
    """Done when the server has ended by itself, with its exit code."""

    async def send(self, received: Received) -> None:
        """Send what the client wrote."""

    async def finish(self) -> int:
        """Return the exit code of a server whose client has gone, once it has ended or was ended."""
        ...

    async def end(self) -> None:
        """End it at once, if it has not ended."""


@dataclass(frozen=True, slots=True)
class ClientStreams:
    """The client's side, each unbuffered or read by lines: what it writes, what it reads, and where a log goes."""

    reads: IO[bytes]
    writes: IO[bytes]
    log: IO[bytes]


class Pump:
    """One client, from its first line to its last."""

    def __init__(
        self, streams: ClientStreams, checks: CallChecks, connect: Callable[[Handle], Server]
    ) -> None:
        """`connect` is called in the loop, with what takes the server's lines."""
        self._streams, self._connect = streams, connect
        self._calls = CallFilter(ToolList(checks))
        self._held: asyncio.Queue[Received] = asyncio.Queue()
        """Calls that wait for the list of tools; the first one is not taken out before it is judged."""
        self._held_bytes = 0
        self._asked: dict[str, asyncio.Future[dict[str, Any] | None]] = {}
        self._own = f"toolgen-{secrets.token_hex(8)}-"
        """How the ids of the proxy's own requests begin."""
        self.client_has_gone = False

    async def run(self) -> int:
        """Pass messages until one side has gone; return the exit code."""
        loop = asyncio.get_running_loop()
        signaled: asyncio.Future[int] = loop.create_future()
        with suppress(NotImplementedError, AttributeError):  # Windows
            for number in (signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, _set, signaled, SIGNALED + number)
        self._client, self._log = LineWriter(self._streams.writes), LineWriter(self._streams.log)
        self._server = self._connect(self.from_server)
        reader = LineReader(self._streams.reads, self.from_client)
        tasks = [asyncio.create_task(work) for work in (self._client.broken.wait(), self._judge_held())]
        try:
            await _first(reader.ended, tasks[0], self._server.gone, signaled)
            return await self._ended(reader, signaled)
        finally:
            await self._server.end()
            for task in tasks:
                task.cancel()
            with suppress(TimeoutError):  # it may not be read
                await asyncio.wait_for(self._log.drain(), 1.0)

    async def _ended(self, reader: LineReader, signaled: asyncio.Future[int]) -> int:
        """Return the exit code after one side has gone, or a signal has come."""
        if signaled.done():
            return signaled.result()
        if self._server.gone.done():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._client.drain(), _DRAIN_SECONDS)
            return self._server.gone.result()
        self.client_has_gone = True
        if reader.ended.done():
            await _first(asyncio.create_task(self._held.join()), signaled)
        finished = asyncio.create_task(self._server.finish())
        await _first(finished, signaled)
        if signaled.done():
            return signaled.result()
        await self._client.drain()
        return FAILED if reader.ended.done() and reader.ended.result() else finished.result()

    # -- from the client ------------------------------------------------------------------------------------

    async def from_client(self, data: bytes) -> None:
        """Take a line of the client: send it on, hold it until the tools are known, or answer it."""
        received = read(data)
        self._calls.take_note(received.message)
        if not is_call(received.message):
            await self._server.send(received)
        elif self._held_bytes or self._calls.tools.must_be_read(received.message):
            self._held_bytes += len(data)
            self._held.put_nowait(received)
            if self._held_bytes > MAX_HELD:
                await self._held.join()
        else:
            await self._judge(received)

    async def _judge_held(self) -> None:
        while True:
            received = await self._held.get()
            await asyncio.sleep(0)  # so that it can be cancelled by the next line
            await self._judge(received)
            self._held_bytes -= len(received.data)
            self._held.task_done()

    async def _judge(self, received: Received) -> None:
        if await self._calls.is_wanted(received.message, partial(self._ask, received.message)):
            decision = self._calls.decide(received)
            if isinstance(decision, Received):
                await self._server.send(decision)
            else:
                await self._client.write(decision)

    async def _ask(self, call: Message, cursor: str | None) -> dict[str, Any] | None:
        request_id = f"{self._own}{secrets.token_hex(4)}"
        asked: asyncio.Future[dict[str, Any] | None] = asyncio.get_running_loop().create_future()
        self._asked[request_id] = asked
        try:
            await self._server.send(read(written(list_request(request_id, cursor, call))))
            return await asked
        finally:
            del self._asked[request_id]

    # -- from the server ------------------------------------------------------------------------------------

    async def from_server(self, data: bytes) -> None:
        """Take a line of the server: pass it on, unless it answers the proxy or is no message."""
        received = read(data)
        if is_garbage(received):
            await self._log.write(data)
            return
        message = received.message
        if is_response(message) and str(message["id"]).startswith(self._own):
            asked = self._asked.get(message["id"])
            if asked is not None and not asked.done():
                asked.set_result(result_of(message))
            return
        await self._client.write(self._calls.passed(received))


async def _first(*futures: asyncio.Future[Any]) -> None:
    """Wait until one of several is done."""
    await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)


def _set(future: asyncio.Future[int], value: int) -> None:
    if not future.done():
        future.set_result(value)
