"""Put a whole package in place in one step: it is staged beside the old one, and the two folders trade places.

Whoever looks, and whenever the writer is killed, sees the old package or the new one. Only a folder in which
everything is toolgen's can be handled so (`replace` does the others).
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Set
from pathlib import Path

from toolgen.diagnostics import SpecError
from toolgen.output import manifest
from toolgen.output.contents import contents, folders_of, has_mounts
from toolgen.output.manifest import MANIFEST
from toolgen.output.plan import Plan, name_taken, refusal
from toolgen.python.layout import BYTECODE, stage_beside

ATTEMPTS = 100
"""How often the old folder is emptied again while somebody goes on writing into it."""


def exchange(planned: Plan, own: Set[str]) -> bool:
    """Carry out a plan in one step; False, and nothing changed, where that cannot be done.

    `own` are the files that toolgen wrote in the folder before.

    Raises:
        OSError: the disk is full, permission is missing, ...; the package is as it was before.
    """
    out, stage = planned.out, stage_beside(planned.out)
    is_new = not out.exists()
    if not is_new and not _is_ours_alone(out, own):
        return False
    try:
        _stage(planned, stage)
        if is_new:
            stage.rename(out)
            return True
        # Asked again: staging takes long enough for somebody to have put something there meanwhile.
        return _is_alike(out, stage, own) and _is_ours_alone(out, own) and _trade_places(stage, out)
    finally:
        clear(out)


def clear(out: Path) -> None:
    """Delete what is staged beside a package, or was put there in exchange: what is toolgen's.

    Anything else in it came in while the folders traded places, and goes back to the package.

    Raises:
        SpecError: `name-taken`: something of somebody else's has the name; `foreign-file`: something cannot go
            back, since its place is taken.
        OSError: something cannot be deleted.
    """
    stage = stage_beside(out)
    if not os.path.lexists(stage):
        return
    own = _staged(stage)
    if own is None:
        raise name_taken(stage)
    for left in reversed(range(ATTEMPTS)):
        _delete(stage, own)
        try:
            stage.rmdir()  # fails, rather than to take along what has come in since
            return
        except OSError:
            if not left or not any(stage.iterdir()):
                raise
        for path in contents(stage, own).foreign:
            _give_back(stage / path, out / path)


def has_litter(out: Path) -> bool:
    """Whether a killed build left its stage beside a package."""
    return _staged(stage_beside(out)) is not None


def _staged(stage: Path) -> Set[str] | None:
    """What of a staged package is toolgen's; None where it is not one.

    Its manifest is written first, and may be all there is, cut off.
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
    """Delete toolgen's files and the folders that are empty then; the manifest goes last."""
    found = contents(stage, own)
    for path in (*(own - {MANIFEST}), *found.bytecode):
        (stage / path).unlink(missing_ok=True)
    for folder in (*found.bytecode_folders, *reversed(found.folders[1:])):
        try:
            os.rmdir(stage / folder)
        except OSError:
            continue  # not empty: what is in it is not toolgen's
    if not contents(stage, {MANIFEST}).foreign:
        (stage / MANIFEST).unlink(missing_ok=True)


def _give_back(source: Path, target: Path) -> None:
    if os.path.lexists(target):
        raise refusal(source, "foreign-file", "this file was not written by toolgen", "move it elsewhere")
    target.parent.mkdir(parents=True, exist_ok=True)
    source.rename(target)


def _is_ours_alone(out: Path, own: Set[str]) -> bool:
    """Whether a folder may be replaced as a whole."""
    found = contents(out, own)
    folders = [out.parent, *(out / folder for folder in found.folders)]
    writable = [os.access(folder, os.W_OK | os.X_OK) for folder in folders]
    return not found.foreign and all(writable) and not has_mounts(out)


def _stage(planned: Plan, stage: Path) -> None:
    """The whole package in `stage`; files that stay as they are stay the very same files."""
    stage.mkdir()
    _create(stage, MANIFEST, planned.files[MANIFEST])
    for folder in sorted(folders_of(planned.files)):
        (stage / folder).mkdir()
    for path in planned.unchanged:
        if path != MANIFEST:
            second_name(f"{planned.out}/{path}", f"{stage}/{path}")
    for path in planned.changed:
        if path != MANIFEST:
            _create(stage, path, planned.files[path])


def _create(stage: Path, path: str, text: str) -> None:
    with (stage / path).open("xb") as file:  # never through another name of a file that stays
        file.write(text.encode())


def second_name(source: str, target: str) -> None:
    """A second name for a file, or a copy where the file system has no second names."""
    try:
        os.link(source, target, follow_symlinks=False)
    except (OSError, NotImplementedError):
        import shutil

        shutil.copy2(source, target, follow_symlinks=False)


def _is_alike(out: Path, stage: Path, own: Set[str]) -> bool:
    """Give the staged folders the owners and modes of those they replace; False where they still differ."""
    pairs = [(out / f, stage / f) for f in ("", *sorted(folders_of(own)))]
    return all(_liken(old, new) for old, new in pairs if old.is_dir() and new.is_dir())


def _liken(old: Path, new: Path) -> bool:
    if sys.platform != "linux":
        return False
    wanted, found = old.stat(), new.stat()
    try:
        if (wanted.st_uid, wanted.st_gid) != (found.st_uid, found.st_gid):
            os.chown(new, wanted.st_uid, wanted.st_gid)
        os.chmod(new, stat.S_IMODE(wanted.st_mode))
    except OSError:
        return False
    listed = os.listxattr(old)
    return sorted(listed) == sorted(os.listxattr(new)) and all(
        os.getxattr(old, name) == os.getxattr(new, name) for name in listed
    )


def _trade_places(one: Path, other: Path) -> bool:
    """Swap two folders in one step (`renameat2(2)` of Linux); False where that cannot be done."""
    if sys.platform != "linux":
        return False
    import ctypes

    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    try:
        renameat2 = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError):
        return False
    return bool(renameat2(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0)
