"""The cache in the user's cache folder: the generated tools for `build`, and the findings of `lint` and
`list`.

The package's own manifest is not trusted, because someone could edit it along with the code. A file of a package is
reused only if the cache shows that the same generator, with the same libraries and the same input, produced exactly the
bytes on disk. Without the cache, a build generates everything again.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from toolgen.compiler.diagnostics import Diagnostic
from toolgen.compiler.schema.ref_dirs import RefDir
from toolgen.compiler.specs.tool_spec import ToolSpec

VARIABLE: Final = "TOOLGEN_CACHE_DIR"
"""The environment variable that sets the cache folder."""
MOST_PACKAGES: Final = 1_000
"""The number of packages whose entries are kept; the entries of packages built longest ago are deleted."""

SOURCES: Final = ("toolgen", "toolgen_templates", "toolgen_runtime")
"""The packages on which the generated text depends (the runtime compiles patterns, for example)."""
LIBRARIES: Final = ("datamodel-code-generator-", "jinja2-", "jsonschema-", "pydantic-")
"""The beginnings of the names of other distributions on which the generated text depends."""


class Entry(NamedTuple):
    """What the cache records about one file of a package.

    It has the fingerprint of the file's input, the digest of its bytes, and the warnings about it.

    A warning is `[pointer, code, message, hint, level]`. The pointer is relative to the tool's schema, so a rebuild can
    report the warning at the tool's current place without reading the schema.
    """

    fingerprint: str
    digest: str
    warnings: list[list[str]]


def load(out: Path) -> dict[str, Entry]:
    """Read the cache entries for a package's files, by relative path.

    If no cache file can be trusted, return an empty result.
    """
    try:
        return {path: Entry(*row) for path, row in read_file(file_of("built", out)).items()}
    except TypeError:
        return {}


def save(out: Path, entries: Mapping[str, Entry]) -> None:
    """Replace the entries of a package. If they cannot be written, do nothing."""
    write_file(file_of("built", out), entries)


def read_file(file: Path | None) -> dict[str, Any]:
    """Return the object in a cache file; an empty object if no file can be trusted."""
    if file is None:
        return {}
    try:
        with file.open("rb") as opened:
            if not _is_trusted(os.fstat(opened.fileno())):
                return {}
            found = json.load(opened)
    except (OSError, ValueError, RecursionError):
        return {}
    if isinstance(found, dict):
        return found
    return {}


def write_file(file: Path | None, entries: Mapping[str, Any]) -> None:
    """Replace a cache file, and delete the oldest files of the same kind."""
    if file is None:
        return
    new = file.with_name(f"{file.name}.{os.getpid()}")
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            new.touch(0o600)
            new.write_text(json.dumps(dict(sorted(entries.items())), separators=(",\n", ":")))
            os.replace(new, file)
        finally:
            new.unlink(missing_ok=True)
        kind = file.name.partition("-")[0]
        kept = sorted(file.parent.glob(f"{kind}-*"), key=os.path.getmtime)
        for oldest in kept[:-MOST_PACKAGES]:
            oldest.unlink()


def file_of(kind: str, *paths: str | Path) -> Path | None:
    """Return the cache file of a kind for some paths."""
    folder = cache_folder()
    if folder is None:
        return None
    digest = hashlib.sha256(b"\0".join(os.fsencode(os.path.realpath(path)) for path in paths)).hexdigest()
    return folder / f"{kind}-{digest[:40]}.json"


def cache_folder() -> Path | None:
    """Return toolgen's cache folder on this platform; None if the platform's setting is not an absolute path."""
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
    if os.path.isabs(base):
        return Path(base) / "toolgen"
    return None


def _is_trusted(status: os.stat_result) -> bool:
    """Return whether only this user can have written a file."""
    if not hasattr(os, "geteuid"):
        return True
    others = stat.S_IWGRP | stat.S_IWOTH
    return status.st_uid == os.geteuid() and not status.st_mode & others


def recorded(diagnostics: Sequence[Diagnostic], spec: ToolSpec) -> list[list[str]] | None:
    """Convert a tool's warnings to rows for a cache entry.

    Return None if the warnings could not be restored from the rows.
    """
    start = len(spec.schema_place.pointer)
    rows: list[list[str]] = [
        [d.place.pointer[start:], d.code, d.message, d.hint, d.level] for d in diagnostics
    ]
    return rows if reported(rows, spec) == tuple(diagnostics) else None


def reported(warnings: Iterable[Sequence[Any]], spec: ToolSpec) -> tuple[Diagnostic, ...] | None:
    """Convert rows of a cache entry back to warnings, with the current location of the tool.

    Return None if the record is malformed.
    """
    place = spec.schema_place
    try:
        return tuple(
            Diagnostic(replace(place, pointer=place.pointer + below), code, message, hint, spec.name, level)
            for below, code, message, hint, level in warnings
        )
    except (TypeError, ValueError):
        return None


def pipeline_fingerprint(options: Sequence[Any], ref_dirs: Sequence[RefDir]) -> str:
    """Return the fingerprint of the generator itself, of options, and of folders of schemas.

    For a folder, the URI and the files count, but not the path.
    """
    hasher = hashlib.sha256(_generator().encode())
    hasher.update(json.dumps([*options, [folder.uri for folder in ref_dirs]]).encode())
    for folder in ref_dirs:
        _add_files(hasher, str(folder.path))
    return hasher.hexdigest()


def tool_fingerprints(spec: ToolSpec, pipeline: str) -> tuple[str, str]:
    """Return the fingerprints of a tool's two modules: its checks and its payload classes.

    They depend only on the tool's name and schema.
    """
    classes = _digest([pipeline, spec.name, spec.schema])
    return _digest([classes, spec.description, spec.metadata]), classes


def index_fingerprint(modules: Mapping[str, str], pipeline: str, of_toolsets: bool = False) -> str:
    """Return the fingerprint of an index (`__init__.py`).

    An index lists tools and their modules, or toolsets and their subpackages.
    """
    return _digest([pipeline, of_toolsets, sorted(modules.items())])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


@cache
def _generator() -> str:
    """Return the fingerprint of the sources of the generator, templates and runtime, and of their libraries."""
    versions = [sys.version, *_libraries()]
    hasher = hashlib.sha256(json.dumps(versions).encode())
    for package in SOURCES:
        spec = find_spec(package)  # without an import of the package
        for folder in (spec and spec.submodule_search_locations) or ():
            _add_files(hasher, folder, (".py", ".jinja"))
    return hasher.hexdigest()


def _libraries() -> list[str]:
    """Return the names of the metadata folders of installed libraries, which contain name and version.

    `importlib.metadata` would take longer than the rest of a build without changes.
    """
    folders: set[str] = set()
    for folder in sys.path:
        with suppress(OSError):
            folders.update(
                name for name in os.listdir(folder or ".") if name.endswith((".dist-info", ".egg-info"))
            )
    return sorted(name for name in folders if name.lower().replace("_", "-").startswith(LIBRARIES))


def _add_files(hasher: Any, folder: str, suffixes: str | tuple[str, ...] = "") -> None:
    """Add the paths and contents of the files below a folder whose names end with `suffixes`."""
    for path in sorted(
        path for path in Path(folder).rglob("*") if path.name.endswith(suffixes) and path.is_file()
    ):
        name = path.relative_to(folder).as_posix()
        hasher.update(name.encode("utf-8", "surrogateescape") + b"\0" + path.read_bytes() + b"\0")
