"""`compile_tools`: what `build` writes to disk, in memory, through the same pipeline."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any, Literal

from toolgen.diagnostics import Diagnostic, SpecError
from toolgen.memory import load_module, release
from toolgen.python.layout import MODELS
from toolgen.python.names import module_names
from toolgen.python.package import ToolSource
from toolgen.schema.lower import LowerOptions, lower
from toolgen.schema.ref_dirs import RefDir
from toolgen.specs.load import read_value
from toolgen.specs.tool_spec import ToolSpec
from toolgen_runtime.validation.tool import Tool, Toolset

_numbers = count(1)


def compile_tools(
    specs: Any,
    *,
    formats: Literal["assert", "annotate"] = "assert",
    ref_dir: Mapping[str, str | Path] | None = None,
    keep_going: bool = False,
) -> Toolset:
    """The toolset of specs that are only known at run time.

    `specs` is anything that `toolgen build` reads, already parsed; `ref_dir` maps URIs to folders that hold
    what non-local references mean. A check is made when its tool is asked for, a payload type likewise.

    Raises:
        SpecError: some tool cannot be built; with `keep_going` such tools are left out instead.
    """
    loaded = read_value(specs)
    options = LowerOptions(formats, [RefDir(Path(path), uri) for uri, path in (ref_dir or {}).items()])
    tools = [spec for group in loaded.groups.values() for spec in group]
    return compile_specs(tools, options, loaded.diagnostics, keep_going=keep_going)


def compile_specs(
    specs: Sequence[ToolSpec],
    options: LowerOptions,
    diagnostics: Sequence[Diagnostic] = (),
    *,
    keep_going: bool = False,
) -> Toolset:
    """The toolset of specs that have been read; `diagnostics` are what reading them found.

    Raises:
        SpecError: as `compile_tools` does.
    """
    found = list(diagnostics)
    names = module_names(spec.name for spec in specs)
    sources: dict[str, ToolSource] = {}
    for spec in specs:
        lowered = lower(spec, options)
        found += lowered.diagnostics
        if lowered.root is not None:
            sources[names[spec.name]] = ToolSource(spec, lowered.root, names[spec.name])
    _refuse(found, keep_going)
    package = _Package(f"_toolgen_compiled_{next(_numbers)}", sources)
    return Toolset(package.name, {s.spec.name: module for module, s in sources.items()}, package.tool)


def _refuse(diagnostics: list[Diagnostic], keep_going: bool) -> None:
    errors = [d for d in diagnostics if d.level == "error" and d.code != "no-tools"]
    if errors and not keep_going:
        raise SpecError(errors)


class _Package:
    """A package of modules that are compiled when they are asked for, each once.

    The modules are in `sys.modules`, where pydantic and pickle look for them, as long as the toolset or one of its
    tools is held.
    """

    def __init__(self, name: str, sources: Mapping[str, ToolSource]) -> None:
        self.name = name
        self._sources = sources
        self._modules: dict[str, ModuleType] = {}
        # Held while a module is run and its classes are completed, which threads would do twice, or half.
        self._lock = RLock()
        weakref.finalize(self, release, self._modules).atexit = False

    def tool(self, module: str) -> Tool[Any]:
        """The tool of a module."""
        source = self._sources[module]
        made = self._module(module)
        # Another object than the module's own, which must not hold what its module's stay depends on.
        return Tool(
            name=source.spec.name,
            description=source.spec.description,
            schema=made.SCHEMA,
            validate=made.validate,
            payload_type=lambda: self._payload_type(module),
            count_keys=made.tool.count_keys,
            secrets=made.tool.secrets,
        )

    def _payload_type(self, module: str) -> type[Any]:
        with self._lock:
            for package in (self.name, f"{self.name}.{MODELS}"):  # where pickle starts to import
                self._modules[package] = sys.modules.setdefault(package, ModuleType(package))
            made = self._module(f"{MODELS}.{module}")
            payload_type: type[Any] = getattr(made, self._sources[module].payload_class)
            payload_type.model_rebuild()  # while its module can be found
            return payload_type

    def _module(self, path: str) -> ModuleType:
        full = f"{self.name}.{path}"
        with self._lock:
            made = self._modules.get(full)
            if made is None:
                folder, _, module = path.rpartition(".")
                source = self._sources[module]
                made = load_module(full, source.models_text if folder else source.tool_text)
                self._modules[full] = made
            return made
