"""What processes do in tests: they import this module, so it loads nothing that they do not need."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence


def double(number: int) -> int:
    """Return twice a number; 13 ends the process, 14 raises."""
    match number:
        case 13:
            os._exit(3)
        case 14:
            raise ValueError(14)
    return 2 * number


def never(*_: object) -> None:
    """Say that this process has begun, and never end."""
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    while True:
        signal.pause()


def die(*_: object) -> None:
    """End this process without a word."""
    os.kill(os.getpid(), signal.SIGKILL)


def build_with(name: str, arguments: Sequence[str], copies: bool) -> None:
    """Run `toolgen build` with two processes, copies or new, that call a function of this module as their work."""
    from toolgen import __main__, processes, tool_files

    processes.are_copies = lambda: copies
    tool_files.FEWEST = 1  # type: ignore[misc]
    tool_files._batch = globals()[name]
    sys.argv = ["toolgen", "build", "--jobs", "2", *arguments]
    __main__.main()
