"""`relay`: one client's lines to a server that it starts, and back, through a `CallFilter`.

Three threads: one reads the client, one writes to the server and owns the filter, one passes on what the server
writes. None waits for another's pipe, so that a side that does not read stops nothing but what is meant for it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from threading import Lock, Thread, current_thread, main_thread
from typing import IO, Any, Final, NoReturn

from toolgen.servers.backlog import Backlog
from toolgen.servers.call_checks import CallChecks
from toolgen.servers.call_filter import CallFilter, Listed
from toolgen.servers.long_lines import LongLine, logged, read_lines
from toolgen.servers.watcher import Watcher

GRACE: Final = 5.0
"""Seconds that a server has to exit, once the client has gone."""
KILL_AFTER: Final = 1.5
"""Seconds that it has once it is told to: a client's library kills the proxy 2 seconds after its `SIGTERM`."""
SIGNALED: Final = 128
"""What shells add to the number of the signal that ended a process."""


@dataclass(frozen=True, slots=True)
class ClientStreams:
    """The client's side, each unbuffered or read by lines: what it writes, what it reads, and where a log goes."""

    reads: IO[bytes]
    writes: IO[bytes]
    log: Callable[[bytes], None]


class Relay:
    """One server, from its start to its end."""

    def __init__(
        self,
        command: Sequence[str],
        streams: ClientStreams,
        checks: CallChecks,
        *,
        environment: dict[str, str] | None = None,
        grace: float = GRACE,
    ) -> None:
        """Start the server.

        Raises:
            OSError: it cannot be started.
        """
        self._streams = streams
        self._grace = grace
        self._inbox: SimpleQueue[tuple[bytes | Listed | None, int]] = SimpleQueue()
        """What comes for the filter, with its size; None when the client has gone."""
        self._backlog = Backlog()
        self._backlog_of_lists = Backlog()
        self._missed = False
        """Whether there was no room for what the server said of its tools."""
        self._client_lock = Lock()
        self._lines = 0
        self._writing = False
        self._ended = False
        self._reads = True
        """Whether the client reads, so that it is worth waiting for the tools."""
        self.client_has_gone = False
        """Whether the client closed its side before the server exited."""
        self._filter = CallFilter(checks, to_server=self._to_server, to_client=self._to_client)
        self._server = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=None if environment is None else {**os.environ, **environment},
            start_new_session=True,  # so that what the server starts can be ended with it
        )
        self._watcher = Watcher(self._server.pid)

    def run(self) -> int:
        """Pass messages until the server exits; return its exit code.

        0 where it had to be ended after the client had gone; at a signal, what shells make of that.
        """
        back = Thread(target=self._from_server, daemon=True)
        for thread in (Thread(target=self._from_client, daemon=True), Thread(target=self._work, daemon=True)):
            thread.start()
        back.start()
        try:
            with _signals_raise():
                code = self._server.wait()
                self._drain(back)
        except _Signaled as signaled:
            return SIGNALED + signaled.number
        finally:
            self._end()
            self._watcher.dismiss()
        if self._ended:
            return 0
        return SIGNALED - code if code < 0 else code

    def _drain(self, back: Thread) -> None:
        """Let what the server wrote last reach the client; what it left running may hold the pipe open."""
        seen = -1
        while back.is_alive() and (self._writing or seen != self._lines):
            seen = self._lines
            back.join(0.5)

    # -- the client's lines ---------------------------------------------------------------------------------

    def _from_client(self) -> None:
        with suppress(OSError, ValueError):
            for line in read_lines(self._streams.reads):
                if isinstance(line, bytes):
                    self._put(line)
                    continue
                self._streams.log(logged("client"))
                if line.kind == "answer":
                    self._put(line.refusal("client"))
                else:
                    self._to_client(line.refusal("client"))
        self._inbox.put((None, 0))

    def _put(self, data: bytes) -> None:
        self._backlog.take(len(data))
        self._inbox.put((data, len(data)))

    def _work(self) -> None:
        """Give the filter what comes for it, until the client has gone and nothing is held."""
        while not self.client_has_gone or (self._filter.deadline is not None and self._reads):
            if self._missed:
                self._missed = False
                self._filter.learn(Listed())
            item, size = self._next()
            if isinstance(item, bytes):
                self._backlog.release(size)
                self._filter.from_client(item)
            elif isinstance(item, Listed):
                self._backlog_of_lists.release(size)
                self._filter.learn(item)
            elif item is None:
                self.client_has_gone = True
        self._close()

    def _next(self) -> tuple[bytes | Listed | str | None, int]:
        """Return what comes next: a line, what the server says of its tools, None when the client has gone."""
        deadline = self._filter.deadline
        try:
            return self._inbox.get(
                timeout=None if deadline is None else max(0.0, deadline - time.monotonic())
            )
        except Empty:
            self._filter.expire()
            return "", 0

    def _to_server(self, data: bytes) -> None:
        assert self._server.stdin is not None
        with suppress(OSError, ValueError):  # it has exited, or reads no more; its end is seen elsewhere
            self._server.stdin.write(data)
            self._server.stdin.flush()

    def _close(self) -> None:
        """Tell the server that the client has gone, as the protocol does, and end it if it does not exit."""
        assert self._server.stdin is not None
        with suppress(OSError):
            self._server.stdin.close()
        try:
            self._server.wait(self._grace)
        except subprocess.TimeoutExpired:
            self._ended = True
            self._end()

    # -- the server's lines ---------------------------------------------------------------------------------

    def _from_server(self) -> None:
        assert self._server.stdout is not None
        for line in read_lines(self._server.stdout):
            self._lines += 1
            data = line if isinstance(line, bytes) else self._in_place_of(line)
            try:
                passed = self._filter.from_server(data, partial(self._learn, len(data))) if data else None
            except ValueError:
                self._streams.log(data)
                continue
            if passed is not None:
                self._to_client(passed)

    def _in_place_of(self, line: LongLine) -> bytes:
        """Return what goes on in place of a line of the server; a request is answered instead, if there is room."""
        self._streams.log(logged("server"))
        refusal = line.refusal("server")
        if line.kind == "request" and self._backlog.take_if_free(len(refusal)):
            self._inbox.put((refusal, len(refusal)))
        return refusal if line.kind == "answer" else b""

    def _learn(self, size: int, listed: Listed) -> None:
        """Take what the server said of its tools; not more than there is room for, as it may not read meanwhile."""
        if self._backlog_of_lists.take_if_free(size):
            self._inbox.put((listed, size))
        else:
            self._missed = True

    def _to_client(self, data: bytes) -> None:
        with self._client_lock:
            self._writing = True
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[self._streams.writes.write(rest) :]
            except OSError:  # the client has gone
                self._reads = False
                self._inbox.put((None, 0))
            finally:
                self._writing = False

    # -- the end --------------------------------------------------------------------------------------------

    def _end(self) -> None:
        """End the server, with what it started, if it still runs."""
        for number, seconds in ((signal.SIGTERM, KILL_AFTER), (_KILL, KILL_AFTER)):
            if self._server.poll() is not None:
                return
            with suppress(OSError):
                _send(self._server, number)
            with suppress(subprocess.TimeoutExpired):
                self._server.wait(seconds)


class _Signaled(Exception):  # noqa: N818  not an error of the program
    def __init__(self, number: int) -> None:
        self.number = number


_KILL: Final = getattr(signal, "SIGKILL", signal.SIGTERM)


def _send(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if os.name == "posix":
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)


@contextmanager
def _signals_raise() -> Iterator[None]:
    """Leave by an exception at a signal that asks this process to end, so that the server ends, too."""

    def leave(number: int, _: Any) -> NoReturn:
        raise _Signaled(number)

    if current_thread() is not main_thread():
        yield
        return
    numbers = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    before = {number: signal.signal(number, leave) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
