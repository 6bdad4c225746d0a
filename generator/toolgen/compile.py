"""`compile_tools`: the package that `build` writes to disk, in memory, through the same pipeline."""

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
    """Return the toolset of specs that are only known at run time.

    `specs` is anything that `toolgen build` reads, already parsed. `ref_dir` maps URIs to the folders with the
    targets of non-local references. Checks and payload types are compiled on first use.

    Raises:
        SpecError: a tool cannot be built; with `keep_going` it is left out instead.
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
    """Return the toolset of specs that have been read, with the diagnostics of reading them.

    Raises:
        SpecError: as `compile_tools` does.
    """
    problems = list(diagnostics)
    names = module_names(spec.name for spec in specs)
    sources: dict[str, ToolSource] = {}
    for spec in specs:
        lowered = lower(spec, options)
        problems += lowered.diagnostics
        if lowered.root is not None:
            sources[names[spec.name]] = ToolSource(spec, lowered.root, names[spec.name])
    _raise_errors(problems, keep_going)
    package = _Package(f"_toolgen_compiled_{next(_numbers)}", sources)
    return Toolset(package.name, {s.spec.name: module for module, s in sources.items()}, package.tool)


def _raise_errors(diagnostics: list[Diagnostic], keep_going: bool) -> None:
    errors = [d for d in diagnostics if d.level == "error" and d.code != "no-tools"]
    if errors and not keep_going:
        raise SpecError(errors)


class _Package:
    """A package of modules, each compiled once, on first use.

    The modules are in `sys.modules`, where pydantic and pickle look for them, as long as there is a reference to
    the toolset or to one of its tools.
    """

    def __init__(self, name: str, sources: Mapping[str, ToolSource]) -> None:
        self.name = name
        self._sources = sources
        self._modules: dict[str, ModuleType] = {}
        # Held while a module is run and its classes are completed: threads must not do that at the same time.
        self._lock = RLock()
        weakref.finalize(self, release, self._modules).atexit = False

    def tool(self, module: str) -> Tool[Any]:
        """Return the tool of a module."""
        source = self._sources[module]
        compiled = self._module(module)
        # A copy of the module's own tool: that one must not keep the package, and so the module, alive.
        return Tool(
            name=source.spec.name,
            description=source.spec.description,
            schema=compiled.SCHEMA,
            validate=compiled.validate,
            payload_type=lambda: self._payload_type(module),
            count_keys=compiled.tool.count_keys,
            secrets=compiled.tool.secrets,
        )

    def _payload_type(self, module: str) -> type[Any]:
        with self._lock:
            for package in (self.name, f"{self.name}.{MODELS}"):  # where pickle starts to import
                self._modules[package] = sys.modules.setdefault(package, ModuleType(package))
            compiled = self._module(f"{MODELS}.{module}")
            payload_type: type[Any] = getattr(compiled, self._sources[module].payload_class)
            payload_type.model_rebuild()  # needs the module in `sys.modules`
            return payload_type

    def _module(self, path: str) -> ModuleType:
        full = f"{self.name}.{path}"
        with self._lock:
            compiled = self._modules.get(full)
            if compiled is None:
                folder, _, module = path.rpartition(".")
                source = self._sources[module]
                compiled = load_module(full, source.models_text if folder else source.tool_text)
                self._modules[full] = compiled
            return compiled
