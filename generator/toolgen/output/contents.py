"""The entries of a package's folder, by owner: toolgen's, or foreign ones, which are left alone."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from pathlib import Path

from toolgen.python.layout import BYTECODE


@dataclass(frozen=True, slots=True)
class Contents:
    """The entries of a folder as relative POSIX paths.

    `folders` have files of toolgen in them; the folder itself (`""`) comes first, parents before children.
    `bytecode` maps each bytecode file of toolgen's sources to its source, `bytecode_folders` are the
    `__pycache__` folders. `foreign` is everything else; foreign folders are not searched.
    """

    folders: list[str] = field(default_factory=list)
    bytecode: dict[str, str] = field(default_factory=dict)
    bytecode_folders: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)


def read_contents(out: Path, own: Set[str]) -> Contents:
    """Return the entries of a folder in which toolgen wrote the files `own`."""
    contents, waiting, parents = Contents(), [""], folders_of(own)
    while waiting:
        folder = waiting.pop()
        contents.folders.append(folder)
        with os.scandir(f"{out}/{folder}") as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False) and path in parents:
                    waiting.append(path)
                elif entry.is_dir(follow_symlinks=False) and entry.name == BYTECODE:
                    _add_bytecode(contents, out, path, own)
                elif path not in own or not entry.is_file(follow_symlinks=False):
                    contents.foreign.append(path)
    return contents


def folders_of(paths: Iterable[str]) -> set[str]:
    """Return every folder above the paths, except `""`."""
    folders: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders


def _add_bytecode(contents: Contents, out: Path, path: str, own: Set[str]) -> None:
    contents.bytecode_folders.append(path)
    with os.scandir(f"{out}/{path}") as entries:
        for entry in entries:
            source = path.removesuffix(BYTECODE) + entry.name.partition(".")[0] + ".py"
            if source in own and ".pyc" in entry.name and entry.is_file(follow_symlinks=False):
                contents.bytecode[f"{path}/{entry.name}"] = source
            else:
                contents.foreign.append(f"{path}/{entry.name}")


def has_mounts(out: Path) -> bool:
    """Return whether a folder is a mount point or, on Linux, has one below it."""
    real = os.path.realpath(out)
    if sys.platform != "linux":
        return os.path.ismount(real)
    try:
        with open("/proc/self/mountinfo", "rb") as file:
            points = [_unescape(line.split(b" ")[4]) for line in file]
    except (OSError, IndexError):
        return os.path.ismount(real)
    return any(point == real or point.startswith(f"{real}/") for point in points)


def _unescape(point: bytes) -> str:
    """Return a path of `mountinfo`, in which spaces, tabs, newlines and backslashes are octal (proc(5))."""
    return os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m[1], 8)]), point))
