"""Carry out a plan file by file, in a folder that holds more than toolgen's files: nothing else is touched.

The new files wait in a folder of the package until all are written, and then take their places by renames. That
is many steps, so two things hold while it lasts, and if the writer is killed: the manifest lists both packages,
so that the next build knows whose the files are; and importing the package fails with an error that says so.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

from toolgen.output import manifest
from toolgen.output.contents import contents, folders_of
from toolgen.output.exchange import second_name
from toolgen.output.manifest import MANIFEST
from toolgen.output.on_disk import Standing
from toolgen.output.plan import Plan, name_taken, refusal
from toolgen.python.layout import STAGE, index_path

INDEX = index_path("")
GUARD = (
    "raise ImportError(\n"
    '    f"{__name__} is being written, or was not written to its end: try again, or run `toolgen build` again"\n'
    ")\n"
)
"""Stands for the package's `__init__.py` while its files are of two packages."""

NEW, OLD, BOTH, CLOSED = "new", "old", "both", "closed"
"""What is in the stage: texts to come, files that go, the manifest of both packages, the guard."""


def replace(planned: Plan, old: Standing) -> None:
    """Carry out a plan file by file.

    Raises:
        SpecError: `name-taken`, or `foreign-file`: somebody put one in the way meanwhile; the package is as it was.
        OSError: the disk is full, permission is missing, ...; the package is as it was before.
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


def has_litter(out: Path) -> bool:
    """Whether a killed build left its stage in a package."""
    stage = out / STAGE
    is_folder = stage.is_dir() and not stage.is_symlink()
    return is_folder and {entry.name for entry in stage.iterdir()} <= {NEW, OLD, BOTH, CLOSED}


def clear(out: Path, own: Set[str]) -> None:
    """Delete what is staged in a package, and what was on its way to another file system.

    Raises:
        SpecError: `name-taken`: something of somebody else's has the name of the stage.
        OSError: something cannot be deleted.
    """
    stage = out / STAGE
    if not os.path.lexists(stage):
        return
    if not has_litter(out):
        raise name_taken(stage)
    for path in own:
        if os.path.lexists(copy := _transit(out / path)):
            copy.unlink()
    shutil.rmtree(stage)


class _Replacement:
    """One plan on its way: what is staged, and what has been done."""

    def __init__(self, planned: Plan, old: Standing, stage: Path) -> None:
        self.out, self.stage, self.planned = planned.out, stage, planned
        self.old: Mapping[str, str] = old.files
        self.both = manifest.text({**(old.listed or {}), **planned.digests})
        self.bytecode = contents(planned.out, old.own).bytecode
        self.done: list[str] = []
        self.folders: list[Path] = []
        files = {*planned.changed, *planned.removed} - {MANIFEST}
        self.is_guarded = len(files) > 1 and INDEX in {*planned.files, *old.files}
        self.is_listed = self.both == old.files.get(MANIFEST)
        self.last = [INDEX] if self.is_guarded else []
        if not self.is_listed or MANIFEST in planned.changed:
            self.last.append(MANIFEST)

    def prepare(self) -> None:
        """Write all that is needed later, so that from here on there are only renames."""
        for path in {*self.planned.updated, *self.planned.removed, *self.last} & self.old.keys():
            self._keep(path, OLD)
        for path in self.last:
            if path in self.planned.unchanged:
                self._keep(path, NEW)
        for path in self.planned.changed:
            self._write(f"{NEW}/{path}", self.planned.files[path])
        self._write(BOTH, self.both)
        self._write(CLOSED, GUARD)

    def carry_out(self) -> None:
        """Put every file in its place; the index and the manifest are of the new package last."""
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
        self._drop_bytecode()
        if self.is_guarded and INDEX not in self.planned.files:
            (self.out / INDEX).unlink()
        for path in self.last:
            if path in self.planned.files:
                self._put(f"{NEW}/{path}", path)
        self._drop_folders()

    def undo(self) -> None:
        """Put back what was there, as far as it went."""
        for path in dict.fromkeys(reversed(self.done)):
            kept = self.stage / OLD / path
            if kept.exists():
                _rename(kept, self.out / path)
            else:
                (self.out / path).unlink(missing_ok=True)
        for folder in reversed(self.folders):
            with contextlib.suppress(OSError):
                folder.rmdir()

    def _keep(self, path: str, where: str) -> None:
        target = self.stage / where / path
        target.parent.mkdir(parents=True, exist_ok=True)
        second_name(f"{self.out}/{path}", str(target))

    def _write(self, path: str, text: str) -> None:
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

    def _drop_bytecode(self) -> None:
        """Delete what Python compiled from files that are no more: it knows them by time and size alone."""
        gone = {*self.planned.updated, *self.planned.removed}
        for path, source in self.bytecode.items():
            if source in gone:
                (self.out / path).unlink(missing_ok=True)

    def _drop_folders(self) -> None:
        """Delete the folders in which nothing is left of what was removed."""
        gone = folders_of(self.planned.removed) - folders_of(self.planned.files)
        for folder in sorted(gone, reverse=True):
            for path in (f"{folder}/__pycache__", folder):
                with contextlib.suppress(OSError):  # not empty: what is in it is not toolgen's
                    (self.out / path).rmdir()


def _transit(target: Path) -> Path:
    return target.with_name(f".{target.name}{STAGE}")


def _rename(source: Path, target: Path, is_free: bool = False) -> None:
    """Rename a file over another, or over none (`is_free`); through a copy where a mount lies between."""
    try:
        _take(source, target, is_free)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with _copied(source, _transit(target)) as copy:
            _take(copy, target, is_free)


def _take(source: Path, target: Path, is_free: bool) -> None:
    if not is_free:
        os.replace(source, target)
        return
    try:
        os.link(source, target, follow_symlinks=False)  # unlike a rename, never over what somebody put there
    except (OSError, NotImplementedError):
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        source.rename(target)


@contextlib.contextmanager
def _copied(source: Path, target: Path) -> Iterator[Path]:
    shutil.copy2(source, target)
    try:
        yield target
    finally:
        target.unlink(missing_ok=True)
