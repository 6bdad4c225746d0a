"""Read tool specs from files, folders, standard input and values in memory, and record where each part came
from.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import Any, BinaryIO

from toolgen.compiler.diagnostics import Diagnostic, Place, Reporter, SpecError
from toolgen.compiler.input_files import read_named, read_stream, reason_of
from toolgen.compiler.python.layout import MANIFEST
from toolgen.compiler.specs.formats import text
from toolgen.compiler.specs.formats.json_values import to_json
from toolgen.compiler.specs.shapes.unfold import tools_of
from toolgen.compiler.specs.tool_spec import ToolSpec

STDIN = "-"
_WILD = re.compile(r"[*?\[]")


@dataclass
class Loaded:
    """The tools that were read, in groups, and the problems that were found.

    Unless each file is a group, the only group is None.
    """

    groups: dict[str | None, list[ToolSpec]] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether any of the problems is an error."""
        return any(d.level == "error" for d in self.diagnostics)

    @property
    def tools(self) -> list[ToolSpec]:
        """All tools of all groups."""
        return [spec for group in self.groups.values() for spec in group]

    def prefixed(self, joint: str, least: int = 2) -> list[ToolSpec]:
        """Return all tools, with the names of their groups as prefixes if there are several groups.

        If there are at least `least` groups, each name begins with its group, as in `Conversation`.

        Raises:
            SpecError: `duplicate-tool`: two of these names are equal.
        """
        if len(self.groups) < least or None in self.groups:
            return self.tools
        found: dict[str, ToolSpec] = {}
        for group, specs in self.groups.items():
            for spec in specs:
                made = replace(spec, name=f"{group}{joint}{spec.name}")
                if (first := found.setdefault(made.name, made)) is not made:
                    message = f"{made.name!r} is also the name of the tool at {first.place}"
                    hint = "rename a file or a tool"
                    raise SpecError.of(spec.place, "duplicate-tool", message, hint, spec.name)
        return [*found.values()]

    def by_unique_name(self) -> list[ToolSpec]:
        """Return all tools with unique names.

        If several groups have a tool with the same name, the group is put before it: `github/create_issue`.
        """
        counts = Counter(spec.name for spec in self.tools)
        return [
            spec if counts[spec.name] == 1 else replace(spec, name=f"{group}/{spec.name}")
            for group, specs in self.groups.items()
            for spec in specs
        ]

    def group_names(self) -> list[str]:
        """Return the name of the group to which each tool belongs."""
        return [group or "" for group, specs in self.groups.items() for _ in specs]


def load(
    sources: Sequence[str],
    *,
    stdin: BinaryIO | None = None,
    namespace: bool = False,
    exclude: Sequence[str] = (),
) -> Loaded:
    """Read the tools from files, folders and standard input (`-`).

    Folders are read recursively and in sorted order, without hidden files.

    `exclude` contains patterns for files and folders to leave out of a folder; see `spec_files`. With `namespace`, each
    file is a separate group under its name without the extension (`stdin` for standard input). Every problem is a
    diagnostic and not an exception. Tools with an error or with another tool's name are left out.
    """
    loaded = Loaded()
    stems: dict[str, str] = {}
    for file in dict.fromkeys(_files(sources, exclude, loaded.diagnostics.append)):
        specs = _tools_of_file(file, stdin, loaded.diagnostics.append)
        if specs is None:
            continue
        group = None
        if namespace:
            if file == STDIN:
                group = "stdin"
            else:
                group = PurePath(file).stem
            if stems.setdefault(group, file) != file:
                message = f"the file {stems[group]} has the same stem, so both would be the package {group!r}"
                loaded.diagnostics.append(
                    Diagnostic(Place(file), "duplicate-stem", message, "rename one file")
                )
                continue
        loaded.groups.setdefault(group, []).extend(specs)
    return _checked(loaded)


def read_value(value: Any) -> Loaded:
    """Read the tools from a value in memory.

    It is anything that `load` reads, but already parsed. The value is copied.
    """
    loaded = Loaded()
    loaded.groups[None] = _tools_of_value(value, Place(""), loaded.diagnostics.append)
    return _checked(loaded)


def _checked(loaded: Loaded) -> Loaded:
    for group in loaded.groups:
        loaded.groups[group] = _unique(loaded.groups[group], loaded.diagnostics.append)
    if not loaded.tools and not loaded.failed:
        hint = "pass files or folders that contain exported tools"
        loaded.diagnostics.append(Diagnostic(Place(""), "no-tools", "no tools were found", hint))
    return loaded


