"""`Watcher`: a small process that ends a server whose proxy was killed, and so could not do it itself.

A process that ends closes its pipes, by which most servers see that their client has gone. This is for those that do
not look, where the proxy had no time to end them: `SIGKILL`, a crash, too little memory.
"""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress
from typing import Final, NoReturn

EOF_SECONDS: Final = 2.0
"""How long a server has to see that its input has ended."""
TERM_SECONDS: Final = 1.5
"""How long it has then to end itself."""
_STEP: Final = 0.05
IS_POSSIBLE: Final = hasattr(os, "fork")
"""Not on Windows, where a killed proxy leaves the server to itself."""


class Watcher:
    """Watches this process, from a fork of it that holds no pipe but one."""

    def __init__(self, group: int) -> None:
        """Start to watch; `group` is the process group to end. To be made before there are threads."""
        self._pid = 0
        if not IS_POSSIBLE:
            return
        read, self._write = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            _watch(read, group)
        os.close(read)

    def dismiss(self) -> None:
        """Stop to watch: the server has ended, or was ended."""
        if not self._pid:
            return
        with suppress(OSError):
            os.write(self._write, b".")
        os.close(self._write)
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)
        self._pid = 0


def _watch(read: int, group: int) -> NoReturn:
    """Wait until the proxy dismisses this process or is gone; then end the group."""
    try:
        os.setsid()  # what ends the proxy with its group is not meant for this process
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        for name in os.listdir("/dev/fd"):  # a limit on their number may be in the billions
            with suppress(OSError):
                if int(name) != read:
                    os.close(int(name))
        if not os.read(read, 1):
            _end(group)
    finally:
        os._exit(0)


def _end(group: int) -> None:
    for number, seconds in ((0, EOF_SECONDS), (signal.SIGTERM, TERM_SECONDS), (signal.SIGKILL, 0.0)):
        with suppress(PermissionError):  # macOS says so of processes that have ended
            os.killpg(group, number)
        for _ in range(int(seconds / _STEP)):
            select.select((), (), (), _STEP)
            os.killpg(group, 0)
