"""Lines of pipes in an event loop: a thread for each pipe, so that one that is not read holds up nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import IO, Final

MAX_LINE: Final = 64 * 1024 * 1024
"""Bytes of a line; a longer one ends the connection, as nothing could answer it."""
MAX_WAITING: Final = 16 * 1024 * 1024
"""Bytes that wait for a side that does not read; the other side is not read meanwhile."""


class LineReader:
    """Gives each line of a pipe to a function of the loop, the next one once that has returned."""

    def __init__(self, stream: IO[bytes], handle: Callable[[bytes], Awaitable[None]]) -> None:
        self._stream, self._handle = stream, handle
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[bool] = self._loop.create_future()
        """Done when the pipe has ended; True if a line was too long."""
        self.lines_begun = self.lines_done = 0
        Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        line = b""
        with suppress(
            OSError, ValueError, RuntimeError, asyncio.CancelledError
        ):  # the loop or the pipe has gone
            while (line := self._stream.readline(MAX_LINE)) and not _is_too_long(line):
                self.lines_begun += 1
                whole = line if line.endswith(b"\n") else line + b"\n"
                asyncio.run_coroutine_threadsafe(self._handled(whole), self._loop).result()
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(_end, self.ended, _is_too_long(line))

    async def _handled(self, line: bytes) -> None:
        await self._handle(line)
        self.lines_done += 1


def _is_too_long(line: bytes) -> bool:
    return len(line) == MAX_LINE and not line.endswith(b"\n")


def _end(ended: asyncio.Future[bool], was_too_long: bool) -> None:
    if not ended.done():
        ended.set_result(was_too_long)


class LineWriter:
    """Writes to a pipe in the order of the calls; after the other side has gone, nowhere."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[bytes] = SimpleQueue()
        self._waiting = 0
        self._has_room = asyncio.Event()
        self.broken = asyncio.Event()
        """Set once the other side does not read any more."""
        Thread(target=self._run, daemon=True).start()

    async def write(self, data: bytes) -> None:
        """Write, once there is room."""
        await self._until_waiting(MAX_WAITING)
        self._waiting += len(data)
        self._queue.put(data)

    async def drain(self) -> None:
        """Wait until all is written."""
        await self._until_waiting(0)

    def close(self) -> None:
        """Close the pipe after what is written before."""
        self._queue.put(b"")

    async def _until_waiting(self, most: int) -> None:
        while self._waiting > most and not self.broken.is_set():
            self._has_room.clear()
            await self._has_room.wait()

    def _run(self) -> None:
        while data := self._queue.get():
            is_broken = False
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[self._stream.write(rest) :]
            except (OSError, ValueError):  # the other side has gone
                is_broken = True
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._written, len(data), is_broken)
        with suppress(OSError):
            self._stream.close()

    def _written(self, size: int, is_broken: bool) -> None:
        self._waiting -= size
        if is_broken:
            self.broken.set()
        self._has_room.set()
