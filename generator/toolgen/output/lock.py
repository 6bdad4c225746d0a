"""Turns of builds that write into one folder, kept by whatever locks the system has."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_RETRY_SECONDS: Final = 1.0
"""How long SQLite waits before Python gets to handle a Ctrl-C."""


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Wait until no other build writes into a folder; the lock ends with the process, however that ends.

    The lock is the folder's own (`flock`). Where the platform or the file system has none (Windows; NFS without
    its lock service), all such builds of a user share one lock in the folder for temporary files, which only
    processes of the same machine see. Where that is impossible too, builds do not wait for each other.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(_flock(folder))
        except (ImportError, OSError):
            with contextlib.suppress(ImportError, OSError):
                stack.enter_context(_shared_lock())
        yield


@contextlib.contextmanager
def _flock(folder: Path) -> Iterator[None]:
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def _shared_lock() -> Iterator[None]:
    """Lock a file through SQLite, which knows the locks of every platform that Python runs on."""
    import sqlite3

    path = _own_folder() / "builds.lock"
    try:
        connection = sqlite3.connect(path, timeout=_RETRY_SECONDS, isolation_level=None)
        with contextlib.closing(connection):
            while True:
                try:
                    connection.execute("BEGIN EXCLUSIVE")
                    break
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                        raise
            yield  # closing the connection ends the transaction
    except sqlite3.Error as error:
        raise OSError(str(error)) from error


def _own_folder() -> Path:
    """Return a folder for temporary files into which nobody else can write.

    Raises:
        OSError: there is none.
    """
    import tempfile

    user = os.getuid() if hasattr(os, "getuid") else ""
    folder = Path(tempfile.gettempdir()) / f"toolgen-{user}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or (user != "" and (status.st_uid != user or status.st_mode & 0o022)):
        raise PermissionError(f"{folder} belongs to somebody else")
    return folder
