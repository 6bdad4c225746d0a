"""Build a package again whenever a file changes.

The times and sizes of files are checked regularly, so no service of the operating system is needed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress

from toolgen.cli.request import Request
from toolgen.compiler.specs.load import spec_files

POLL_SECONDS = 0.3
"""The time between two polls."""

State = dict[str, tuple[int, int]]


def watch(build: Callable[[Callable[[Request], None]], None]) -> None:
    """Build at once and after every change, until the user presses Ctrl-C.

    `build` must pass on its request before it reads a file, so that no change is missed. The function returns if the
    first build has no request.
    """
    latest: list[tuple[Request, State]] = []
    while True:
        build(lambda request: latest.append((request, state(request))))
        if not latest:
            return
        request, before = latest[-1]
        while (now := state(request)) == before:
            time.sleep(POLL_SECONDS)
        while now != before:  # a file may still be incomplete
            time.sleep(POLL_SECONDS)
            before, now = now, state(request)
        latest[:] = [(request, now)]


def state(request: Request) -> State:
    """Return the time and size of every file on which the package depends."""
    files: State = {}
    referred = (file for _, folder in request.ref_pairs for file in spec_files(folder))
    for path in (request.settings.file or "pyproject.toml", *request.files(request.specs), *referred):
        with suppress(OSError):
            status = os.stat(path)
            files[path] = (status.st_mtime_ns, status.st_size)
    return files
