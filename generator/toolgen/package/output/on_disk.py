"""A generated package as it is on disk.

It is read once, so that a build can reuse its files and compare with them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toolgen.compiler.python.layout import MANIFEST
from toolgen.package.cache import Entry
from toolgen.package.output import manifest


@dataclass(frozen=True)
class PackageOnDisk:
    """A package on disk: its manifest, and the files that the manifest lists. A build reuses unchanged files.

    `listed` contains the digests in the manifest, or is None without a manifest. `files` contains the text of each
    file that exists, by relative path, with the line ends that toolgen wrote (`as_written`), decoded with
    `surrogateescape`; `digests` contains the digests of these texts. `linked` are the listed paths that are
    symbolic links or below one. `cached` contains the cache entries of the files.
    """

    listed: Mapping[str, str] | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    linked: frozenset[str] = frozenset()
    cached: Mapping[str, Entry] = field(default_factory=dict)

    @property
    def own(self) -> frozenset[str]:
        """The paths of all files that toolgen wrote, including those that were deleted."""
        if self.listed is None:
            return frozenset()
        return frozenset((*self.listed, MANIFEST))

    def made_from(self, path: str, fingerprint: str) -> str | None:
        """Return the text of a file if it was generated from an input with this fingerprint.

        Otherwise return None.
        """
        entry = self.cached.get(path)
        if entry is not None and entry[:2] == (fingerprint, self.digests.get(path)):
            return self.files[path]
        return None


def read_package(out: Path, cached: Mapping[str, Entry] | None = None) -> PackageOnDisk:
    """Read the package in a folder, and the cache entries for its files.

    Raises:
        SpecError: `bad-manifest`.
        OSError: a file cannot be read.
    """
    if os.path.isdir(out) and not os.path.islink(out):
        listed = manifest.read(out)
    else:
        listed = None
    if listed is None:
        return PackageOnDisk()
    own = {*listed, MANIFEST}
    linked = linked_paths(out, own)
    digests: dict[str, str] = {}
    texts: dict[str, str] = {}
    for path in own - linked:
        data = manifest.read_regular(f"{out}/{path}")
        if data is not None:
            data = as_written(data)
            digests[path] = manifest.digest(data)
            texts[path] = data.decode("utf-8", "surrogateescape")
    return PackageOnDisk(listed, texts, digests, frozenset(linked), cached or {})


def as_written(data: bytes) -> bytes:
    """Undo the change of line ends to CRLF that a checkout may have made, and return the bytes that toolgen
    wrote.
    """
    if b"\r" in data:
        return data.replace(b"\r\n", b"\n")
    return data


def linked_paths(out: Path, paths: Iterable[str]) -> set[str]:
    """Return the paths in a folder that are symbolic links, or that are inside a linked folder."""
    by_folder: dict[str, list[str]] = {}
    for path in paths:
        by_folder.setdefault(path.rpartition("/")[0], []).append(path)
    linked: set[str] = set()
    for folder, inside in by_folder.items():
        if folder:
            steps = folder.split("/")
        else:
            steps = []
        if any(os.path.islink(f"{out}/{'/'.join(steps[: end + 1])}") for end in range(len(steps))):
            linked.update(inside)
        else:
            links = _links_in(f"{out}/{folder}")
            linked.update(path for path in inside if path.rpartition("/")[2] in links)
    return linked


def _links_in(folder: str) -> set[str]:
    """Return the names of the symbolic links in a folder; none if it is not a folder."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name for entry in entries if entry.is_symlink()}
    except (FileNotFoundError, NotADirectoryError):
        return set()
