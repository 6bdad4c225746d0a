"""A lock that lets only one process at a time write to a folder or file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from toolgen.package.cache import cache_folder


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Wait until no other process of this user writes to a path, and hold the lock inside this block.

    The lock ends with the process, even if it is killed.

    The locks are files in the cache folder. If no lock can be written there, builds do not wait for each other.
    """
    from filelock import FileLock  # loading it takes longer than a build without changes

    folder = cache_folder()
    name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:40]
    with ExitStack() as stack:
        if folder is not None:
            with suppress(OSError, NotImplementedError):  # the file system has no locks
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                stack.enter_context(FileLock(folder / f"lock-{name}"))
        yield
