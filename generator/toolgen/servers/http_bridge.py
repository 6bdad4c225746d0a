"""`bridge`: a client that writes lines, and a server over streamable HTTP, through a `CallFilter`."""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Final

import anyio

from toolgen.servers.backlog import Backlog
from toolgen.servers.call_checks import CallChecks
from toolgen.servers.call_filter import CallFilter
from toolgen.servers.http_client import HttpClient
from toolgen.servers.http_upstream import HttpUpstream
from toolgen.servers.long_lines import logged, read_lines
from toolgen.servers.relay import GRACE, SIGNALED, ClientStreams

_END_SECONDS: Final = 5.0


class Bridge:
    """One client, from its first line to its last."""

    def __init__(self, http: HttpClient, streams: ClientStreams, checks: CallChecks) -> None:
        self._http = http
        self._streams = streams
        self._checks = checks
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._backlog = Backlog()
        self._backlog_of_told = Backlog()
        self._sent: asyncio.Queue[bytes] = asyncio.Queue()
        self._told: SimpleQueue[bytes | None] = SimpleQueue()
        self._signal = 0
        self._filter = CallFilter(checks, to_server=self._sent.put_nowait, to_client=self._tell)

    def run(self) -> int:
        """Pass messages until the client has gone; return 0, or what shells make of a signal."""
        writer = Thread(target=self._write, daemon=True)
        writer.start()
        asyncio.run(self._run())
        self._told.put(None)
        writer.join(_END_SECONDS)
        return SIGNALED + self._signal if self._signal else 0

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        Thread(target=self._read, args=(loop,), daemon=True).start()
        with suppress(NotImplementedError, AttributeError):  # Windows
            for number in (signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, self._stop, number)
        try:
            async with anyio.create_task_group() as group:
                upstream = HttpUpstream(
                    self._http, group, self._from_server, self._checks.input_schema, self._wait_for_client
                )
                group.start_soon(self._send, upstream)
                try:
                    await self._work()
                    if not self._signal:
                        with anyio.move_on_after(GRACE):
                            await self._sent.join()
                            await upstream.drain()
                finally:
                    await upstream.close()
                group.cancel_scope.cancel()
        finally:
            await self._http.close()

    def _stop(self, number: int) -> None:
        self._signal = number
        self._lines.put_nowait(None)

    # -- the client's lines ---------------------------------------------------------------------------------

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(OSError, ValueError, RuntimeError):  # the last: the loop has ended
            for line in read_lines(self._streams.reads):
                if isinstance(line, bytes):
                    data = line
                else:
                    self._streams.log(logged("client"))
                    data = line.refusal("client")
                    if line.kind != "answer":
                        self._tell(data)
                        continue
                self._backlog.take(len(data))
                loop.call_soon_threadsafe(self._lines.put_nowait, data)
            loop.call_soon_threadsafe(self._lines.put_nowait, None)

    async def _work(self) -> None:
        """Give the filter what comes for it, until the client has gone and nothing is held."""
        gone = False
        while not gone or (self._filter.deadline is not None and not self._signal):
            deadline = self._filter.deadline
            try:
                timeout = None if deadline is None else max(0.0, deadline - time.monotonic())
                if gone and timeout is not None:
                    timeout = min(timeout, 0.05)  # the list may come, and no line will say so
                line = await asyncio.wait_for(self._lines.get(), timeout)
            except TimeoutError:
                if (
                    deadline is not None
                    and deadline <= time.monotonic()
                    and deadline == self._filter.deadline
                ):
                    self._filter.expire()
                continue
            if line is None:
                gone = True
            else:
                self._backlog.release(len(line))
                self._filter.from_client(line)

    async def _send(self, upstream: HttpUpstream) -> None:
        while True:
            data = await self._sent.get()
            try:
                await upstream.send(data)
            finally:
                self._sent.task_done()

    # -- the server's messages ------------------------------------------------------------------------------

    def _from_server(self, data: bytes) -> None:
        try:
            passed = self._filter.from_server(data, self._filter.learn)
        except ValueError:
            self._streams.log(data)
            return
        if passed is not None:
            self._tell(passed)

    def _tell(self, data: bytes) -> None:
        self._backlog_of_told.add(len(data))
        self._told.put(data)

    async def _wait_for_client(self) -> None:
        """Wait while the client does not read what it was sent."""
        while self._backlog_of_told.is_full:
            await anyio.sleep(0.02)

    def _write(self) -> None:
        while (data := self._told.get()) is not None:
            self._backlog_of_told.release(len(data))
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[self._streams.writes.write(rest) :]
            except OSError:  # the client has gone
                return
