"""Whose the entries of a package's folder are: toolgen's, or anybody else's, which are left alone."""

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
    """The entries of a folder, by their relative POSIX paths.

    `folders` are those that hold toolgen's files, the folder itself (`""`) first, each before what is in it.
    `bytecode` maps what Python compiled from toolgen's files to the file that it is of. `foreign` is everything
    else; what is in a foreign folder is not looked at.
    """

    folders: list[str] = field(default_factory=list)
    bytecode: dict[str, str] = field(default_factory=dict)
    bytecode_folders: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)


def contents(out: Path, own: Set[str]) -> Contents:
    """What is in a folder in which toolgen wrote the files `own`."""
    found, waiting, parents = Contents(), [""], folders_of(own)
    while waiting:
        folder = waiting.pop()
        found.folders.append(folder)
        with os.scandir(f"{out}/{folder}") as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False) and path in parents:
                    waiting.append(path)
                elif entry.is_dir(follow_symlinks=False) and entry.name == BYTECODE:
                    _add_bytecode(found, out, path, own)
                elif path not in own or not entry.is_file(follow_symlinks=False):
                    found.foreign.append(path)
    return found


def folders_of(paths: Iterable[str]) -> set[str]:
    """Every folder above some paths; `""` is not among them."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def _add_bytecode(found: Contents, out: Path, path: str, own: Set[str]) -> None:
    found.bytecode_folders.append(path)
    with os.scandir(f"{out}/{path}") as entries:
        for entry in entries:
            source = path.removesuffix(BYTECODE) + entry.name.partition(".")[0] + ".py"
            if source in own and ".pyc" in entry.name and entry.is_file(follow_symlinks=False):
                found.bytecode[f"{path}/{entry.name}"] = source
            else:
                found.foreign.append(f"{path}/{entry.name}")


def has_mounts(out: Path) -> bool:
    """Whether a folder is a mount point or holds one, as far as the platform tells."""
    real = os.path.realpath(out)
    if sys.platform != "linux":
        return os.path.ismount(real)
    try:
        with open("/proc/self/mountinfo", "rb") as file:
            points = [_unescaped(line.split(b" ")[4]) for line in file]
    except (OSError, IndexError):
        return os.path.ismount(real)
    return any(point == real or point.startswith(f"{real}/") for point in points)


def _unescaped(point: bytes) -> str:
    """A path in `mountinfo`, where a space, a tab, a newline and a backslash are octal (proc(5))."""
    return os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m[1], 8)]), point))
