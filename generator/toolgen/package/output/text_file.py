"""Write a text file completely or not at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from toolgen.compiler.input_files import open_at_once
from toolgen.compiler.python.layout import stage_for
from toolgen.package.output.lock import locked


def write_text_file(path: Path, text: str, *, folders: bool = False) -> None:
    """Write a file in one step, so that readers get either the old text or the new one.

    `folders` creates the folders above the file. The file keeps its mode. A symbolic link stays, and its target is
    written. Devices, and pipes that have a reader, are written directly. Several writers of one file wait for each
    other, and delete the files that a killed writer has left.

    Raises:
        OSError: the file cannot be written; the old file is unchanged.
    """
    target = Path(os.path.realpath(path))
    if folders:
        target.parent.mkdir(parents=True, exist_ok=True)
    elif not target.parent.exists():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path))
    mode = _mode(target)
    data = text.encode()
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if mode is not None and not stat.S_ISREG(mode):
        with open(target, "wb", opener=open_at_once) as other:
            other.write(data)
        return
    with locked(target):
        stage = stage_for(target)
        stage.unlink(missing_ok=True)
        try:
            with stage.open("xb") as file:  # "x": never through a link that another user put there
                if mode is not None:
                    stage.chmod(stat.S_IMODE(mode))
                file.write(data)
            os.replace(stage, target)
        finally:
            stage.unlink(missing_ok=True)


def _mode(path: Path) -> int | None:
    """Return the mode of a file, or None if it does not exist."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None
