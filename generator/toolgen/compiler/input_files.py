"""Read files that the user names.

Its size is limited, and a pipe that has no writer is not waited for.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import BinaryIO, Final

from toolgen.compiler.diagnostics import Diagnostic, Place, SpecError

MAX_BYTES: Final = 64 * 2**20


def read_bytes(file: str | Path) -> bytes:
    """Read a file. A pipe that nobody writes to counts as empty.

    Raises:
        OSError: the file cannot be read; `EFBIG` if it has more than `MAX_BYTES`, like an endless device.
        ValueError: the path contains a null character.
    """
    with open(file, "rb", opener=open_at_once) as stream:
        return _rest(stream, str(file))


def _rest(stream: BinaryIO, name: str) -> bytes:
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise OSError(errno.EFBIG, f"larger than {MAX_BYTES >> 20} MiB", name)
    return data


def read_named(file: str, advice: str = "correct the path") -> bytes:
    """Read a file that was passed to a command.

    `advice` is the hint if the file does not exist.

    Raises:
        SpecError: `no-such-file`, `unreadable-file`, `too-large`.
    """
    try:
        if not file:
            raise FileNotFoundError
        return read_bytes(file)
    except (OSError, ValueError) as error:
        raise unreadable(file, error, advice) from None


def read_stream(stream: BinaryIO | None, name: str) -> bytes:
    """Read the rest of a stream. None, which stands for a closed standard input, counts as empty.

    Raises:
        SpecError: `unreadable-file`, `too-large`.
    """
    try:
        if stream is None:
            return b""
        return _rest(stream, name)
    except (OSError, ValueError) as error:
        raise unreadable(name, error) from None


def unreadable(file: str, error: OSError | ValueError, advice: str = "correct the path") -> SpecError:
    """Create the error for a file that could not be read."""
    number = error.errno if isinstance(error, OSError) else None
    if isinstance(error, FileNotFoundError | NotADirectoryError) or number == errno.ENAMETOOLONG:
        found = Diagnostic(Place(file), "no-such-file", "no such file or folder", advice)
    elif number == errno.EFBIG:
        found = Diagnostic(Place(file), "too-large", reason_of(error), "split the file")
    else:
        found = Diagnostic(Place(file), "unreadable-file", reason_of(error), "make the file readable")
    return SpecError([found])


def reason_of(error: OSError | ValueError) -> str:
    """Return, in a few words, why a file could not be read."""
    return (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__


def open_at_once(file: str, flags: int) -> int:
    """Open a file, without waiting for the other end if it is a pipe.

    Pass this function to `open` as its `opener`.

    Raises:
        OSError: the file cannot be opened; `ENXIO` if it is a pipe to write to that has no reader.
    """
    at_once = getattr(os, "O_NONBLOCK", 0)
    handle = os.open(file, flags | at_once)
    if at_once:
        os.set_blocking(handle, True)
    return handle