def _unique(specs: list[ToolSpec], report: Reporter) -> list[ToolSpec]:
    """Return the specs with unique names. Report each other spec, together with the first tool of its name."""
    first: dict[str, ToolSpec] = {}
    shared: set[str] = set()
    for spec in specs:
        other = first.setdefault(spec.name, spec)
        if other is not spec:
            shared.add(spec.name)
            message = f"another tool has this name: {other.place}"
            hint = "rename one, or build with --namespace if they are in different files"
            report(Diagnostic(spec.place, "duplicate-tool", message, hint, spec.name))
    return [spec for spec in specs if spec.name not in shared]


def spec_files(
    folder: str, exclude: Sequence[str] = (), failed: Callable[[OSError], None] | None = None
) -> list[str]:
    """Return the spec files below a folder, sorted by path, without hidden files and generated packages.

    `exclude` contains `fnmatch` patterns. A pattern without `/` is matched against each name, and any other pattern
    against the path below the folder. `failed` is called with the error for each folder that cannot be read.
    """
    files: list[PurePath] = []
    for root, folders, names in os.walk(folder, onerror=failed):
        if MANIFEST in names:
            folders.clear()
            continue
        below = PurePath(root).relative_to(folder)
        folders[:] = [name for name in folders if not _is_left_out(below / name, exclude)]
        specs = [name for name in names if name.lower().endswith(text.SUFFIXES)]
        files += [PurePath(root, name) for name in specs if not _is_left_out(below / name, exclude)]
    return [path.as_posix() for path in sorted(files, key=lambda path: path.parts)]


def files_of(specs: Iterable[str], exclude: Sequence[str] = ()) -> list[str]:
    """Return the spec files: those in each folder, and each path that is not a folder."""
    listed = (spec_files(spec, exclude) if os.path.isdir(spec) else [spec] for spec in specs)
    return [os.path.normpath(file) for files in listed for file in files]


def _is_left_out(path: PurePath, exclude: Sequence[str]) -> bool:
    patterns = [pattern.removeprefix("./").rstrip("/") for pattern in exclude]
    return path.name.startswith(".") or any(
        fnmatchcase(path.as_posix() if "/" in pattern else path.name, pattern) for pattern in patterns
    )


def _files(sources: Sequence[str], exclude: Sequence[str], report: Reporter) -> Iterator[str]:
    for source in sources:
        if source == STDIN:
            yield source
        elif os.path.isdir(source):
            yield from _files_of_folder(source, exclude, report)
        else:
            yield PurePath(source).as_posix() if source else source


def _files_of_folder(folder: str, exclude: Sequence[str], report: Reporter) -> list[str]:
    failures: list[OSError] = []
    files = spec_files(folder, exclude, failures.append)
    for error in failures:
        place = Place(PurePath(error.filename or folder).as_posix())
        report(Diagnostic(place, "unreadable-file", reason_of(error), "make the folder readable"))
    if not files and not failures:
        message = "no spec files (.json, .yaml, .yml) in this folder"
        hint = "pass another folder"
        if exclude and spec_files(folder):
            message, hint = "all spec files in this folder are excluded", "correct --exclude"
        report(Diagnostic(Place(PurePath(folder).as_posix()), "empty-folder", message, hint))
    return files


def _tools_of_file(file: str, stdin: BinaryIO | None, report: Reporter) -> list[ToolSpec] | None:
    place = Place(file)
    try:
        value = text.parse(_read(file, stdin), place)
    except SpecError as error:
        for diagnostic in error.diagnostics:
            report(diagnostic)
        return None
    return _tools_of_value(value, place, report)


def _read(file: str, stdin: BinaryIO | None) -> bytes:
    if file == STDIN:
        return read_stream(stdin, file)
    advice = "pass folders or files; the shell expands patterns" if _WILD.search(file) else "correct the path"
    return read_named(file, advice)


def _tools_of_value(value: Any, place: Place, report: Reporter) -> list[ToolSpec]:
    """Return the tools in a parsed value. Report and leave out a tool that contains anything other than JSON."""
    problems: list[Diagnostic] = []
    not_json: list[Diagnostic] = []
    specs: list[ToolSpec] = []
    try:
        parsed = to_json(value, place, not_json.append)
        specs = list(tools_of(parsed, place, problems.append))
    except SpecError as error:
        not_json = list(error.diagnostics)
    unread = {problem.place for problem in not_json}  # to the shapes, unread values are missing
    problems = [problem for problem in problems if problem.place not in unread]
    for problem in not_json:
        tool = next((spec.name for spec in specs if _is_below(problem.place, spec.place)), "")
        problems.append(replace(problem, tool=tool))
    if not specs and not problems:
        hint = "export the tools again"
        problems.append(Diagnostic(place, "empty-list", "the list of tools is empty", hint, level="warning"))
    for problem in problems:
        report(problem)
    return [spec for spec in specs if not any(_is_below(p.place, spec.place) for p in not_json)]


def _is_below(place: Place, outer: Place) -> bool:
    return f"{place.pointer}/".startswith(f"{outer.pointer}/")
