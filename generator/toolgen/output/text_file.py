"""One text file that a command writes: whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def write_text_file(path: Path, text: str) -> None:
    """Write a file, and the folders above it, in one step: a reader sees the old text or the new one.

    Links, devices and pipes, which that would replace, are refused.

    Raises:
        OSError: the file cannot be written; the old one is as it was.
    """
    if path.is_symlink():  # `/dev/stdout` is one
        raise FileExistsError(errno.EEXIST, "this is a symbolic link", str(path))
    if path.exists() and not (path.is_file() or path.is_dir()):  # a device, a pipe
        raise FileExistsError(errno.EEXIST, "this is not a file", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    stage = path.with_name(f".{path.name}.toolgen-new")
    try:
        stage.write_text(text, "utf-8", newline="\n")
        os.replace(stage, path)
    finally:
        stage.unlink(missing_ok=True)
