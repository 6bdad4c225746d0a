"""Carry out a plan file by file, in a folder that also has foreign files, and leave those alone.

The new files are written to a folder inside the package and then renamed into place. Until the last rename, and
if the writer is killed before it, the manifest lists the files of both packages, so that the next build can tell
them from foreign ones, and importing the package raises an error that says what to do.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

from toolgen.output import manifest
from toolgen.output.contents import folders_of, read_contents
from toolgen.output.exchange import link_or_copy
from toolgen.output.interrupts import raise_held_interrupt
from toolgen.output.on_disk import PackageOnDisk
from toolgen.output.plan import Plan, name_taken, refusal
from toolgen.python.layout import MANIFEST, STAGE, index_path

INDEX = index_path("")
GUARD = (
    "raise ImportError(\n"
    '    f"{__name__} is being written, or was not written to its end: try again, or run `toolgen build` again"\n'
    ")\n"
)
"""The package's `__init__.py` while files of the old and the new package are mixed."""

NEW, OLD, BOTH, CLOSED = "new", "old", "both", "closed"
"""The entries of the stage: new files, old files, the manifest of both packages, the guard."""


def replace(planned: Plan, old: PackageOnDisk) -> None:
    """Carry out a plan file by file.

    Raises:
        SpecError: `name-taken`, or `foreign-file` if one was added meanwhile; the package is unchanged.
        OSError: the disk is full, permission is missing, ...; the package is unchanged.
    """
    stage = planned.out / STAGE
    stage.mkdir()
    run = _Replacement(planned, old, stage)
    try:
        run.prepare()
        run.carry_out()
    except BaseException:
        run.undo()
        raise
    finally:
        clear(planned.out, old.own | planned.files.keys())


def has_leftovers(out: Path) -> bool:
    """Return whether a killed build left its stage in a package."""
    stage = out / STAGE
    is_folder = stage.is_dir() and not stage.is_symlink()
    return is_folder and {entry.name for entry in stage.iterdir()} <= {NEW, OLD, BOTH, CLOSED}


def clear(out: Path, own: Set[str]) -> None:
    """Delete the stage in a package, and temporary copies of files on other file systems.

    Raises:
        SpecError: `name-taken`: the name of the stage belongs to something else.
        OSError: a file cannot be deleted.
    """
    import shutil  # loads several other modules, and a build that changes nothing does without them

    stage = out / STAGE
    if not os.path.lexists(stage):
        return
    if not has_leftovers(out):
        raise name_taken(stage)
    for path in own:
        if os.path.lexists(copy := _temporary_name(out / path)):
            copy.unlink()
    shutil.rmtree(stage)


class _Replacement:
    """A plan being carried out: what is staged, and what has been done."""

    def __init__(self, planned: Plan, old: PackageOnDisk, stage: Path) -> None:
        self.out, self.stage, self.planned = planned.out, stage, planned
        self.old: Mapping[str, str] = old.files
        self.both = manifest.text({**(old.listed or {}), **planned.digests})
        self.bytecode = read_contents(planned.out, old.own).bytecode
        self.done: list[str] = []
        self.folders: list[Path] = []
        files = {*planned.changed, *planned.removed} - {MANIFEST}
        self.is_guarded = len(files) > 1 and INDEX in {*planned.files, *old.files}
        self.is_listed = self.both == old.files.get(MANIFEST)
        self.last = [INDEX] if self.is_guarded else []
        if not self.is_listed or MANIFEST in planned.changed:
            self.last.append(MANIFEST)

    def prepare(self) -> None:
        """Write everything that is needed later, so that only renames remain."""
        for path in {*self.planned.updated, *self.planned.removed, *self.last} & self.old.keys():
            self._save(path, OLD)
        for path in self.last:
            if path in self.planned.unchanged:
                self._save(path, NEW)
        for path in self.planned.changed:
            self._write(f"{NEW}/{path}", self.planned.files[path])
        self._write(BOTH, self.both)
        self._write(CLOSED, GUARD)

    def carry_out(self) -> None:
        """Move every file into place, the new index and manifest last."""
        if not self.is_listed:
            self._put(BOTH, MANIFEST)
        if self.is_guarded:
            self._put(CLOSED, INDEX)
        for path in self.planned.removed:
            if path != INDEX or not self.is_guarded:
                self.done.append(path)
                (self.out / path).unlink()
        for path in self.planned.changed:
            if path not in self.last:
                self._put(f"{NEW}/{path}", path)
        self._delete_bytecode()
        if self.is_guarded and INDEX not in self.planned.files:
            (self.out / INDEX).unlink()
        for path in self.last:
            if path in self.planned.files:
                self._put(f"{NEW}/{path}", path)
        self._delete_folders()

    def undo(self) -> None:
        """Restore the files that were replaced or removed."""
        for path in dict.fromkeys(reversed(self.done)):
            saved = self.stage / OLD / path
            if saved.exists():
                _rename(saved, self.out / path)
            else:
                (self.out / path).unlink(missing_ok=True)
        for folder in reversed(self.folders):
            with contextlib.suppress(OSError):
                folder.rmdir()

    def _save(self, path: str, where: str) -> None:
        target = self.stage / where / path
        target.parent.mkdir(parents=True, exist_ok=True)
        link_or_copy(f"{self.out}/{path}", str(target))

    def _write(self, path: str, text: str) -> None:
        raise_held_interrupt()
        target = self.stage / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            file.write(text.encode())

    def _put(self, staged: str, path: str) -> None:
        target = self.out / path
        self._make_folders(target.parent)
        is_free = path not in self.old and path not in self.done
        try:
            _rename(self.stage / staged, target, is_free)
        except FileExistsError:
            message = "this file was not written by toolgen"
            raise refusal(target, "foreign-file", message, "move it elsewhere") from None
        self.done.append(path)

    def _make_folders(self, folder: Path) -> None:
        missing = [f for f in (folder, *folder.parents) if not f.exists()]
        for path in reversed(missing):
            path.mkdir()
            self.folders.append(path)

    def _delete_bytecode(self) -> None:
        """Delete the bytecode of changed files: Python compares only the time and size of the source."""
        gone = {*self.planned.updated, *self.planned.removed}
        for path, source in self.bytecode.items():
            if source in gone:
                (self.out / path).unlink(missing_ok=True)

    def _delete_folders(self) -> None:
        """Delete the folders that are empty after the removals."""
        gone = folders_of(self.planned.removed) - folders_of(self.planned.files)
        for folder in sorted(gone, reverse=True):
            for path in (f"{folder}/__pycache__", folder):
                with contextlib.suppress(OSError):  # not empty: it has foreign files
                    (self.out / path).rmdir()


def _temporary_name(target: Path) -> Path:
    return target.with_name(f".{target.name}{STAGE}")


def _rename(source: Path, target: Path, is_free: bool = False) -> None:
    """Rename a file, over another unless `is_free`; copy it first if the target is on another file system."""
    try:
        _rename_within(source, target, is_free)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with _copied(source, _temporary_name(target)) as copy:
            _rename_within(copy, target, is_free)


def _rename_within(source: Path, target: Path, is_free: bool) -> None:
    if not is_free:
        os.replace(source, target)
        return
    try:
        os.link(source, target, follow_symlinks=False)  # unlike a rename, never replaces a file
    except (OSError, NotImplementedError):
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        source.rename(target)


@contextlib.contextmanager
def _copied(source: Path, target: Path) -> Iterator[Path]:
    import shutil

    shutil.copy2(source, target)
    try:
        yield target
    finally:
        target.unlink(missing_ok=True)
