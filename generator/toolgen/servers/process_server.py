"""`ProcessServer`: a server that the proxy starts, over its standard input and output."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from io import BufferedReader
from typing import Any, Final, cast

from toolgen.servers.messages import Received
from toolgen.servers.pipes import LineReader, LineWriter
from toolgen.servers.pump import FAILED, SIGNALED, Handle

GRACE: Final = 5.0
"""Seconds that a server has to exit, once the client has gone."""
KILL_AFTER: Final = 1.5
"""Seconds that it has once it is told to: a client's library kills the proxy 2 seconds after its `SIGTERM`."""
_QUIET_SECONDS: Final = 0.5
"""How long no line comes before a pipe that the server's own processes hold open is left."""
_WATCH: Final = "read x || { sleep 2; kill -TERM -$0; sleep 1.5; kill -KILL -$0; }"
_KILL: Final = getattr(signal, "SIGKILL", signal.SIGTERM)


def start(command: Sequence[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start a server, in a group of processes that can be ended together.

    Raises:
        OSError: it cannot be started.
    """
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **environment},
        bufsize=0,
        start_new_session=True,
    )


class ProcessServer:
    """One server, from its start to its end."""

    def __init__(self, process: subprocess.Popen[bytes], handle: Handle, *, grace: float = GRACE) -> None:
        """Begin to read; to be made in the loop."""
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._grace = process, grace
        self._watcher = _watch(process.pid)
        self._writer = LineWriter(process.stdin)
        self._reader = LineReader(BufferedReader(cast("Any", process.stdout)), handle)
        self._exited = asyncio.create_task(asyncio.to_thread(process.wait))
        self._was_ended = False
        self.gone: asyncio.Future[int] = asyncio.ensure_future(self._gone())

    async def send(self, received: Received) -> None:
        """Send a line."""
        await self._writer.write(received.data)

    async def finish(self) -> int:
        """Close the server's input, as the protocol does, and end it if it does not exit."""
        self._writer.close()
        await asyncio.wait({self.gone}, timeout=self._grace)
        if not self.gone.done():
            self._was_ended = True
            await self.end()
        return 0 if self._was_ended else await self.gone

    async def end(self) -> None:
        """End the server with what it started, if it still runs."""
        for number in (signal.SIGTERM, _KILL):
            if self._process.poll() is None:
                with suppress(OSError):
                    _send(self._process, number)
                await asyncio.wait({self._exited}, timeout=KILL_AFTER)
        if self._watcher is not None and self._watcher.poll() is None:
            with suppress(OSError):
                self._watcher.communicate(b"\n")

    async def _gone(self) -> int:
        """Return the exit code once the last lines have passed; a line that is too long ends the server, too."""
        ends: list[asyncio.Future[Any]] = [self._exited, self._reader.ended]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if self._reader.ended.done() and self._reader.ended.result():
            return FAILED
        code = await self._exited
        seen = -1
        while not self._reader.ended.done() and (
            seen != self._reader.lines_done or self._reader.lines_begun != self._reader.lines_done
        ):
            seen = self._reader.lines_done
            await asyncio.wait({self._reader.ended}, timeout=_QUIET_SECONDS)
        return SIGNALED - code if code < 0 else code


def _watch(group: int) -> subprocess.Popen[bytes] | None:
    """Start what ends a group of processes after this one has gone without a word, as after `SIGKILL`."""
    if os.name != "posix":
        return None
    quiet = subprocess.DEVNULL
    words = ["/bin/sh", "-c", _WATCH, str(group)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True)


def _send(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if os.name == "posix":
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
