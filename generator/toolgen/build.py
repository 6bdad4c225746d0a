"""The pipeline: tool specs -> schema graph -> checks and models -> `{path: text}`. Writes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from toolgen.checks.emit import class_checks, tool_checks
from toolgen.code import Code, code, declarations, digest, imported, literal, merged, name
from toolgen.models import payload_models
from toolgen.names import Identifier, class_name, module_names
from toolgen.render import IndexModule, ModelsModule, NamespacesModule, ToolModule, render
from toolgen.schema.ir import Schema
from toolgen.schema.lower import LowerOptions, lower
from toolgen.schema.resolve import RefDir
from toolgen.spec import Diagnostic, ToolSpec

MODELS: Identifier = Identifier("_models")
"""The private subpackage of the payload classes; apart from the checks, so that these load no pydantic."""

_BIND: Final = [(name("toolgen_runtime.payload"), [name("bind")])]

Groups = Mapping[str | None, Sequence[ToolSpec]]
"""The tools of each toolset: one under None, or one under each spec file's stem."""

Progress = Callable[[int, int], None]
"""Called with the tools done and the tools in all."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What a build depends on besides the specs."""

    package: str = "agent_tools"
    formats: Literal["assert", "annotate"] = "assert"
    keep_going: bool = False
    ref_dirs: tuple[RefDir, ...] = ()


@dataclass(frozen=True, slots=True)
class Built:
    """A package as text.

    `files` maps relative paths to texts; it is empty where a tool cannot be built and the build was not
    told to keep going. `modules` names each built tool's module by (toolset, tool).
    """

    files: dict[str, str]
    diagnostics: tuple[Diagnostic, ...]
    modules: dict[tuple[str | None, str], str]


def build(groups: Groups, options: BuildOptions, progress: Progress | None = None) -> Built:
    """Build a package from tool specs; what cannot be built is in the diagnostics, never raised."""
    run = _Build(options, sum(map(len, groups.values())), progress)
    for stem, folder in _folders(groups).items():
        run.toolset(stem, folder, groups[stem])
    failed = any(d.level == "error" for d in run.diagnostics)
    if failed and not options.keep_going:
        return Built({}, tuple(run.diagnostics), {})
    run.add("py.typed", "")
    if None not in groups:
        names = [
            (literal(stem), literal(folder)) for stem, folder in sorted(_folders(groups).items(), key=str)
        ]
        run.add("__init__.py", render(NamespacesModule(names)))
    return Built(dict(sorted(run.files.items())), tuple(run.diagnostics), run.modules)


def _folders(groups: Groups) -> dict[str | None, str]:
    stems = [stem for stem in groups if stem is not None]
    folders: dict[str | None, str] = {stem: str(folder) for stem, folder in module_names(stems).items()}
    return folders | ({None: ""} if None in groups else {})


@dataclass(slots=True)
class _Build:
    options: BuildOptions
    total: int
    progress: Progress | None
    files: dict[str, str] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    modules: dict[tuple[str | None, str], str] = field(default_factory=dict)
    done: int = 0

    def add(self, path: str, text: str) -> None:
        self.files[path] = text

    def toolset(self, stem: str | None, folder: str, specs: Sequence[ToolSpec]) -> None:
        prefix = f"{folder}/" if folder else ""
        names = module_names(spec.name for spec in specs)
        built: list[ToolSpec] = []
        for spec in specs:
            root = self._lowered(spec)
            if root is not None:
                source = ToolSource(spec, root, names[spec.name])
                self.add(f"{prefix}{source.module}.py", source.tool_text())
                self.add(f"{prefix}{MODELS}/{source.module}.py", source.models_text())
                self.modules[stem, spec.name] = source.module
                built.append(spec)
            self.done += 1
            if self.progress is not None:
                self.progress(self.done, self.total)
        self.add(f"{prefix}__init__.py", index_text({spec.name: names[spec.name] for spec in built}))
        self.add(f"{prefix}{MODELS}/__init__.py", "")

    def _lowered(self, spec: ToolSpec) -> Schema | None:
        lowered = lower(spec, LowerOptions(self.options.formats, self.options.ref_dirs))
        self.diagnostics += lowered.diagnostics
        return lowered.root


def index_text(modules: Mapping[str, str]) -> str:
    """The `__init__.py` of a toolset, from the tools' names and modules."""
    return render(IndexModule([(literal(tool), literal(module)) for tool, module in sorted(modules.items())]))


@dataclass(frozen=True, slots=True)
class ToolSource:
    """The two generated modules of one tool; they depend on nothing but the tool."""

    spec: ToolSpec
    root: Schema
    module: Identifier

    def tool_text(self) -> str:
        """The module of the checks and the `Tool`; imports no pydantic."""
        checks = tool_checks(self.root)
        payload_class = class_name(self.spec.name)
        return render(
            ToolModule(
                source_hash=self._source_hash(),
                docstring=literal(
                    f"The tool {_short(self.spec.name)}: checks of its payloads, and their type."
                ),
                name=name(self.module),
                tool_name=literal(self.spec.name),
                description=literal(self.spec.description),
                schema_lines=_schema_lines(self.spec),
                models_package=code(".{models}", models=name(MODELS)),
                payload_class=name(payload_class),
                payload_class_literal=literal(payload_class),
                imports=checks.imports,
                constants=checks.constants,
                functions=checks.functions,
            )
        )

    def models_text(self) -> str:
        """The module of the payload classes, each bound to the check of its own schema."""
        models = payload_models(self.root, class_name(self.spec.name))
        nested = {c: schema for c, schema in models.classes.items() if c != models.root_class}
        bindings = {c: code("_check_{c}", c=name(c)) for c in nested}
        checks = class_checks({bindings[c]: schema for c, schema in nested.items()})
        imports = [*imported(models.imports), *checks.imports, *_BIND]
        return render(
            ModelsModule(
                source_hash=self._source_hash(),
                docstring=literal(f"The payload classes of the tool {_short(self.spec.name)}."),
                name=name(self.module),
                tool_name=literal(self.spec.name),
                payload_class=name(models.root_class),
                classes=declarations(models.source),
                class_literals=[literal(c) for c in models.classes],
                imports=merged(imports),
                constants=checks.constants,
                functions=checks.functions,
                bindings=[(name(c), check) for c, check in bindings.items()],
            )
        )

    def _source_hash(self) -> Code:
        spec = [self.spec.name, self.spec.description, self.spec.schema]
        return digest(json.dumps(spec, ensure_ascii=True))


def _schema_lines(spec: ToolSpec) -> list[Code]:
    """The schema's JSON text, a literal a line."""
    text = json.dumps(spec.schema, ensure_ascii=True, indent=1)
    return [literal(line) for line in text.splitlines(keepends=True)]


def _short(text: str) -> str:
    return ascii(text if len(text) <= 60 else text[:57] + "...")
