"""Compile tools in memory, from the same graphs and texts as `toolgen build`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from toolgen.compiler.diagnostics import Diagnostic, SpecError
from toolgen.compiler.python.identifiers import Identifier, module_names
from toolgen.compiler.python.package import ToolSource
from toolgen.compiler.schema.lower import LowerOptions, lower
from toolgen.compiler.schema.ref_dirs import RefDir
from toolgen.compiler.specs.load import read_value
from toolgen.compiler.specs.objects import to_listed, to_spec
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen.package.compiled_tools import CompiledTool, CompiledTools, digest_of
from toolgen_runtime.validation.toolset import Toolset

_compiled = CompiledTools()
"""The tools that are currently compiled in this process."""


class CompiledToolset(Toolset):
    """A toolset that was compiled in memory. `diagnostics` lists the problems in its specs.

    These are notes and warnings and, with `keep_going`, the errors of the tools that were left out. A place is a JSON
    pointer into the specs that were passed.
    """

    __slots__ = ("diagnostics",)

    diagnostics: tuple[Diagnostic, ...]


def compile_tools(
    specs: Any,
    *,
    formats: Literal["assert", "annotate"] = "assert",
    ref_dir: Mapping[str, str | Path] | None = None,
    resources: Mapping[str, Any] | None = None,
    keep_going: bool = False,
    slow_patterns: Literal["refuse", "allow"] = "refuse",
) -> CompiledToolset:
    """Compile tool definitions that are only known at run time, and return a toolset.

    Checks and payload types are compiled on first use. If a tool has already been compiled and is still in use, the
    same `Tool` object is returned. `diagnostics` of the toolset contains the warnings, for example about keywords
    without an effect.

    Args:
        specs: anything that `toolgen build` reads, already parsed, or a framework's list of tools
            (see `toolgen.compiler.specs.objects`).
        formats: whether `format` is enforced.
        ref_dir: for each URI, the folder with the schemas to which non-local references lead.
        resources: for each URI, the parsed schema to which non-local references lead.
        keep_going: leave out a tool that cannot be built.
        slow_patterns: whether to build tools whose patterns can take exponential time.

    Raises:
        SpecError: a tool cannot be built.
        TypeError: an object is not a tool.
    """
    loaded = read_value(to_spec(specs))
    ref_dirs = [RefDir(Path(path), uri) for uri, path in (ref_dir or {}).items()]
    options = LowerOptions(formats, ref_dirs, slow_patterns, resources=resources or {})
    return compile_specs(loaded.tools, options, loaded.diagnostics, keep_going=keep_going)


def compile_listed(tools: Any, *, keep_going: bool = False) -> CompiledToolset:
    """Compile the list of tools that a framework gives at each step of a run. `toolgen_runtime.dynamic` uses
    this.

    The last `MOST_KEPT` tools that were compiled this way stay compiled even if nothing refers to them.

    Raises:
        SpecError: a tool cannot be built.
        TypeError: an item is not a tool.
    """
    loaded = read_value(to_listed(tools))
    return compile_specs(loaded.tools, LowerOptions(), loaded.diagnostics, keep_going=keep_going, keep=True)


def compile_specs(
    specs: Sequence[ToolSpec],
    options: LowerOptions,
    diagnostics: Sequence[Diagnostic] = (),
    *,
    keep_going: bool = False,
    keep: bool = False,
) -> CompiledToolset:
    """Compile specs that have been read. `diagnostics` are the problems that were found while reading.

    Raises:
        SpecError: as for `compile_tools`.
    """
    problems = list(diagnostics)
    names = module_names(spec.name for spec in specs)
    tools: dict[Identifier, CompiledTool] = {}
    for spec in specs:
        module = names[spec.name]
        key = digest_of(spec, module, options)
        tool = _compiled.find(key)
        if tool is not None:
            problems += tool.diagnostics(spec)
        else:
            lowered = lower(spec, options)
            problems += lowered.diagnostics
            if lowered.root is None:
                continue
            source = ToolSource(spec, lowered.root, module)
            tool = CompiledTool(source, options, key, lowered.diagnostics)
        tools[module] = _compiled.add(tool)
    errors = [d for d in problems if d.level == "error" and d.code != "no-tools"]
    if errors and not keep_going:
        raise SpecError(errors)
    if keep:
        _compiled.keep(tools.values())
    modules = {spec.name: module for spec in specs if (module := names[spec.name]) in tools}
    toolset = CompiledToolset("compiled", modules, lambda module: tools[Identifier(module)].tool())
    toolset.diagnostics = tuple(problems)
    return toolset
