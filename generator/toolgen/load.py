"""Files, folders, standard input and values in memory -> tool specs with their places."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from toolgen import readers
from toolgen.diagnostics import Diagnostic, Place, Reporter, SpecError
from toolgen.manifest import MANIFEST
from toolgen.readers import text
from toolgen.readers.values import plain
from toolgen.spec import ToolSpec

STDIN = "-"
MAX_BYTES = 64 * 2**20


@dataclass
class Loaded:
    """The tools of each group (one, None, unless there is one per file), and what was found on the way."""

    groups: dict[str | None, list[ToolSpec]] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether an error was found."""
        return any(d.level == "error" for d in self.diagnostics)

    @property
    def tools(self) -> list[ToolSpec]:
        """Every tool of every group."""
        return [spec for group in self.groups.values() for spec in group]


def load(sources: Sequence[str], *, stdin: BinaryIO | None = None, namespace: bool = False) -> Loaded:
    """The tools of files, folders (recursively, sorted, hidden files left out) and `-`, for standard input.

    With `namespace` each file is a group of its own, keyed by its stem (`stdin` for standard input).
    Raises nothing: whatever is wrong is a diagnostic; tools that share a name or hold a fault are left out.
    """
    loaded = Loaded()
    stems: dict[str, str] = {}
    for file in dict.fromkeys(_files(sources, loaded.diagnostics.append)):
        specs = _tools_of_file(file, stdin, loaded.diagnostics.append)
        if specs is None:
            continue
        group = None
        if namespace:
            group = "stdin" if file == STDIN else PurePath(file).stem
            if stems.setdefault(group, file) != file:
                message = f"the file {stems[group]} has the same stem, so both would be the package {group!r}"
                loaded.diagnostics.append(
                    Diagnostic(Place(file), "duplicate-stem", message, "rename one file")
                )
                continue
        loaded.groups.setdefault(group, []).extend(specs)
    return _finished(loaded)


def read_value(value: Any) -> Loaded:
    """The tools of a value in memory: anything that `load` reads, already parsed. It is copied, not kept."""
    loaded = Loaded()
    loaded.groups[None] = _tools_of_value(value, Place(""), loaded.diagnostics.append)
    return _finished(loaded)


def _finished(loaded: Loaded) -> Loaded:
    for group in loaded.groups:
        loaded.groups[group] = _unique(loaded.groups[group], loaded.diagnostics.append)
    if not loaded.tools and not loaded.failed:
        hint = "name files or folders that hold exported tools"
        loaded.diagnostics.append(Diagnostic(Place(""), "no-tools", "no tools were found", hint))
    return loaded


def _unique(specs: list[ToolSpec], report: Reporter) -> list[ToolSpec]:
    """The specs whose name is theirs alone; the others are reported, each with the first of its name."""
    first: dict[str, ToolSpec] = {}
    shared: set[str] = set()
    for spec in specs:
        other = first.setdefault(spec.name, spec)
        if other is not spec:
            shared.add(spec.name)
            message = f"another tool has this name: {other.place}"
            hint = "rename one, or build with --namespace where they stand in different files"
            report(Diagnostic(spec.place, "duplicate-tool", message, hint, spec.name))
    return [spec for spec in specs if spec.name not in shared]


def spec_files(folder: str, failed: Callable[[OSError], None] | None = None) -> list[str]:
    """The spec files below a folder, sorted by path; hidden ones and generated packages are left out.

    `failed` gets the error of each folder that cannot be read.
    """
    found: list[PurePath] = []
    for root, folders, names in os.walk(folder, onerror=failed):
        if MANIFEST in names:
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        specs = [name for name in names if name.lower().endswith(text.SUFFIXES) and not name.startswith(".")]
        found += [PurePath(root, name) for name in specs]
    return [path.as_posix() for path in sorted(found, key=lambda path: path.parts)]


def _files(sources: Sequence[str], report: Reporter) -> Iterator[str]:
    for source in sources:
        if source == STDIN:
            yield source
        elif os.path.isdir(source):
            yield from _files_of_folder(source, report)
        else:
            yield PurePath(source).as_posix()


def _files_of_folder(folder: str, report: Reporter) -> list[str]:
    failures: list[OSError] = []
    files = spec_files(folder, failures.append)
    for error in failures:
        place = Place(PurePath(error.filename or folder).as_posix())
        report(Diagnostic(place, "unreadable-file", _said(error), "make the folder readable"))
    if not files and not failures:
        message = "no spec files (.json, .yaml, .yml) in this folder"
        report(Diagnostic(Place(PurePath(folder).as_posix()), "empty-folder", message, "name another folder"))
    return files


def _said(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__


def _tools_of_file(file: str, stdin: BinaryIO | None, report: Reporter) -> list[ToolSpec] | None:
    place = Place(file)
    try:
        value, own = text.parse(_read(file, stdin), place)
    except SpecError as error:
        for diagnostic in error.diagnostics:
            report(diagnostic)
        return None
    return _tools_of_value(value, place, report, own=own)


def _read(file: str, stdin: BinaryIO | None) -> bytes:
    try:
        if file == STDIN:
            data = stdin.read(MAX_BYTES + 1) if stdin else b""
        else:
            with Path(file).open("rb") as stream:
                data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise SpecError(
            [Diagnostic(Place(file), "no-such-file", "no such file or folder", "mend the path")]
        ) from None
    except (OSError, ValueError) as error:
        hint = "make the file readable"
        raise SpecError([Diagnostic(Place(file), "unreadable-file", _said(error), hint)]) from None
    if len(data) > MAX_BYTES:
        message = f"larger than {MAX_BYTES >> 20} MiB"
        raise SpecError([Diagnostic(Place(file), "too-large", message, "split the file")])
    return data


def _tools_of_value(value: Any, place: Place, report: Reporter, *, own: bool = False) -> list[ToolSpec]:
    """The sound tools of a parsed value; a tool in which anything is no JSON is reported and left out.

    `own` is what `plain` takes.
    """
    found: list[Diagnostic] = []
    faults: list[Diagnostic] = []
    specs: list[ToolSpec] = []
    try:
        specs = list(readers.tools_of(plain(value, place, faults.append, own=own), place, found.append))
    except SpecError as error:
        faults = list(error.diagnostics)
    for fault in faults:
        owner = next((spec.name for spec in specs if _lies_in(fault.place, spec.place)), "")
        found.append(replace(fault, tool=owner))
    if not specs and not found:
        hint = "export the tools again"
        found.append(Diagnostic(place, "empty-list", "the list of tools is empty", hint, level="warning"))
    for diagnostic in found:
        report(diagnostic)
    return [spec for spec in specs if not any(_lies_in(fault.place, spec.place) for fault in faults)]


def _lies_in(place: Place, outer: Place) -> bool:
    return f"{place.pointer}/".startswith(f"{outer.pointer}/")
