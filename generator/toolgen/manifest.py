"""The manifest of a generated package: which files are toolgen's own, and what they held when written.

The one place that holds the generator's version, so that nothing else changes with it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from toolgen._version import __version__
from toolgen.diagnostics import Diagnostic, Place, SpecError

MANIFEST = "toolgen-manifest.json"


def digest(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a manifest says: the digest of each file, and the fingerprints of parts that may be used again."""

    files: Mapping[str, str]
    parts: Mapping[str, str]


def text(
    files: Mapping[str, str],
    parts: Mapping[str, str] | None = None,
    digests: Mapping[str, str] | None = None,
) -> str:
    """The manifest of these files (relative path -> text); the manifest itself is not listed.

    `digests` are those that are known already.
    """
    known = digests or {}
    found = {
        path: known.get(path) or digest(text.encode()) for path, text in files.items() if path != MANIFEST
    }
    generator = json.dumps(f"toolgen {__version__}")
    return f'{{\n "generator": {generator},\n "files": {_listing(found)},\n "parts": {_listing(parts or {})}\n}}\n'


def _listing(entries: Mapping[str, str]) -> str:
    """An object with a line for each entry; `indent` would leave the writing of it to slower Python code."""
    if not entries:
        return "{}"
    written = json.dumps(dict(sorted(entries.items())), separators=(",\n  ", ": "))
    return f"{{\n  {written[1:-1]}\n }}"


def read(folder: Path) -> Manifest | None:
    """What the manifest of a package says; None where the folder has none.

    Raises:
        SpecError: `bad-manifest`.
    """
    try:
        said = json.loads((folder / MANIFEST).read_text("utf-8"))
        files, parts = said["files"], said.get("parts", {})
        if all(map(_is_listing, (files, parts))):
            return Manifest(files, parts)
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
