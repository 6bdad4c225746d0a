"""What a build would do to its output folder: the files that it creates, updates and removes, and the diff."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from toolgen.diagnostics import Diagnostic, Place, SpecError
from toolgen.output import manifest
from toolgen.output.manifest import MANIFEST
from toolgen.output.on_disk import Standing, as_written, linked_paths, look
from toolgen.python.layout import BYTECODE, STAGE


@dataclass(frozen=True)
class Plan:
    """What a write would do to `out`: paths relative to it, sorted; `files` is the whole package."""

    out: Path
    files: Mapping[str, str]
    digests: Mapping[str, str]
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


def plan(files: Mapping[str, str], out: Path, standing: Standing | None = None) -> Plan:
    """Compare the package `files` (relative POSIX path -> text) with the folder `out`; writes nothing.

    The manifest is added to `files`. `standing` is what is known to stand in `out`.

    Only files that `out`'s own manifest lists are ever updated or removed, whoever edited them since.

    Raises:
        SpecError: `unsafe-path`, `output-in-use`, `symlink-output`, `not-a-folder`, `foreign-folder`,
            `symlink-file`, `foreign-file`, `bad-manifest`: nothing may be written there.
        OSError: `out` cannot be read.
    """
    digests = manifest.digests(files)
    return compare({**files, MANIFEST: manifest.text(digests)}, digests, out, standing)


def compare(
    files: Mapping[str, str], digests: Mapping[str, str], out: Path, standing: Standing | None = None
) -> Plan:
    """The same of a package with its manifest, whose digests are known."""
    _refuse_folder(out)
    old = standing or look(out)
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
    )


def diff(planned: Plan) -> str:
    """The unified diff from what is there to what would be written; empty when nothing changes."""
    paths = sorted((*planned.changed, *planned.removed))
    return "".join(line for path in paths for line in _file_diff(planned, path))


def refusal(path: Path, code: str, message: str, hint: str) -> SpecError:
    """The error that says why nothing may be written at a path."""
    return SpecError([Diagnostic(Place(path.as_posix()), code, message, hint)])


def name_taken(stage: Path) -> SpecError:
    """The error that says that the name of a stage is somebody else's."""
    message = "this name is needed while a package is written"
    return refusal(stage, "name-taken", message, "delete it or move it elsewhere, and build again")


def _refuse_folder(out: Path) -> None:
    """Refuse a folder that is not toolgen's to write."""
    if Path.cwd().is_relative_to(os.path.abspath(out)):
        raise refusal(
            out, "output-in-use", "the current folder is in the output, which would be swapped", "go up"
        )
    if out.is_symlink():
        raise refusal(
            out, "symlink-output", "the output folder is a symbolic link", f"name {out.resolve()} itself"
        )
    if not out.exists():
        return
    if not out.is_dir():
        raise refusal(out, "not-a-folder", "the output is a file", "name a new folder with -o")
    if not os.path.lexists(out / MANIFEST) and not _is_blank(out):
        raise refusal(
            out, "foreign-folder", "this folder was not written by toolgen", "name a new folder with -o"
        )


def _is_blank(out: Path) -> bool:
    return all(entry.name in (BYTECODE, STAGE, "lost+found") for entry in out.iterdir())


def _refuse_paths(paths: Set[str], old: Standing, out: Path) -> None:
    """Refuse to write outside, through a link, over a file of somebody else's, or over a folder."""
    for path in paths - old.own:
        if not manifest.is_inside(path):
            raise refusal(
                out, "unsafe-path", f"{path!r} does not stay in the package", "report this as a bug"
            )
    new = paths - old.files.keys() if out.exists() else set()
    for path in sorted(old.linked | linked_paths(out, new)):
        raise refusal(out / path, "symlink-file", "a symbolic link stands on this path", "remove the link")
    folders = {
        "/".join(steps[:end]) for path in new for steps in [path.split("/")] for end in range(1, len(steps))
    }
    foreign = [path for path in new if os.path.lexists(out / path)]
    foreign += [folder for folder in folders - old.own if os.path.isfile(out / folder)]
    for path in sorted(foreign):
        raise refusal(out / path, "foreign-file", "this file was not written by toolgen", "move it elsewhere")


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
    old = _lines("" if data is None else as_written(data).decode(errors="backslashreplace"))
    new = _lines(planned.files.get(path, ""))
    before, after = ("/dev/null" if data is None else name), (name if path in planned.files else "/dev/null")
    for line in difflib.unified_diff(old, new, before, after):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """The lines of a text with their ends; `splitlines` would also cut at form feeds and the like."""
    return list(io.StringIO(text, newline="\n"))
