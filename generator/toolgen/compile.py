"""`compile_tools`: the package that `build` writes to disk, in memory, through the same pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from toolgen.compiled import CompiledTool, CompiledTools, digest_of
from toolgen.diagnostics import Diagnostic, SpecError
from toolgen.python.names import Identifier, module_names
from toolgen.python.package import ToolSource
from toolgen.schema.lower import LowerOptions, lower
from toolgen.schema.ref_dirs import RefDir
from toolgen.specs.load import read_value
from toolgen.specs.objects import to_listed, to_spec
from toolgen.specs.tool_spec import ToolSpec
from toolgen_runtime.validation.tool import Toolset

_compiled = CompiledTools()
"""All tools of this process that are compiled now."""


def compile_tools(
    specs: Any,
    *,
    formats: Literal["assert", "annotate"] = "assert",
    ref_dir: Mapping[str, str | Path] | None = None,
    keep_going: bool = False,
    slow_patterns: Literal["refuse", "allow"] = "refuse",
) -> Toolset:
    """Return the toolset of specs that are only known at run time.

    Checks and payload types are compiled on first use. A tool that is compiled already, and held by anything, is
    the same `Tool` again.

    Args:
        specs: anything that `toolgen build` reads, already parsed, or what a framework's list of tools holds
            (see `toolgen.specs.objects`).
        formats: whether `format` is a constraint.
        ref_dir: maps URIs to the folders with the targets of non-local references.
        keep_going: leave out a tool that cannot be built.
        slow_patterns: whether a tool with a pattern whose time has no known bound can be built.

    Raises:
        SpecError: a tool cannot be built.
        TypeError: an object is not a tool.
    """
    loaded = read_value(to_spec(specs))
    ref_dirs = [RefDir(Path(path), uri) for uri, path in (ref_dir or {}).items()]
    options = LowerOptions(formats, ref_dirs, slow_patterns)
    return compile_specs(loaded.tools, options, loaded.diagnostics, keep_going=keep_going)


def compile_listed(tools: Any, *, keep_going: bool = False) -> Toolset:
    """Return the toolset of what a framework lists, as it does at every step; for `toolgen_runtime.dynamic`.

    The tools stay compiled while nothing holds them: of all that came this way, the last `MOST_KEPT`.

    Raises:
        SpecError: a tool cannot be built.
        TypeError: something in there is not a tool.
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
) -> Toolset:
    """Return the toolset of specs that have been read, with the diagnostics of reading them.

    Raises:
        SpecError: as `compile_tools` does.
    """
    problems = list(diagnostics)
    names = module_names(spec.name for spec in specs)
    keys = {module: digest_of(spec, module, options) for spec in specs for module in [names[spec.name]]}
    tools: dict[Identifier, CompiledTool] = {}
    for spec in specs:
        module = names[spec.name]
        tool = _compiled.find(keys[module]) or _lowered(spec, module, options, problems)
        if tool is not None:
            tools[module] = _compiled.add(keys[module], tool)
    _raise_errors(problems, keep_going)
    if keep:
        _compiled.keep(key for module in tools if (key := keys[module]) is not None)
    modules = {tool.source.spec.name: module for module, tool in tools.items()}
    return Toolset("compiled", modules, lambda module: tools[Identifier(module)].tool())


def _lowered(
    spec: ToolSpec, module: Identifier, options: LowerOptions, problems: list[Diagnostic]
) -> CompiledTool | None:
    lowered = lower(spec, options)
    problems += lowered.diagnostics
    return None if lowered.root is None else CompiledTool(ToolSource(spec, lowered.root, module))


def _raise_errors(diagnostics: list[Diagnostic], keep_going: bool) -> None:
    errors = [d for d in diagnostics if d.level == "error" and d.code != "no-tools"]
    if errors and not keep_going:
        raise SpecError(errors)
