"""The build cache in the user's cache folder: with it, a build does not generate unchanged tools again.

The package's own manifest is not trusted, because it can be edited along with the code. A file of a package is
reused only if the cache says that the same input gave exactly the bytes on disk. An entry is a pair of digests, and
what there was to say, so the cache is small; without it a build generates everything again.
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
"""The environment variable that sets the cache folder."""

LIMIT = 32 * 2**20
"""Most bytes of all entries together; beyond, those of the packages built longest ago are deleted."""

_PREFIX = "built-"


def entry(fingerprint: str, digest: str, warnings: str = "") -> str:
    """Return the entry of a file: the fingerprint of its input, the digest of its bytes, and the warnings about it.

    An entry that lost its warnings, or has others, is that of another input.
    """
    if not warnings:
        return f"{fingerprint} {digest}"
    covered = hashlib.sha256(f"{fingerprint} {warnings}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"{covered} {digest}\n{warnings}"


def warnings_in(entry: str) -> str:
    """Return the warnings of an entry; "" if it has none."""
    return entry.partition("\n")[2]


def load(out: Path) -> dict[str, str]:
    """Return the entries of a package's files by relative path; none if there is no cache file to trust."""
    file = _file(out)
    if file is None:
        return {}
    try:
        with file.open("rb") as opened:
            if not _is_trusted(os.fstat(opened.fileno())):
                return {}
            entries = json.loads(opened.read())
    except (OSError, ValueError, RecursionError):
        return {}
    return {k: v for k, v in entries.items() if isinstance(v, str)} if isinstance(entries, dict) else {}


def save(out: Path, entries: Mapping[str, str]) -> None:
    """Replace the entries of a package; do nothing if they cannot be written."""
    file = _file(out)
    if file is None:
        return
    temporary = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()  # left by a killed process with the same id
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "w", encoding="utf-8") as opened:
            json.dump(dict(sorted(entries.items())), opened, separators=(",\n", ":"))
        os.replace(temporary, file)
        _delete_oldest(file.parent)
    except (OSError, UnicodeEncodeError):
        pass
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _file(out: Path) -> Path | None:
    folder = cache_folder()
    digest = hashlib.sha256(os.fsencode(os.path.realpath(out))).hexdigest()
    return folder / f"{_PREFIX}{digest[:40]}.json" if folder else None


def cache_folder() -> Path | None:
    """Return the cache folder of toolgen on this platform; None if its path is not absolute."""
    if named := os.environ.get(VARIABLE):
        return Path(os.path.abspath(named))
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):  # relative paths are ignored (XDG Base Directory Specification)
            base = os.path.expanduser("~/.cache")
    return Path(base) / "toolgen" if os.path.isabs(base) else None


def _is_trusted(status: os.stat_result) -> bool:
    """Return whether only this user can have written a file."""
    if not hasattr(os, "geteuid"):
        return True
    others = stat.S_IWGRP | stat.S_IWOTH
    return status.st_uid == os.geteuid() and not status.st_mode & others


def _delete_oldest(folder: Path) -> None:
    """Delete the oldest files until the rest are within the limit."""
    files = sorted(_sizes(folder), reverse=True)
    total = 0
    for _, size, path in files:
        total += size
        if total > LIMIT:
            with contextlib.suppress(OSError):
                os.unlink(path)


def _sizes(folder: Path) -> Iterator[tuple[int, int, str]]:
    """Yield the time, the size and the path of each file that this module wrote."""
    with os.scandir(folder) as entries:
        for file in entries:
            if file.name.startswith(_PREFIX) and file.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    status = file.stat(follow_symlinks=False)
                    yield status.st_mtime_ns, status.st_size, file.path
