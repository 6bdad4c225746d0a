"""Building again when a file changes: times and sizes are polled, so no system service is needed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

from toolgen.cli.request import Request
from toolgen.specs.load import spec_files

POLL_SECONDS = 0.3
"""Time between two polls."""

State = dict[str, tuple[int, int]]


class Watch:
    """The files of the latest request, as they were when its build began."""

    def remember(self, request: Request) -> None:
        """Remember the files that a build is about to read."""
        self.request = request
        self.state = state(request)

    def changed(self) -> bool:
        """Return whether a file has changed since; wait while one is still being written."""
        now = state(self.request)
        if now == self.state:
            return False
        while True:
            time.sleep(POLL_SECONDS)
            before, now = now, state(self.request)
            if now == before:
                return True


def watch(build: Callable[[Callable[[Request], None]], None]) -> None:
    """Build at once and after every change; only a KeyboardInterrupt ends it.

    `build` passes its request on before it reads anything, so that no change is missed.
    """
    watched = Watch()
    while True:
        build(watched.remember)
        while not watched.changed():
            time.sleep(POLL_SECONDS)


def state(request: Request) -> State:
    """Return the time and size of every file that the request's package depends on."""
    files: State = {}
    for path in _files(request):
        try:
            status = os.stat(path)
        except OSError:
            continue
        files[path] = (status.st_mtime_ns, status.st_size)
    return files


def _files(request: Request) -> Iterator[str]:
    yield request.settings.file or "pyproject.toml"
    yield from request.files(request.specs)
    for _, folder in request.ref_pairs:
        yield from spec_files(folder)
