"""The pipeline: tool specs -> schema graph -> checks and models -> `{path: text}`. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from types import ModuleType

from toolgen.build_options import BuildOptions
from toolgen.cache import Entry, index_fingerprint, recorded, reported, tool_fingerprints
from toolgen.diagnostics import Diagnostic
from toolgen.python.identifiers import Identifier, module_names
from toolgen.python.layout import (
    MARKER,
    MODELS,
    client_paths,
    folder_of,
    index_path,
    index_stub_path,
    tool_paths,
)
from toolgen.specs.tool_spec import ToolSpec
from toolgen.tool_files import ToolFiles, ToolTask, tool_files

Groups = Mapping[str | None, Sequence[ToolSpec]]
"""The tools of each toolset: a single one under None, or one under the stem of each spec file."""

Progress = Callable[[int, int], None]
"""Called with the number of tools done and the total."""


@dataclass(frozen=True, slots=True)
class PreviousBuild:
    """A package on disk that was built before: its texts, their digests, and the cache entries of its files."""

    files: Mapping[str, str] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    cached: Mapping[str, Entry] = field(default_factory=dict)

    def text(self, path: str, fingerprint: str) -> str | None:
        """Return the text of a file if a build made it from the input of this fingerprint; None otherwise."""
        entry = self.cached.get(path)
        is_same = entry is not None and entry[:2] == (fingerprint, self.digests.get(path))
        return self.files[path] if is_same else None


@dataclass(frozen=True, slots=True)
class Built:
    """A package as text.

    `files` maps relative paths to texts; it is empty if a tool cannot be built and the build does not keep
    going. `modules` maps (toolset, tool) to the name of the tool's module. `fingerprints` has those of the
    files that a later build may reuse, by relative path; `warnings` the warnings to record with them.
    """

    files: dict[str, str]
    diagnostics: tuple[Diagnostic, ...]
    modules: dict[tuple[str | None, str], str]
    fingerprints: dict[str, str] = field(default_factory=dict)
    warnings: dict[str, list[list[str]]] = field(default_factory=dict)

    def entries(self, digests: Mapping[str, str]) -> dict[str, Entry]:
        """Return the cache entries of the files, given the digest of each."""
        return {
            path: Entry(fingerprint, digests[path], self.warnings.get(path, []))
            for path, fingerprint in self.fingerprints.items()
        }


def build(
    groups: Groups,
    options: BuildOptions,
    progress: Progress | None = None,
    previous: PreviousBuild | None = None,
    jobs: int = 1,
) -> Built:
    """Build a package from tool specs and return it as text. Problems are diagnostics.

    `jobs` is how many processes may work at the same time; they give what one gives. Where forks are not safe (other
    platforms than Linux, threads), each is a new interpreter that imports the main module of this one, which must then
    have a main guard.

    Raises:
        SpecError: `worker-died`: one of several processes ended without a result.
    """
    pipeline, previous = options.fingerprint(), previous or PreviousBuild()
    packages = module_names(stem for stem in groups if stem is not None)
    planned = {
        stem: _planned(
            folder_of("" if stem is None else packages[stem]), specs, pipeline, previous, options.client
        )
        for stem, specs in groups.items()
    }
    tasks = [tool.task for tools in planned.values() for tool in tools if tool.reused is None]
    with closing(tool_files(tasks, options, jobs)) as made:
        run = _Build(made, sum(map(len, groups.values())), progress, previous, pipeline, options)
        for stem, tools in planned.items():
            run.toolset(stem, folder_of("" if stem is None else packages[stem]), tools)
    failed = any(d.level == "error" for d in run.diagnostics)
    if failed and not options.keep_going:
        return Built({}, tuple(run.diagnostics), {})
    if None not in groups:
        run.index("", packages, of_toolsets=True)
    run.files[MARKER] = ""
    files = dict(sorted(run.files.items()))
    return Built(files, tuple(run.diagnostics), run.modules, run.fingerprints, run.warnings)


@dataclass(frozen=True, slots=True)
class _PlannedTool:
    """A tool's module, its two files by path, the fingerprint of each, and its text, "" if that is to be made."""

    spec: ToolSpec
    module: Identifier
    paths: tuple[str, str]
    fingerprints: tuple[str, str]
    texts: tuple[str, str]
    reused: ToolFiles | None
    """Both files of the previous build; None if anything is to be made."""

    @property
    def task(self) -> ToolTask:
        """What is to be made."""
        tool, models = self.texts
        return ToolTask(self.spec, self.module, not tool, not models)


