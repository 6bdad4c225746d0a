"""Lines of pipes in an event loop: a thread for each pipe, so that one that is not read holds up nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import IO, Final

MAX_LINE: Final = 64 * 1024 * 1024
"""Bytes of a line; a longer one ends the connection, as nothing could answer it."""
MAX_WAITING: Final = 16 * 1024 * 1024
"""Bytes that wait for a side that does not read; the other side is not read meanwhile."""


class LongLine(Exception):  # noqa: N818  not an error of the program
    """A line is longer than `MAX_LINE`."""


def read_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a pipe.

    Raises:
        LongLine: one is too long.
    """
    while line := stream.readline(MAX_LINE):
        if len(line) == MAX_LINE and not line.endswith(b"\n"):
            raise LongLine
        yield line if line.endswith(b"\n") else line + b"\n"


class LineReader:
    """Gives each line of a pipe to a function of the loop, the next one once that has returned."""

    def __init__(self, stream: IO[bytes], handle: Callable[[bytes], Awaitable[None]]) -> None:
        self._stream, self._handle = stream, handle
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[bool] = self._loop.create_future()
        """Done when the pipe has ended; True if a line was too long."""
        self.count = 0
        """Lines so far."""
        self.is_busy = False
        """Whether the last one is still being handled."""
        Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        was_too_long = False
        with suppress(
            OSError, ValueError, RuntimeError, asyncio.CancelledError
        ):  # the loop or the pipe has gone
            try:
                for line in read_lines(self._stream):
                    self.count += 1
                    asyncio.run_coroutine_threadsafe(self._handled(line), self._loop).result()
            except LongLine:
                was_too_long = True
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._end, was_too_long)

    async def _handled(self, line: bytes) -> None:
        self.is_busy = True
        await self._handle(line)
        self.is_busy = False

    def _end(self, was_too_long: bool) -> None:
        if not self.ended.done():
            self.ended.set_result(was_too_long)


class LineWriter:
    """Writes to a pipe in the order of the calls; after the other side has gone, nowhere."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[bytes] = SimpleQueue()
        self._waiting = 0
        self._room = asyncio.Event()
        self.broken = asyncio.Event()
        """Set once the other side does not read any more."""
        Thread(target=self._run, daemon=True).start()

    async def write(self, data: bytes) -> None:
        """Write, once there is room."""
        while self._waiting > MAX_WAITING:
            self._room.clear()
            await self._room.wait()
        self._waiting += len(data)
        self._queue.put(data)

    async def drain(self) -> None:
        """Wait until all is written."""
        while self._waiting and not self.broken.is_set():
            self._room.clear()
            await self._room.wait()

    def close(self) -> None:
        """Close the pipe after what is written before."""
        self._queue.put(b"")

    def _run(self) -> None:
        while data := self._queue.get():
            broken = False
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[self._stream.write(rest) :]
            except (OSError, ValueError):  # the other side has gone
                broken = True
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._written, len(data), broken)
        with suppress(OSError):
            self._stream.close()

    def _written(self, size: int, broken: bool) -> None:
        self._waiting -= size
        if broken:
            self.broken.set()
        self._room.set()
