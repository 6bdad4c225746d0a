"""Lines of pipes in an event loop. Each pipe has a thread: this works for every kind of pipe on every system."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import IO, Any, Final

MAX_LINE: Final = 64 * 1024 * 1024
"""Bytes of a line; a longer one ends the connection."""


SIGNALED: Final = 128
"""The number that shells add to a signal for the exit code of the process that it ended."""

Handle = Callable[[bytes], Awaitable[None]]
"""Takes a line of the server."""


class LongLine(Exception):  # noqa: N818  the other side's error
    """A line is longer than `MAX_LINE`."""


async def lines_of(stream: IO[bytes]) -> AsyncIterator[bytes]:
    """Yield the lines of a pipe; the pipe is read one line ahead. Raise `LongLine` if one is too long."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes] = asyncio.Queue()
    room = Semaphore(2)

    def run() -> None:
        line = b"\n"
        with suppress(RuntimeError):  # the loop has ended
            while line and room.acquire():
                try:
                    line = stream.readline(MAX_LINE)
                except (OSError, ValueError):
                    line = b""
                loop.call_soon_threadsafe(queue.put_nowait, line)

    Thread(target=run, daemon=True).start()
    while line := await queue.get():
        if len(line) == MAX_LINE and not line.endswith(b"\n"):
            raise LongLine
        yield line if line.endswith(b"\n") else line + b"\n"
        room.release()


class LineWriter:
    """Writes to a pipe in the order of the calls. After the other side has gone, it discards the lines."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[tuple[bytes, asyncio.Future[None]] | None] = SimpleQueue()
        self.broken: asyncio.Future[None] = self._loop.create_future()
        """Done once the other side does not read any more."""
        Thread(target=self._run, daemon=True).start()

    async def write(self, line: bytes) -> None:
        """Write a line, and wait until the pipe has taken it."""
        done: asyncio.Future[None] = self._loop.create_future()
        self._queue.put((line, done))
        await done

    def close(self) -> None:
        """Close the pipe after the lines before."""
        self._queue.put(None)

    def _run(self) -> None:
        is_broken = False
        while item := self._queue.get():
            rest = memoryview(item[0])
            try:
                while rest and not is_broken:
                    rest = rest[self._stream.write(rest) :]
            except (OSError, ValueError):
                is_broken = True
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(set_once, item[1], None)
                if is_broken:
                    self._loop.call_soon_threadsafe(set_once, self.broken, None)
        with suppress(OSError):
            self._stream.close()


def set_once(future: asyncio.Future[Any], value: object) -> None:
    """Set the result of a future that may be done."""
    if not future.done():
        future.set_result(value)
