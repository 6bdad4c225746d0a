"""One text file that a command writes: whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_text_file(path: Path, text: str) -> None:
    """Write a file, and the folders above it, in one step: a reader sees the old text or the new one.

    Raises:
        OSError: the file cannot be written; the old one is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    stage = path.with_name(f".{path.name}.toolgen-new")
    try:
        stage.write_text(text, "utf-8", newline="\n")
        os.replace(stage, path)
    finally:
        stage.unlink(missing_ok=True)
