"""The only module that touches the output folder: plan, show, and swap a whole package in one step.

A package is staged in a hidden folder beside it and takes its place by a rename: whoever looks, and whenever
the writer is killed, sees the old package or the new one.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from toolgen import manifest
from toolgen.diagnostics import Diagnostic, Place, SpecError
from toolgen.manifest import MANIFEST
from toolgen.standing import Standing, linked_paths, look

CACHE = "__pycache__"


@dataclass(frozen=True)
class Plan:
    """What a write would do to `out`: paths relative to it, sorted; `files` is the whole package."""

    out: Path
    files: Mapping[str, str]
    created: tuple[str, ...]
    updated: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]

    @property
    def changed(self) -> tuple[str, ...]:
        """Files whose text differs from what is there, new ones included."""
        return tuple(sorted(self.created + self.updated))

    @property
    def is_current(self) -> bool:
        """Whether the package is already as it should be."""
        return not self.changed and not self.removed


def plan(
    files: Mapping[str, str],
    out: Path,
    parts: Mapping[str, str] | None = None,
    standing: Standing | None = None,
) -> Plan:
    """Compare the package `files` (relative POSIX path -> text) with the folder `out`; writes nothing.

    Where `files` holds no manifest, one is added that names the fingerprints of `parts`. `standing` is what is known
    to stand in `out`.

    Only files that `out`'s own manifest lists are ever updated or removed, whoever edited them since.

    Raises:
        SpecError: `unsafe-path`, `output-in-use`, `symlink-output`, `not-a-folder`, `foreign-folder`, `foreign-file`,
            `bad-manifest`: nothing may be written there.
        OSError: `out` cannot be read.
    """
    _refuse_folder(out)
    old = standing or look(out)
    _refuse_paths({*files, MANIFEST}, old, out)
    if MANIFEST not in files:
        known = {path: digest for path, digest in old.unedited.items() if files.get(path) == old.files[path]}
        files = {**files, MANIFEST: manifest.text(files, parts, known)}
    same = {path for path, text in files.items() if old.files.get(path) == text}
    return Plan(
        out=out,
        files=files,
        created=tuple(sorted(files.keys() - old.files.keys())),
        updated=tuple(sorted(files.keys() & old.files.keys() - same)),
        removed=tuple(sorted(old.files.keys() - files.keys())),
        unchanged=tuple(sorted(same)),
    )


def diff(planned: Plan) -> str:
    """The unified diff from what is there to what would be written; empty when nothing changes."""
    paths = sorted((*planned.changed, *planned.removed))
    return "".join(line for path in paths for line in _file_diff(planned, path))


def write(planned: Plan) -> Plan:
    """Put the planned package in place, whole; files in the folder that are not toolgen's stay.

    Builds into one parent folder wait for each other where the platform has `fcntl`, and each compares
    anew when its turn has come; what it then did is the plan that is given back.

    Raises:
        SpecError: as `plan` does.
        OSError: the disk is full, permission is missing, ...; the package is as it was before.
    """
    if planned.is_current:
        return planned
    out = planned.out
    out.parent.mkdir(parents=True, exist_ok=True)
    stage, aside = (out.with_name(f".{out.name}.toolgen-{word}") for word in ("new", "old"))
    with _locked(out.parent):
        if aside.exists() and not out.exists():
            aside.rename(out)  # a writer was killed between its two renames
        now = plan(planned.files, out)
        _clear(stage, aside)
        try:
            _stage(now, stage)
            _swap(stage, out, aside)
        finally:
            _clear(stage, aside)
    return now


def _clear(*folders: Path) -> None:
    import shutil

    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _refuse(path: Path, code: str, message: str, hint: str) -> SpecError:
    return SpecError([Diagnostic(Place(path.as_posix()), code, message, hint)])


def _refuse_folder(out: Path) -> None:
    """Refuse a folder that is not toolgen's to write."""
    if Path.cwd().is_relative_to(os.path.abspath(out)):
        raise _refuse(
            out, "output-in-use", "the current folder is in the output, which would be swapped", "go up"
        )
    if out.is_symlink():
        raise _refuse(
            out, "symlink-output", "the output folder is a symbolic link", f"name {out.resolve()} itself"
        )
    if not out.exists():
        return
    if not out.is_dir():
        raise _refuse(out, "not-a-folder", "the output is a file", "name a new folder with -o")
    if not os.path.lexists(out / MANIFEST) and any(entry.name != CACHE for entry in out.iterdir()):
        raise _refuse(
            out, "foreign-folder", "this folder was not written by toolgen", "name a new folder with -o"
        )


