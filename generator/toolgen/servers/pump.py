"""`Pump`: passes the messages of a client over pipes to a server, which is a process or a URL; see docs/proxy.md.

Each pipe has a thread: this works for every kind of pipe on every system.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from io import BufferedReader
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import IO, TYPE_CHECKING, Any, Final

from toolgen.servers.call_filter import CallFilter
from toolgen.servers.messages import Json, Message, list_request, read

if TYPE_CHECKING:
    from toolgen.servers.url_server import UrlServer

FAILED: Final = 2
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
        self._stopped: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.client_has_gone = False

    def stop(self, code: int) -> None:
        """Let `run` end with an exit code."""
        set_once(self._stopped, code)

    async def run(self) -> int:
        """Pass messages until one side has gone or `stop` is called; return the exit code."""
        serving = asyncio.create_task(self._server.run())
        reading = asyncio.create_task(self._read_client())
        tasks: list[asyncio.Task[Any]] = [serving, reading, asyncio.create_task(self._make_calls())]
        try:
            await _first(serving, reading, self._client.broken, self._stopped)
            if not serving.done() and not self._stopped.done():
                self.client_has_gone = True
                tasks.append(asyncio.create_task(self._server.finish()))
                await _first(serving, self._stopped)
            if self._stopped.done():
                return self._stopped.result()
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
