"""Turn tool specs into the texts of a package. No files are written here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Literal

from toolgen.compiler.diagnostics import Diagnostic
from toolgen.compiler.python.identifiers import Identifier, module_names
from toolgen.compiler.python.layout import (
    MARKER,
    MODELS,
    client_paths,
    folder_of,
    index_path,
    index_stub_path,
    tool_paths,
)
from toolgen.compiler.schema.ref_dirs import RefDir
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen.package.cache import (
    Entry,
    index_fingerprint,
    pipeline_fingerprint,
    recorded,
    reported,
    tool_fingerprints,
)
from toolgen.package.output.on_disk import PackageOnDisk

if TYPE_CHECKING:
    from toolgen.compiler.schema.lower import LowerOptions


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """Everything except the specs that the text of a package depends on."""

    formats: Literal["assert", "annotate"] = "assert"
    keep_going: bool = False
    ref_dirs: tuple[RefDir, ...] = ()
    slow_patterns: Literal["refuse", "allow"] = "refuse"
    slow_tools: tuple[str, ...] = ()
    """The names of tools whose patterns may be slow, whatever the other options are."""
    client: bool = False
    """Whether each toolset has a typed client."""

    @property
    def lower_options(self) -> LowerOptions:
        """The options with which schemas are converted to graphs."""
        from toolgen.compiler.schema.lower import LowerOptions

        return LowerOptions(self.formats, self.ref_dirs, self.slow_patterns, self.slow_tools)

    def fingerprint(self) -> str:
        """Return the fingerprint of the generator and of the options that can change the text of a file."""
        return pipeline_fingerprint([self.formats, self.slow_patterns, self.slow_tools], self.ref_dirs)


Groups = Mapping[str | None, Sequence[ToolSpec]]
"""The tools of each toolset: a single toolset under None, or one under the name of each spec file."""

Progress = Callable[[int, int], None]
"""A function that is called with the number of finished tools and the total."""


@dataclass(slots=True)
class Built:
    """A package as text, by file.

    `files` maps relative paths to texts. It is empty if a tool cannot be built and the build does not keep going.
    `modules` maps (toolset, tool) to the name of the tool's module. `fingerprints` contains those of the files that a
    later build may reuse, by relative path, and `warnings` the warnings to record with them.
    """

    files: dict[str, str] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    modules: dict[tuple[str | None, str], str] = field(default_factory=dict)
    fingerprints: dict[str, str] = field(default_factory=dict)
    warnings: dict[str, list[list[str]]] = field(default_factory=dict)

    def entries(self, digests: Mapping[str, str]) -> dict[str, Entry]:
        """Return the entries with which the files are cached. `digests` has the digest of each file."""
        return {
            path: Entry(fingerprint, digests[path], self.warnings.get(path, []))
            for path, fingerprint in self.fingerprints.items()
        }


def build(
    groups: Groups,
    options: BuildOptions,
    progress: Progress | None = None,
    previous: PackageOnDisk | None = None,
) -> Built:
    """Build a package as text from tool specs, and report problems as diagnostics."""
    packages = module_names(stem for stem in groups if stem is not None)
    run = _Build(sum(map(len, groups.values())), progress, previous or PackageOnDisk(), options)
    for stem, specs in groups.items():
        run.toolset(stem, folder_of("" if stem is None else packages[stem]), specs)
    built = run.built
    if any(d.level == "error" for d in built.diagnostics) and not options.keep_going:
        return Built(diagnostics=built.diagnostics)
    if None not in groups:
        fingerprint = index_fingerprint(packages, run.pipeline, of_toolsets=True)
        run.index_file(index_path(""), fingerprint, lambda package: package.namespaces_text(packages))
    built.files = dict(sorted({**built.files, MARKER: ""}.items()))
    return built


class _Build:
    def __init__(
        self, total: int, progress: Progress | None, previous: PackageOnDisk, options: BuildOptions
    ) -> None:
        self._progress, self._done, self._total = progress, 0, total
        self._previous, self._options, self.pipeline = previous, options, options.fingerprint()
        self.built = Built()

    def toolset(self, stem: str | None, folder: str, specs: Sequence[ToolSpec]) -> None:
        """Add all files of a toolset: those of its tools, its index and its client."""
        modules = module_names((spec.name for spec in specs), client=self._options.client)
        built: dict[str, str] = {}
        for spec in specs:
            if self._tool(spec, modules[spec.name], folder):
                built[spec.name] = self.built.modules[stem, spec.name] = modules[spec.name]
            self._done += 1
            if self._progress is not None:
                self._progress(self._done, self._total)
        names = index_fingerprint(built, self.pipeline)
        self.index_file(index_path(folder), names, lambda package: package.index_text(built))
        self.index_file(index_stub_path(folder), names, lambda package: package.index_stub_text(built))
        if self._options.client:
            self._client(folder, built, [spec for spec in specs if spec.name in built])
        self.built.files[f"{folder}{MODELS}/__init__.py"] = ""

    def _tool(self, spec: ToolSpec, module: Identifier, folder: str) -> bool:
        """Add a tool's two files, reusing unchanged ones. Return False if the tool cannot be built."""
        paths, fingerprints = tool_paths(folder, module), tool_fingerprints(spec, self.pipeline)
        tool, models = map(self._previous.made_from, paths, fingerprints)
        said: tuple[Diagnostic, ...] | None = None
        if tool is not None and models is not None:
            said = reported(self._previous.cached[paths[0]].warnings, spec)
        if said is None:
            # Imported here, because a build without changes does not need them.
            from toolgen.compiler.python.package import ToolSource
            from toolgen.compiler.schema.lower import lower
            from toolgen.compiler.schema.output_schemas import check_output_schema

            options = self._options.lower_options
            lowered = lower(spec, options)
            if lowered.root is None:
                self.built.diagnostics += lowered.diagnostics
                return False
            source = ToolSource(spec, lowered.root, module)
            said = (*lowered.diagnostics, *check_output_schema(spec, options))
            tool, models = tool or source.tool_text(), models or source.models_text()
        self.built.diagnostics += said
        self.built.files |= {paths[0]: tool or "", paths[1]: models or ""}
        warnings = recorded(said, spec)
        if warnings is not None:  # otherwise the next build would not report them again
            self.built.fingerprints |= zip(paths, fingerprints, strict=True)
            if warnings:
                self.built.warnings[paths[0]] = warnings
        return True

    def _client(self, folder: str, modules: Mapping[str, str], specs: Sequence[ToolSpec]) -> None:
        """Add the client of a toolset, whose types depend on every tool."""
        from toolgen.compiler.signatures import client_files  # only packages with a client need it

        path, stub = client_paths(folder)
        self.index_file(
            path, index_fingerprint(modules, self.pipeline), lambda _: client_files.client_text(modules)
        )
        made_of = {modules[spec.name]: tool_fingerprints(spec, self.pipeline)[0] for spec in specs}
        types = index_fingerprint(made_of, self.pipeline)
        options = self._options.lower_options
        self.index_file(stub, types, lambda _: client_files.client_stub_text(specs, modules, options))

    def index_file(self, path: str, fingerprint: str, made: Callable[[ModuleType], str]) -> None:
        """Add a file of a toolset. If it has not changed, reuse the old text."""
        text = self._previous.made_from(path, fingerprint)
        if text is None:
            from toolgen.compiler.python import package

            text = made(package)
        self.built.files[path] = text
        self.built.fingerprints[path] = fingerprint
