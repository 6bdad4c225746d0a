"""The manifest of a generated package: which files are toolgen's own, and what they held when written.

The one place that holds the generator's version, so that nothing else changes with it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from toolgen.diagnostics import Diagnostic, Place, SpecError
from toolgen_runtime import __version__

MANIFEST = "toolgen-manifest.json"


def digest(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def digests(files: Mapping[str, str]) -> dict[str, str]:
    """The digest of each text by its path; the manifest has none."""
    return {path: digest(text.encode()) for path, text in files.items() if path != MANIFEST}


def text(listed: Mapping[str, str]) -> str:
    """The manifest of a package: relative path -> digest. It tells people and tools what is toolgen's own."""
    generator = json.dumps(f"toolgen {__version__}")
    return f'{{\n "generator": {generator},\n "files": {_listing(listed)}\n}}\n'


def _listing(entries: Mapping[str, str]) -> str:
    """An object with a line for each entry; `indent` would leave the writing of it to slower Python code."""
    if not entries:
        return "{}"
    written = json.dumps(dict(sorted(entries.items())), separators=(",\n  ", ": "))
    return f"{{\n  {written[1:-1]}\n }}"


def read(folder: Path) -> dict[str, str] | None:
    """The digest of each file that the manifest of a package lists; None where the folder has none.

    Raises:
        SpecError: `bad-manifest`.
    """
    try:
        files = json.loads((folder / MANIFEST).read_text("utf-8"))["files"]
        if _is_listing(files):
            return {path: str(said) for path, said in files.items()}
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    hint = "restore it from version control, or delete the folder and build again"
    place = Place((folder / MANIFEST).as_posix())
    raise SpecError([Diagnostic(place, "bad-manifest", "this is not the manifest that toolgen wrote", hint)])


def _is_listing(said: object) -> bool:
    return isinstance(said, dict) and all(isinstance(d, str) and is_inside(p) for p, d in said.items())


def is_inside(path: str) -> bool:
    """Whether a relative POSIX path stays below the folder it is taken in, on every platform."""
    steps = path.split("/")
    return not ("" in steps or "." in steps or ".." in steps or any(c in path for c in "\\:\0"))