def _planned(
    folder: str, specs: Sequence[ToolSpec], pipeline: str, previous: PreviousBuild, client: bool
) -> list[_PlannedTool]:
    names = module_names((spec.name for spec in specs), client=client)
    planned: list[_PlannedTool] = []
    for spec in specs:
        module = names[spec.name]
        paths, fingerprints = tool_paths(folder, module), tool_fingerprints(spec, pipeline)
        tool, models = map(previous.text, paths, fingerprints)
        texts, reused = (tool or "", models or ""), None
        if tool is not None and models is not None:
            warnings = reported(previous.cached[paths[0]].warnings, spec)
            reused = None if warnings is None else ToolFiles(texts, warnings)
        planned.append(_PlannedTool(spec, module, paths, fingerprints, texts, reused))
    return planned


@dataclass(slots=True)
class _Build:
    made: Iterator[ToolFiles]
    total: int
    progress: Progress | None
    previous: PreviousBuild
    pipeline: str
    options: BuildOptions
    files: dict[str, str] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    modules: dict[tuple[str | None, str], str] = field(default_factory=dict)
    fingerprints: dict[str, str] = field(default_factory=dict)
    warnings: dict[str, list[list[str]]] = field(default_factory=dict)
    done: int = 0

    def toolset(self, stem: str | None, folder: str, tools: Sequence[_PlannedTool]) -> None:
        built: dict[str, str] = {}
        done: list[_PlannedTool] = []
        for tool in tools:
            if self._tool(tool):
                built[tool.spec.name] = self.modules[stem, tool.spec.name] = tool.module
                done.append(tool)
            self.done += 1
            if self.progress is not None:
                self.progress(self.done, self.total)
        self.index(folder, built)
        if self.options.client:
            self._client(folder, built, done)
        self.files[f"{folder}{MODELS}/__init__.py"] = ""

    def _tool(self, tool: _PlannedTool) -> bool:
        """Add a tool's files; return False if it cannot be built."""
        made = tool.reused or next(self.made)
        self.diagnostics += made.diagnostics
        if made.texts is None:
            return False
        texts = [old or new for old, new in zip(tool.texts, made.texts, strict=True)]
        self.files |= zip(tool.paths, texts, strict=True)
        warnings = recorded(made.diagnostics, tool.spec)
        if warnings is not None:  # otherwise the next build would not report them again
            self.fingerprints |= zip(tool.paths, tool.fingerprints, strict=True)
            if warnings:
                self.warnings[tool.paths[0]] = warnings
        return True

    def index(self, folder: str, modules: Mapping[str, str], of_toolsets: bool = False) -> None:
        """Add the `__init__.py` of a toolset, or of the package that holds the toolsets."""
        fingerprint = index_fingerprint(modules, self.pipeline, of_toolsets)
        if of_toolsets:
            self._index_file(
                index_path(folder), fingerprint, lambda package: package.namespaces_text(modules)
            )
            return
        self._index_file(index_path(folder), fingerprint, lambda package: package.index_text(modules))
        self._index_file(
            index_stub_path(folder), fingerprint, lambda package: package.index_stub_text(modules)
        )

    def _client(self, folder: str, modules: Mapping[str, str], tools: Sequence[_PlannedTool]) -> None:
        """Add the client of a toolset; its types are made of all the tools."""
        from toolgen.signatures import client_files  # for packages that have a client

        path, stub = client_paths(folder)
        names = index_fingerprint(modules, self.pipeline)
        self._index_file(path, names, lambda _: client_files.client_text(modules))
        types = index_fingerprint({tool.module: tool.fingerprints[0] for tool in tools}, self.pipeline)
        specs = [tool.spec for tool in tools]
        options = self.options.lower_options
        self._index_file(stub, types, lambda _: client_files.client_stub_text(specs, modules, options))

    def _index_file(self, path: str, fingerprint: str, made: Callable[[ModuleType], str]) -> None:
        text = self.previous.text(path, fingerprint)
        if text is None:
            from toolgen.python import package

            text = made(package)
        self.files[path] = text
        self.fingerprints[path] = fingerprint