def _refuse_paths(paths: Set[str], old: Standing, out: Path) -> None:
    """Refuse to write outside, through a link, over a file of somebody else's, or over a folder."""
    for path in paths - old.own:
        if not manifest.is_inside(path):
            raise _refuse(
                out, "unsafe-path", f"{path!r} does not stay in the package", "report this as a bug"
            )
    new = paths - old.files.keys() if out.exists() else set()
    for path in sorted(old.linked | linked_paths(out, new)):
        raise _refuse(out / path, "symlink-file", "a symbolic link stands on this path", "remove the link")
    folders = {
        "/".join(steps[:end]) for path in new for steps in [path.split("/")] for end in range(1, len(steps))
    }
    foreign = [path for path in new if os.path.lexists(out / path)]
    foreign += [folder for folder in folders - old.own if os.path.isfile(out / folder)]
    for path in sorted(foreign):
        raise _refuse(out / path, "foreign-file", "this file was not written by toolgen", "move it elsewhere")


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _file_diff(planned: Plan, path: str) -> Iterator[str]:
    import difflib

    target = planned.out / path
    name = target.as_posix()
    data = _bytes(target)
    old = _lines("" if data is None else data.decode(errors="backslashreplace"))
    new = _lines(planned.files.get(path, ""))
    before, after = ("/dev/null" if data is None else name), (name if path in planned.files else "/dev/null")
    for line in difflib.unified_diff(old, new, before, after):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """The lines of a text with their ends; `splitlines` would also cut at form feeds and the like."""
    return list(io.StringIO(text, newline="\n"))


def _stage(planned: Plan, stage: Path) -> None:
    """The whole package in `stage`; files that stay as they are stay the very same files."""
    import shutil

    stage.mkdir()
    gone = {*planned.updated, *planned.removed}
    kept = [path for path in _everything(planned.out) if path not in gone]
    for folder in {os.path.dirname(path) for path in (*kept, *planned.changed)}:
        (stage / folder).mkdir(parents=True, exist_ok=True)
    if planned.out.exists():
        shutil.copymode(planned.out, stage)
    for path in kept:
        _keep(f"{planned.out}/{path}", f"{stage}/{path}")
    for path in planned.changed:
        with (stage / path).open("xb") as file:  # never through another name of a file that stays
            file.write(planned.files[path].encode())


def _keep(source: str, target: str) -> None:
    """A second name for a file or a link, or a copy where the file system has no second names."""
    try:
        os.link(source, target, follow_symlinks=False)
    except (OSError, NotImplementedError):
        import shutil

        shutil.copy2(source, target, follow_symlinks=False)


def _everything(out: Path) -> Iterator[str]:
    """Every file and link below a folder, relative to it, caches left out."""
    for root, folders, names in os.walk(out):
        links = [name for name in folders if os.path.islink(os.path.join(root, name))]
        folders[:] = [name for name in folders if name != CACHE and name not in links]
        within = Path(root).relative_to(out).as_posix()
        yield from (name if within == "." else f"{within}/{name}" for name in (*names, *links))


def _swap(stage: Path, out: Path, aside: Path) -> None:
    if not out.exists():
        stage.rename(out)
    elif not _exchange(stage, out):
        out.rename(aside)
        try:
            stage.rename(out)
        except OSError:
            aside.rename(out)
            raise


def _exchange(one: Path, other: Path) -> bool:
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


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
