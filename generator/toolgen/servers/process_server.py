"""`ProcessServer`: a server that the proxy starts, over its standard input and output."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from io import BufferedReader
from typing import Any, Final

from toolgen.servers.messages import Message
from toolgen.servers.pipes import SIGNALED, Handle, LineWriter, lines_of

GRACE: Final = 5.0
"""Seconds that a server has to exit after the client has gone."""
KILL_AFTER: Final = 1.5
"""Seconds from `SIGTERM` to `SIGKILL`: a client's library kills the proxy 2 seconds after its own `SIGTERM`."""
_WATCH: Final = "read x || { sleep 2; kill -TERM -$0; sleep 1.5; kill -KILL -$0; }"
"""A shell that ends a process group after the proxy was killed."""


class ProcessServer:
    """One server, from its start to its end."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], handle: Handle) -> None:
        """Start the server in a new process group. Raise `OSError` if it cannot be started."""
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        start: Any = partial(subprocess.Popen, stdin=pipe, start_new_session=True)
        self._process = start(command, stdout=pipe, env={**os.environ, **environment}, bufsize=0)
        watch = ["/bin/sh", "-c", _WATCH, str(self._process.pid)]
        self._watcher = start(watch, stdout=quiet, stderr=quiet) if os.name == "posix" else None
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
        if self._watcher is not None and self._watcher.poll() is None:
            with suppress(OSError):
                self._watcher.communicate(b"\n")
