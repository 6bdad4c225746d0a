"""Write a planned package to its folder. Nothing else changes the folder.

All files are first written to a folder inside the package, and then each is moved into place in one step. The indexes
are moved first as files that raise an ImportError, and last in their new versions. A package that can be imported is
therefore either the old or the new one. In between, the manifest lists the files of both packages. With this manifest,
the next build after a killed one can tell these files from foreign ones, and completes the package. Foreign files are
never moved, copied, changed or deleted.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from toolgen.compiler.python.layout import BYTECODE, MANIFEST, MODELS, STAGE, index_path
from toolgen.package.interrupts import interrupts_blocked
from toolgen.package.output import manifest
from toolgen.package.output.lock import locked
from toolgen.package.output.on_disk import read_package
from toolgen.package.output.plan import Plan, diff, plan, refusal

__all__ = ["GUARD", "Plan", "diff", "plan", "write"]

GUARD: Final = (
    "raise ImportError(\n"
    '    f"{__name__} is being written, or was not written to its end: try again, or run `toolgen build` again"\n'
    ")\n"
)
"""The text of an index while the package contains files of both the old and the new version."""
INDEX: Final = index_path("")
_NEW, _BOTH, _GUARDS = "new", "both", "guards"
"""The entries of the stage: the new files, the manifest of both packages, and the guards."""


def write(planned: Plan) -> Plan:
    """Write a planned package, and delete what an interrupted build has left behind.

    A Ctrl-C takes effect while files are prepared, or after the write. Builds into the same folder wait for each other.
    Each compares again when it gets the lock; the returned plan is the one that was carried out.

    Raises:
        SpecError: as for `plan`, or `name-taken`.
        OSError: the disk is full, a permission is missing, ...; the package is unchanged. If moving a
            file fails, importing the package may raise `ImportError` until the next build.
    """
    out = planned.out
    if planned.is_current and not os.path.lexists(out / STAGE):
        return planned
    with locked(out), _created(out):
        _clear(out / STAGE)
        old = read_package(out)
        now = plan(planned.files, out, old)
        if not now.is_current:
            try:
                replacement = _Replacement(now, old.listed or {}, old.files)
                replacement.stage_files()
                with interrupts_blocked():
                    replacement.carry_out()
                    _clear(out / STAGE)
            except BaseException:
                _clear(out / STAGE)
                raise
    return now


class _Replacement:
    """The steps that carry out a plan."""

    def __init__(self, planned: Plan, listed: Mapping[str, str], old: Mapping[str, str]) -> None:
        self.out, self.stage, self.planned = planned.out, planned.out / STAGE, planned
        self.both = manifest.text({**listed, **planned.digests})
        moved = {*planned.changed, *planned.removed} - {MANIFEST}
        known = {*planned.files, *old}
        self.guarded: list[str] = []
        if len(moved) > 1:
            folders = {"", *_folders_of(moved)}
            # All indexes above the files, except that of the payload classes.
            indexes = {
                index_path(folder and f"{folder}/")
                for folder in folders
                if folder.rpartition("/")[2] != MODELS
            }
            self.guarded = sorted(indexes & known, key=len)
        self.has_both = self.both != old.get(MANIFEST)
        self.plain = sorted(moved - {*self.guarded})

    def stage_files(self) -> None:
        """Write all files to a temporary folder, so that only renames remain, and check that these can
        succeed.
        """
        self.stage.mkdir()
        _require_writable(self.out, (*self.plain, *self.guarded))
        for path in {*self.plain, *self.guarded, MANIFEST} & self.planned.files.keys():
            if path in self.planned.unchanged:
                shutil.copy2(self.out / path, self._staged(_NEW, path))
            else:
                self._write(_NEW, path, self.planned.files[path])
        for path in self.guarded:
            self._write(_GUARDS, path, GUARD)
        self._write(_BOTH, MANIFEST, self.both)

    def carry_out(self) -> None:
        """Move all files into place. The new manifest and the indexes come last."""
        if self.has_both:
            self._put(_BOTH, MANIFEST)
        for path in self.guarded:
            self._put(_GUARDS, path)
        for path in self.plain:
            self._move(path)
        self._delete_bytecode()
        if INDEX in self.guarded and INDEX in self.planned.files:
            last = [INDEX]
        else:
            last = []
        for path in reversed(self.guarded[len(last) :]):
            self._move(path)
        if self.has_both or MANIFEST in self.planned.changed:
            self._put(_NEW, MANIFEST)
        for path in last:
            self._move(path)
        self._delete_folders()

    def _staged(self, kind: str, path: str) -> Path:
        target = self.stage / kind / path
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def _write(self, kind: str, path: str, text: str) -> None:
        with self._staged(kind, path).open("xb") as file:
            file.write(text.encode())

    def _move(self, path: str) -> None:
        if path in self.planned.files:
            self._put(_NEW, path)
        else:
            (self.out / path).unlink(missing_ok=True)

    def _put(self, kind: str, path: str) -> None:
        (self.out / path).parent.mkdir(parents=True, exist_ok=True)
        os.replace(self.stage / kind / path, self.out / path)

    def _delete_bytecode(self) -> None:
        """Delete the bytecode of changed files, because Python compares only the time and size of the source."""
        for path in (*self.plain, *self.guarded):
            folder, name = (self.out / path).parent / BYTECODE, Path(path).stem
            for compiled in folder.glob(f"{name}.*pyc*") if path.endswith(".py") else ():
                compiled.unlink(missing_ok=True)

    def _delete_folders(self) -> None:
        """Delete the folders that have become empty."""
        for folder in sorted(
            _folders_of(self.planned.removed) - _folders_of(self.planned.files), reverse=True
        ):
            for path in (f"{folder}/{BYTECODE}", folder):
                with suppress(OSError):  # not empty: it has foreign files
                    (self.out / path).rmdir()


def _folders_of(paths: Iterable[str]) -> set[str]:
    """Return every folder above the paths, except `""`."""
    return {parent.as_posix() for path in paths for parent in Path(path).parents} - {"."}


def _require_writable(out: Path, paths: Iterable[str]) -> None:
    """Raise an error if a later rename would fail.

    Raises:
        OSError: a folder is not writable.
    """
    for folder in sorted({(out / path).parent for path in paths}):
        if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


def _clear(stage: Path) -> None:
    """Delete the prepared files of this build, or of a killed one.

    Raises:
        SpecError: `name-taken`: a foreign file or folder has the name that is needed.
        OSError: a file cannot be deleted.
    """
    if not os.path.lexists(stage):
        return
    is_folder = stage.is_dir() and not stage.is_symlink()
    if not is_folder or not {entry.name for entry in stage.iterdir()} <= {_NEW, _BOTH, _GUARDS}:
        message = "toolgen needs this name while it writes the package"
        raise refusal(stage, "name-taken", message, "delete it or move it elsewhere, and build again")
    shutil.rmtree(stage)


@contextmanager
def _created(folder: Path) -> Iterator[None]:
    """Create a folder and the folders above it. If this fails, delete those that did not exist before."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for one in missing:
            with suppress(OSError):  # already deleted, or in use by another process
                one.rmdir()
        raise
