"""Find out what a build would change in its output folder: which files it would create, update and remove."""

from __future__ import annotations

import difflib
import io
import os
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from toolgen.compiler.diagnostics import Place, SpecError
from toolgen.compiler.python.layout import BYTECODE, MANIFEST, STAGE
from toolgen.package.output import manifest
from toolgen.package.output.on_disk import PackageOnDisk, as_written, linked_paths, read_package
from toolgen.package.output.shadowing import shadowing_files


@dataclass(frozen=True)
class Plan:
    """The changes that a build would make, as sorted paths relative to `out`. `files` is the whole package.

    `shadowing` are foreign files that Python imports instead of the package's own. A write does not change them.
    """

    out: Path
    files: Mapping[str, str]
    digests: Mapping[str, str]
    created: tuple[str, ...]
    updated: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]
    shadowing: tuple[str, ...] = ()

    @property
    def changed(self) -> tuple[str, ...]:
        """The files that would be created or updated."""
        return tuple(sorted(self.created + self.updated))

    @property
    def is_current(self) -> bool:
        """Whether no file would change."""
        return not self.changed and not self.removed


def plan(files: Mapping[str, str], out: Path, on_disk: PackageOnDisk | None = None) -> Plan:
    """Compare a package (`files` has its texts by relative POSIX path) with the folder `out`, without
    writing.

    The manifest is added to `files`, or replaced there. `on_disk` is the package in `out`, if it has already been read.
    Only files that the manifest in `out` lists are updated or removed, even if someone has edited them.

    Raises:
        SpecError: `unsafe-path`, `output-in-use`, `symlink-output`, `not-a-folder`, `foreign-folder`,
            `symlink-file`, `foreign-file`, `bad-manifest`: toolgen must not write there.
        OSError: `out` cannot be read.
    """
    _refuse_folder(out)
    old = on_disk or read_package(out)
    digests = {
        path: old.digests[path] if old.files.get(path) == text else manifest.digest(text.encode())
        for path, text in files.items()
        if path != MANIFEST
    }
    files = {**files, MANIFEST: manifest.text(digests)}
    _refuse_paths(files.keys(), old, out)
    same = {path for path, text in files.items() if old.files.get(path) == text}
    return Plan(
        out=out,
        files=files,
        digests=digests,
        created=tuple(sorted(files.keys() - old.files.keys())),
        updated=tuple(sorted(files.keys() & old.files.keys() - same)),
        removed=tuple(sorted(old.files.keys() - files.keys())),
        unchanged=tuple(sorted(same)),
        shadowing=shadowing_files(out, files.keys() | old.own),
    )


def diff(planned: Plan) -> str:
    """Return a unified diff between the files on disk and those of the package; an empty string if they are
    the same.

    The manifest, which contains the digests of the other files, is shown only if no other file changes.
    """
    paths = sorted((*planned.changed, *planned.removed))
    paths = [path for path in paths if path != MANIFEST] or paths
    return "".join(line for path in paths for line in _file_diff(planned, path))


def refusal(path: Path, code: str, message: str, hint: str) -> SpecError:
    """Create the error for a path to which toolgen must not write."""
    return SpecError.of(Place(path.as_posix()), code, message, hint)


def _refuse_folder(out: Path) -> None:
    """Raise an error if toolgen must not write to a folder."""
    if Path.cwd().is_relative_to(os.path.abspath(out)):
        raise refusal(
            out,
            "output-in-use",
            "the current folder is inside the output folder",
            "run toolgen from a folder above it",
        )
    if out.is_symlink():
        named = os.path.realpath(out)
        if os.path.islink(named):
            hint = "remove the link"
        else:
            hint = f"name {named} itself"
        raise refusal(out, "symlink-output", "the output folder is a symbolic link", hint)
    if not out.exists():
        return
    if not out.is_dir():
        raise refusal(out, "not-a-folder", "the output is a file", "name a new folder with -o")
    others = {entry.name for entry in out.iterdir()} - {BYTECODE, STAGE, "lost+found"}
    if others and not os.path.lexists(out / MANIFEST):
        raise refusal(
            out, "foreign-folder", "this folder was not written by toolgen", "name a new folder with -o"
        )


def _refuse_paths(paths: Set[str], old: PackageOnDisk, out: Path) -> None:
    """Raise an error if a write would leave the folder, follow a link, or replace a foreign file or a folder."""
    for path in paths - old.own:
        if not manifest.is_inside(path):
            raise refusal(out, "unsafe-path", f"{path!r} is outside the package", "report this as a bug")
    if out.exists():
        new = paths - old.files.keys()
    else:
        new = set()
    for path in sorted(old.linked | linked_paths(out, new)):
        raise refusal(
            out / path, "symlink-file", "this is a symbolic link, or is below one", "remove the link"
        )
    folders = {
        "/".join(steps[:end]) for path in new for steps in [path.split("/")] for end in range(1, len(steps))
    }
    foreign = [path for path in new if os.path.lexists(out / path)]
    foreign += [folder for folder in folders - old.own if os.path.isfile(out / folder)]
    if foreign and manifest.read(out) != old.listed:
        return  # another build has written meanwhile; `write` compares again, when it has the lock
    for path in sorted(foreign):
        raise refusal(out / path, "foreign-file", "this file was not written by toolgen", "move it elsewhere")


def _file_diff(planned: Plan, path: str) -> Iterator[str]:
    target = planned.out / path
    name = target.as_posix()
    data = manifest.read_regular(target)
    if data is None:
        old = ""
    else:
        old = as_written(data).decode(errors="backslashreplace")
    before, after = ("/dev/null" if data is None else name), (name if path in planned.files else "/dev/null")
    return text_diff(old, planned.files.get(path, ""), before, after)


def text_diff(old: str, new: str, before: str, after: str) -> Iterator[str]:
    """Yield the lines of a unified diff between two texts."""

    for line in difflib.unified_diff(_lines(old), _lines(new), before, after):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """Return the lines of a text with their line ends. `splitlines` would also split at form feeds."""
    return list(io.StringIO(text, newline="\n"))
