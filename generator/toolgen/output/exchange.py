"""Replace a whole package in one step: stage the new one beside the old one and exchange the two folders.

At any time, even after the writer was killed, the folder has either the old package or the new one. This works
only for a folder without foreign files; `replace` does the others.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Set
from pathlib import Path

from toolgen.diagnostics import SpecError
from toolgen.output import manifest
from toolgen.output.contents import folders_of, has_mounts, read_contents
from toolgen.output.interrupts import raise_held_interrupt
from toolgen.output.plan import Plan, name_taken, refusal
from toolgen.python.layout import BYTECODE, MANIFEST, stage_beside

ATTEMPTS = 100
"""How often the old folder is emptied again if another process keeps writing into it."""


def exchange(planned: Plan, own: Set[str]) -> bool:
    """Carry out a plan in one step and return True; change nothing and return False if that is not possible.

    `own` are the files that toolgen wrote in the folder before.

    Raises:
        OSError: the disk is full, permission is missing, ...; the package is unchanged.
    """
    out, stage = planned.out, stage_beside(planned.out)
    is_new = not out.exists()
    if not is_new and not _has_only_own_files(out, own):
        return False
    try:
        _stage(planned, stage)
        if is_new:
            stage.rename(out)
            return True
        # Checked again: a foreign file may have been added while the package was staged.
        return (
            _copy_all_attributes(out, stage, own)
            and _has_only_own_files(out, own)
            and _exchange_folders(stage, out)
        )
    finally:
        clear(out)


def clear(out: Path) -> None:
    """Delete the stage beside a package, or the old package that took its place.

    Foreign files in it were added during the exchange; they are moved back to the package.

    Raises:
        SpecError: `name-taken`: the name of the stage belongs to something else; `foreign-file`: a foreign file
            cannot be moved back, because the package has a file of that name.
        OSError: a file cannot be deleted.
    """
    stage = stage_beside(out)
    if not os.path.lexists(stage):
        return
    own = _staged_files(stage)
    if own is None:
        raise name_taken(stage)
    for attempts_left in reversed(range(ATTEMPTS)):
        _delete(stage, own)
        try:
            stage.rmdir()  # fails if a file was added meanwhile
            return
        except OSError:
            if not attempts_left or not any(stage.iterdir()):
                raise
        for path in read_contents(stage, own).foreign:
            _move_back(stage / path, out / path)


def has_leftovers(out: Path) -> bool:
    """Return whether a killed build left its stage beside a package."""
    return _staged_files(stage_beside(out)) is not None


def _staged_files(stage: Path) -> Set[str] | None:
    """Return the files that toolgen wrote in a stage; None if it is not a stage.

    The manifest is written first, so it may be the only file, and it may be incomplete.
    """
    if not stage.is_dir() or stage.is_symlink():
        return None
    try:
        listed = manifest.read(stage)
    except SpecError:
        listed = None
    if listed is None and {entry.name for entry in stage.iterdir()} - {MANIFEST, BYTECODE}:
        return None
    return {*(listed or ()), MANIFEST}


def _delete(stage: Path, own: Set[str]) -> None:
    """Delete toolgen's files and the folders that are then empty, the manifest last."""
    contents = read_contents(stage, own)
    for path in (*(own - {MANIFEST}), *contents.bytecode):
        (stage / path).unlink(missing_ok=True)
    for folder in (*contents.bytecode_folders, *reversed(contents.folders[1:])):
        try:
            os.rmdir(stage / folder)
        except OSError:
            continue  # not empty: it has foreign files
    if not read_contents(stage, {MANIFEST}).foreign:
        (stage / MANIFEST).unlink(missing_ok=True)


def _move_back(source: Path, target: Path) -> None:
    if os.path.lexists(target):
        raise refusal(source, "foreign-file", "this file was not written by toolgen", "move it elsewhere")
    target.parent.mkdir(parents=True, exist_ok=True)
    source.rename(target)


def _has_only_own_files(out: Path, own: Set[str]) -> bool:
    """Return whether a folder may be replaced as a whole."""
    contents = read_contents(out, own)
    folders = [out.parent, *(out / folder for folder in contents.folders)]
    writable = [os.access(folder, os.W_OK | os.X_OK) for folder in folders]
    return not contents.foreign and all(writable) and not has_mounts(out)


def _stage(planned: Plan, stage: Path) -> None:
    """Write the whole package to `stage`; unchanged files are linked, not copied."""
    stage.mkdir()
    _create(stage, MANIFEST, planned.files[MANIFEST])
    for folder in sorted(folders_of(planned.files)):
        (stage / folder).mkdir()
    for path in planned.unchanged:
        if path != MANIFEST:
            link_or_copy(f"{planned.out}/{path}", f"{stage}/{path}")
    for path in planned.changed:
        if path != MANIFEST:
            _create(stage, path, planned.files[path])


def _create(stage: Path, path: str, text: str) -> None:
    raise_held_interrupt()
    with (stage / path).open("xb") as file:  # "x": never write into a linked file
        file.write(text.encode())


def link_or_copy(source: str, target: str) -> None:
    """Create a hard link to a file, or a copy if the file system has no hard links."""
    raise_held_interrupt()
    try:
        os.link(source, target, follow_symlinks=False)
    except (OSError, NotImplementedError):
        import shutil

        shutil.copy2(source, target, follow_symlinks=False)


def _copy_all_attributes(out: Path, stage: Path, own: Set[str]) -> bool:
    """Copy owner and mode of each folder to the staged one; return whether they are then the same."""
    pairs = [(out / f, stage / f) for f in ("", *sorted(folders_of(own)))]
    return all(_copy_attributes(old, new) for old, new in pairs if old.is_dir() and new.is_dir())


def _copy_attributes(old: Path, new: Path) -> bool:
    if sys.platform != "linux":
        return False
    wanted, current = old.stat(), new.stat()
    try:
        if (wanted.st_uid, wanted.st_gid) != (current.st_uid, current.st_gid):
            os.chown(new, wanted.st_uid, wanted.st_gid)
        os.chmod(new, stat.S_IMODE(wanted.st_mode))
    except OSError:
        return False
    names = os.listxattr(old)
    return sorted(names) == sorted(os.listxattr(new)) and all(
        os.getxattr(old, name) == os.getxattr(new, name) for name in names
    )


def _exchange_folders(left: Path, right: Path) -> bool:
    """Exchange two folders in one step (Linux, `renameat2(2)`); return False if that is not possible."""
    if sys.platform != "linux":
        return False
    import ctypes

    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    try:
        renameat2 = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError):
        return False
    return bool(renameat2(here, os.fsencode(left), here, os.fsencode(right), exchange) == 0)
