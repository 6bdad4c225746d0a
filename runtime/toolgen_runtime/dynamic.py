"""Compile tools that are known only at run time, such as those that a framework lists.

Only this module of the runtime loads `toolgen`. It does so by name, and only if there are tools to compile, because
an image with nothing but generated packages does not contain the generator.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_runtime.exports import imported
from toolgen_runtime.install import install_advice
from toolgen_runtime.validation.tool import Tool
from toolgen_runtime.validation.toolset import Toolset, are_toolsets


def tools_of(tools: Any, *, keep_going: bool = False) -> Mapping[str, Tool[Any]]:
    """Return a toolset unchanged, and compile any other list of tools to a toolset.

    A tool that this process has already compiled is not compiled again.

    Args:
        tools: a toolset, a mapping or list of `Tool`s, or anything that `toolgen.compile_tools` accepts.
        keep_going: leave out tools that cannot be compiled.

    Raises:
        TypeError: `tools` are not tools; the message explains what to pass.
        ImportError: tools must be compiled, but the extra `toolgen[dynamic]` is not installed.
        toolgen.SpecError: a tool cannot be compiled.
    """
    if isinstance(tools, Toolset) or are_toolsets(tools):
        return tools  # type: ignore[no-any-return]
    if isinstance(tools, Mapping):
        first = next(iter(tools.values()), None)
        if first is None or isinstance(first, Tool):
            return tools
        return _compiled(tools, keep_going)
    if isinstance(tools, Tool):
        raise TypeError(f"tools is one tool: pass a toolset; for one tool, pass {{{tools.name!r}: tool}}")
    if tools is None or isinstance(tools, (str, bytes, bytearray, int, float)):
        what = "a toolset, a Registry, or what a framework's list_tools() gives"
        raise TypeError(f"tools: pass {what}, not a {type(tools).__name__}")
    if isinstance(tools, (list, tuple)) and any(isinstance(tool, Tool) for tool in tools):
        return _by_name(tools, keep_going)
    return _compiled(tools, keep_going)


def _by_name(tools: list[Any] | tuple[Any, ...], keep_going: bool) -> Mapping[str, Tool[Any]]:
    """Return, by name, the tools of a list that contains both `Tool`s and a framework's tool objects."""
    rest = [tool for tool in tools if not isinstance(tool, Tool)]
    if rest:
        by_name = dict(_compiled(rest, keep_going))
    else:
        by_name = {}
    for tool in tools:
        if isinstance(tool, Tool) and by_name.setdefault(tool.name, tool) is not tool:
            raise ValueError(f"two of the tools are named {tool.name!r}; register one with a prefix")
    return by_name


def _compiled(tools: Any, keep_going: bool) -> Mapping[str, Tool[Any]]:
    try:
        compile_listed = imported("toolgen.package.compile", "compile_listed")
    except ModuleNotFoundError as error:
        missing = error.name or "toolgen"
        if missing.startswith("toolgen."):
            raise  # a broken installation
        raise ImportError(f"{missing} is not installed; {install_advice('dynamic')}", name=missing) from None
    compiled: Mapping[str, Tool[Any]] = compile_listed(tools, keep_going=keep_going)
    return compiled
