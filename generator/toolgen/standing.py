"""A package as it stands in its folder, read once for whoever asks: what to use again, what to compare with."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toolgen import manifest
from toolgen.build import Earlier
from toolgen.manifest import MANIFEST, Manifest


@dataclass(frozen=True)
class Standing:
    """The files that a package's own manifest lists, and the manifest.

    `files` are those that are there, by their relative paths: texts that give back the very bytes where they are no
    UTF-8 (`surrogateescape`). `linked` are the listed paths on which a symbolic link stands. There is no manifest,
    and nothing else, where toolgen wrote no package.
    """

    manifest: Manifest | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    linked: frozenset[str] = frozenset()
    unedited: Mapping[str, str] = field(default_factory=dict)
    """The digest of each file that is as the manifest says."""

    @property
    def own(self) -> frozenset[str]:
        """What toolgen wrote, whether it is still there or not."""
        return frozenset((*self.manifest.files, MANIFEST)) if self.manifest else frozenset()

    @property
    def earlier(self) -> Earlier:
        """The package as a build can use it again: without what somebody edited since."""
        texts = {path: self.files[path] for path in self.unedited}
        return Earlier(texts, self.manifest.parts if self.manifest else {})


def look(out: Path) -> Standing:
    """What stands in a folder.

    Raises:
        SpecError: `bad-manifest`.
        OSError: a file cannot be read.
    """
    said = manifest.read(out) if os.path.isdir(out) and not os.path.islink(out) else None
    if said is None:
        return Standing()
    own = {*said.files, MANIFEST}
    linked = linked_paths(out, own)
    found = {path: data for path in own - linked if (data := _read(f"{out}/{path}")) is not None}
    unedited = {
        path: d for path, d in said.files.items() if path in found and manifest.digest(found[path]) == d
    }
    texts = {path: data.decode("utf-8", "surrogateescape") for path, data in found.items()}
    return Standing(said, texts, frozenset(linked), unedited)


def linked_paths(out: Path, paths: Iterable[str]) -> set[str]:
    """Those of some paths in a folder on which, or above which, a symbolic link stands."""
    by_folder: dict[str, list[str]] = {}
    for path in paths:
        by_folder.setdefault(path.rpartition("/")[0], []).append(path)
    linked: set[str] = set()
    for folder, inside in by_folder.items():
        steps = folder.split("/") if folder else []
        if any(os.path.islink(f"{out}/{'/'.join(steps[: end + 1])}") for end in range(len(steps))):
            linked.update(inside)
        else:
            links = _links_in(f"{out}/{folder}")
            linked.update(path for path in inside if path.rpartition("/")[2] in links)
    return linked


def _links_in(folder: str) -> set[str]:
    """The names of the links in a folder, which need not be one."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name for entry in entries if entry.is_symlink()}
    except (FileNotFoundError, NotADirectoryError):
        return set()


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
