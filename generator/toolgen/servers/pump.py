"""`Pump`: passes lines between a client over pipes and a server, which is a process or a URL; see docs/proxy.md.

A thread reads each pipe and writes what it has read, so a side that does not read holds up only what is sent to it.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from io import BufferedReader
from queue import Empty, Queue, SimpleQueue
from threading import Lock, Thread
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

Handle = Callable[[bytes], None]
"""Takes a line of the server."""


def in_thread(function: Callable[..., object], *given: object) -> Thread:
    """Call a function in a thread, which the process does not wait for when it exits."""
    thread = Thread(target=function, args=given, daemon=True)
    thread.start()
    return thread


def lines_of(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a pipe up to its end, or up to a line that is too long: that one comes as b""."""
    with suppress(OSError, ValueError):
        while line := stream.readline(MAX_LINE):
            if len(line) == MAX_LINE and not line.endswith(b"\n"):
                yield b""
                return
            yield line if line.endswith(b"\n") else line + b"\n"


class LineWriter:
    """Writes the lines of several threads to a pipe. After the other side has gone, it discards them."""

    def __init__(self, stream: IO[bytes]) -> None:
        """Take a stream that is not buffered."""
        self._stream, self._lock = stream, Lock()

    def write(self, line: bytes) -> None:
        """Write a line, and wait until the pipe has taken it."""
        rest = memoryview(line)
        with self._lock, suppress(OSError, ValueError):
            while rest:
                rest = rest[self._stream.write(rest) :]

    def close(self) -> None:
        """Close the pipe after the lines before."""
        with self._lock, suppress(OSError):
            self._stream.close()


class ProcessServer:
    """One server that is a process, from its start to its end."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], handle: Handle) -> None:
        """Start the server in a new process group. Raise `OSError` if it cannot be started."""
        start: Any = partial(subprocess.Popen, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self._process = start(command, env={**os.environ, **environment}, start_new_session=True)
        self._handle = handle
        self._writer = LineWriter(self._process.stdin)

    def run(self) -> int:
        """Pass its lines on; return its exit code.

        A process that the server has started may hold its output open: this waits for at most `GRACE` seconds.
        """
        reading = in_thread(self._read)
        code: int = self._process.wait()
        reading.join(GRACE)
        return SIGNALED - code if code < 0 else code

    def _read(self) -> None:
        for line in lines_of(BufferedReader(self._process.stdout)):
            self._handle(line)

    def send(self, message: Message) -> None:
        """Write a line."""
        self._writer.write(message.data)

    def finish(self) -> None:
        """Close the server's input, as the protocol says."""
        self._writer.close()

    def end(self) -> None:
        """End the server and its process group, if it still runs."""
        for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
            if self._process.poll() is None:
                with suppress(OSError, subprocess.TimeoutExpired):
                    if os.name == "posix":
                        os.killpg(self._process.pid, number)
                    else:
                        self._process.send_signal(number)
                    self._process.wait(KILL_AFTER)


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
        self._waiting: Queue[Message] = Queue()
        self._own = f"toolgen-{secrets.token_hex(8)}-"
        """The prefix of the ids of the proxy's own requests."""
        self._asked: dict[str, Future[Json | None]] = {}
        self._ends: SimpleQueue[int | None] = SimpleQueue()
        """Exit codes by the end of the server and by `stop`, and None by the end of the client."""
        self.client_has_gone = False

    def stop(self, code: int) -> None:
        """Let `run` end with an exit code."""
        self._ends.put(code)

    def run(self) -> int:
        """Pass messages until one side has gone or `stop` is called; return the exit code."""
        in_thread(lambda: self.stop(self._server.run()))
        in_thread(self._make_calls)
        in_thread(self._read_client)
        try:
            code = self._ends.get()
            if code is None:
                self.client_has_gone = True
                code = self._ends.get(timeout=GRACE)
            return code or 0
        except Empty:
            return 0
        finally:
            self._server.end()

    def _read_client(self) -> None:
        """Send the client's messages on. Calls and cancellations wait until the tools are known, others do not."""
        for line in lines_of(self._reads):
            message = read(line)
            if not line:
                self.stop(FAILED)
            elif message.is_call or message.cancels:
                self._waiting.put(message)
            else:
                self._calls.note(message)
                self._server.send(message)
        self._waiting.join()
        self._ends.put(None)
        self._server.finish()

    def _make_calls(self) -> None:
        with asyncio.Runner() as runner:
            while True:
                message = self._waiting.get()
                decision = runner.run(self._calls.decide(message, partial(self._ask, message)))
                self._client.write(decision.data) if decision.answers else self._server.send(decision)
                self._waiting.task_done()

    async def _ask(self, call: Message, cursor: str | None) -> Json | None:
        request = list_request(f"{self._own}{secrets.token_hex(4)}", cursor, call)
        asked = self._asked[request.asks] = Future()
        self._server.send(request)
        return await asyncio.wrap_future(asked)

    def _from_server(self, line: bytes) -> None:
        """Pass a line on, unless it answers the proxy's own request."""
        message = read(line)
        if not line:
            self.stop(FAILED)
        elif message.answers and str(message.value["id"]).startswith(self._own):
            asked = self._asked.pop(message.answers, None)
            if asked and asked.set_running_or_notify_cancel():
                asked.set_result(message.result)
        else:
            self._client.write(self._calls.passed(message).data)
