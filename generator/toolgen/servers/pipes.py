"""Lines of pipes in an event loop, and a server behind pipes: a process that the proxy starts.

Each pipe has a thread: this works for every kind of pipe on every system.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from io import BufferedReader
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import IO, Any, Final

from toolgen.servers.messages import Message

MAX_LINE: Final = 64 * 1024 * 1024
"""Bytes of a line; a longer one ends the connection."""
SIGNALED: Final = 128
"""The number that shells add to a signal for the exit code of the process that it ended."""
GRACE: Final = 5.0
"""Seconds that a server has to exit after the client has gone."""
KILL_AFTER: Final = 1.5
"""Seconds from `SIGTERM` to `SIGKILL`: a client's library kills the proxy 2 seconds after its own `SIGTERM`."""

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
        with suppress(RuntimeError):  # the loop has ended
            while item := self._queue.get():
                rest = memoryview(item[0])
                try:
                    while rest:
                        rest = rest[self._stream.write(rest) :]
                except (OSError, ValueError):
                    self._loop.call_soon_threadsafe(set_once, self.broken, None)
                self._loop.call_soon_threadsafe(set_once, item[1], None)
        with suppress(OSError):
            self._stream.close()


def set_once(future: asyncio.Future[Any], value: object) -> None:
    """Set the result of a future that may be done."""
    if not future.done():
        future.set_result(value)


class ProcessServer:
    """One server, from its start to its end."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], handle: Handle) -> None:
        """Start the server in a new process group. Raise `OSError` if it cannot be started."""
        start: Any = partial(subprocess.Popen, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self._process = start(command, env={**os.environ, **environment}, start_new_session=True)
        self._handle = handle
        self._writer = LineWriter(self._process.stdin)
        self._exited = asyncio.create_task(asyncio.to_thread(self._process.wait))
        self._was_ended = False

    async def run(self) -> int:
        """Pass its lines on; return its exit code, or 0 if `finish` has ended it.

        A process that the server has started may hold its output open: this waits for at most `GRACE` seconds.
        """
        reading = asyncio.create_task(self._read())
        await asyncio.wait({reading, self._exited}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({reading}, timeout=GRACE)
        if reading.done():
            reading.result()
        code = await self._exited
        return 0 if self._was_ended else SIGNALED - code if code < 0 else code

    async def _read(self) -> None:
        async for line in lines_of(BufferedReader(self._process.stdout)):
            await self._handle(line)

    async def send(self, message: Message) -> None:
        """Write a line."""
        await self._writer.write(message.data)

    async def finish(self) -> None:
        """Close the server's input, as the protocol says, and end the server if it does not exit."""
        self._writer.close()
        await asyncio.wait({self._exited}, timeout=GRACE)
        if not self._exited.done():
            self._was_ended = True
            await self.end()

    async def end(self) -> None:
        """End the server and its process group, if it still runs."""
        for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
            if self._process.poll() is None:
                with suppress(OSError):
                    if os.name == "posix":
                        os.killpg(self._process.pid, number)
                    else:
                        self._process.send_signal(number)
                await asyncio.wait({self._exited}, timeout=KILL_AFTER)
