"""The manifest of a generated package, which lists the files that toolgen wrote and their digests.

Only this file contains the generator's version, so a new version changes no other file.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from toolgen.compiler.diagnostics import Place, SpecError
from toolgen.compiler.python.layout import MANIFEST
from toolgen_runtime import __version__


def digest(data: bytes) -> str:
    """Return the SHA-256 of bytes in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def read_regular(path: str | Path) -> bytes | None:
    """Read a regular file.

    Return None if it does not exist, or is a folder, a pipe or a device.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None  # a pipe may block forever, and a device may never end
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return None
        raise


def text(digests: Mapping[str, str]) -> str:
    """Write the text of a manifest. `digests` has the digest of each file by its relative path."""
    contents = {"generator": f"toolgen {__version__}", "files": dict(sorted(digests.items()))}
    return json.dumps(contents, indent=1) + "\n"


def read(folder: Path) -> dict[str, str] | None:
    """Read the manifest of a folder, and return the digest of each file by its relative path.

    If the folder has no manifest, return None.

    Raises:
        SpecError: `bad-manifest`.
    """
    try:
        data = read_regular(folder / MANIFEST)
        if data is None and not os.path.exists(folder / MANIFEST):
            return None
        files = json.loads((data or b"").decode())["files"]
        if _is_valid(files):
            return {path: str(digest) for path, digest in files.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    hint = "restore it from version control, or delete the folder and build again"
    place = Place((folder / MANIFEST).as_posix())
    raise SpecError.of(place, "bad-manifest", "this manifest was not written by toolgen", hint)


def _is_valid(files: object) -> bool:
    return isinstance(files, dict) and all(
        isinstance(digest, str) and path.isascii() and is_inside(path) for path, digest in files.items()
    )


def is_inside(path: str) -> bool:
    """Return whether a relative POSIX path stays inside its folder on every platform."""
    steps = path.split("/")
    return not ("" in steps or "." in steps or ".." in steps or any(c in path for c in "\\:\0"))
