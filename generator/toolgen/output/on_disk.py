"""A package as it stands in its folder, read once for whoever asks: what to use again, what to compare with."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toolgen.build import Earlier
from toolgen.output import manifest
from toolgen.output.manifest import MANIFEST


@dataclass(frozen=True)
class Standing:
    """The files that a package's own manifest lists, and the manifest.

    `listed` is what the manifest lists, None where there is no manifest. `files` are those that are there, by their
    relative paths, with their line ends as they were written (`as_written`): texts that give back the very bytes
    where they are not UTF-8 (`surrogateescape`). `digests` are of these texts. `linked` are the listed paths on
    which a symbolic link stands.
    """

    listed: Mapping[str, str] | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    linked: frozenset[str] = frozenset()

    @property
    def own(self) -> frozenset[str]:
        """What toolgen wrote, whether it is still there or not."""
        return frozenset() if self.listed is None else frozenset((*self.listed, MANIFEST))

    def earlier(self, cached: Mapping[str, str]) -> Earlier:
        """The package as a build can use it again, by what the cache says of it."""
        return Earlier(self.files, self.digests, cached)


def look(out: Path) -> Standing:
    """What stands in a folder.

    Raises:
        SpecError: `bad-manifest`.
        OSError: a file cannot be read.
    """
    listed = manifest.read(out) if os.path.isdir(out) and not os.path.islink(out) else None
    if listed is None:
        return Standing()
    own = {*listed, MANIFEST}
    linked = linked_paths(out, own)
    found = {path: as_written(data) for path in own - linked if (data := _read(f"{out}/{path}")) is not None}
    digests = {path: manifest.digest(data) for path, data in found.items()}
    texts = {path: data.decode("utf-8", "surrogateescape") for path, data in found.items()}
    return Standing(listed, texts, digests, frozenset(linked))


def as_written(data: bytes) -> bytes:
    """The bytes that were written of a file whose line ends a checkout turned into CRLF; toolgen writes no CR."""
    return data.replace(b"\r\n", b"\n")


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
