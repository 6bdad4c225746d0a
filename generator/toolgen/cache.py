"""What earlier builds made, kept in the user's cache folder: so a build need not make an unchanged tool again.

The package itself is never asked: its manifest can be edited along with its code. A file of a package is used
again only if this cache says that the same input gave the very bytes that are there. An entry is a pair of
digests, not a text, so the cache is small, and a lost one costs a build from nothing and no more.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

VARIABLE = "TOOLGEN_CACHE_DIR"
"""The environment variable that names another folder."""

LIMIT = 32 * 2**20
"""Bytes of all entries together; beyond, the packages that were built longest ago are forgotten."""

_PREFIX = "built-"


def entry(fingerprint: str, digest: str) -> str:
    """What is kept of a file: the fingerprint of its input and the digest of its bytes."""
    return f"{fingerprint} {digest}"


def load(out: Path) -> dict[str, str]:
    """The entry of each file (by relative path) of the package in a folder; none where there is nothing to trust."""
    file = _file(out)
    if file is None:
        return {}
    try:
        with file.open("rb") as opened:
            if not _is_ours(os.fstat(opened.fileno())):
                return {}
            kept = json.loads(opened.read())
    except (OSError, ValueError, RecursionError):
        return {}
    return {k: v for k, v in kept.items() if isinstance(v, str)} if isinstance(kept, dict) else {}


def save(out: Path, entries: Mapping[str, str]) -> None:
    """Keep the entries of a package in place of its earlier ones; nothing happens where that cannot be done."""
    file = _file(out)
    if file is None:
        return
    written = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            written.unlink()  # of a killed process with the same number
        handle = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "w", encoding="utf-8") as opened:
            json.dump(dict(sorted(entries.items())), opened, separators=(",\n", ":"))
        os.replace(written, file)
        _forget(file.parent)
    except (OSError, UnicodeEncodeError):
        with contextlib.suppress(OSError):
            written.unlink()


def _file(out: Path) -> Path | None:
    folder = _folder()
    place = hashlib.sha256(os.fsencode(os.path.realpath(out))).hexdigest()
    return folder / f"{_PREFIX}{place[:40]}.json" if folder else None


def _folder() -> Path | None:
    """The cache folder of toolgen by the custom of the platform; None where there is no absolute one."""
    if named := os.environ.get(VARIABLE):
        return Path(os.path.abspath(named))
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):  # to be ignored then (XDG Base Directory Specification)
            base = os.path.expanduser("~/.cache")
    return Path(base) / "toolgen" if os.path.isabs(base) else None


def _is_ours(status: os.stat_result) -> bool:
    """Whether nobody but this user can have written a file."""
    if not hasattr(os, "geteuid"):
        return True
    others = stat.S_IWGRP | stat.S_IWOTH
    return status.st_uid == os.geteuid() and not status.st_mode & others


def _forget(folder: Path) -> None:
    """Delete the oldest files until the rest are within the limit."""
    found = sorted(_sizes(folder), reverse=True)
    total = 0
    for _, size, path in found:
        total += size
        if total > LIMIT:
            with contextlib.suppress(OSError):
                os.unlink(path)


def _sizes(folder: Path) -> Iterator[tuple[int, int, str]]:
    """The time, the size and the path of each file that this module wrote."""
    with os.scandir(folder) as entries:
        for found in entries:
            if found.name.startswith(_PREFIX) and found.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    status = found.stat(follow_symlinks=False)
                    yield status.st_mtime_ns, status.st_size, found.path
