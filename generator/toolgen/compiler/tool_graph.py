"""Return the schema graphs of a built tool, for commands that examine packages."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgen.compiler.diagnostics import Place
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.lower import LowerOptions, lower
from toolgen.compiler.schema.ref_dirs import RefDir
from toolgen.compiler.specs.tool_spec import ToolSpec

if TYPE_CHECKING:
    from toolgen_runtime.validation.tool import Tool


def graph_of(
    tool: Tool[Any], formats: str = "assert", ref_dirs: Iterable[tuple[str, str]] = ()
) -> Schema | None:
    """Return the graph of a tool's input schema.

    Return None if it cannot be read, for example because a referenced file is gone.

    Args:
        tool: the tool.
        formats: the `formats` option with which the package was built.
        ref_dirs: the URI and the folder of each `--ref-dir`; if the URI is empty, schemas are found by their `$id`.
    """
    folders = [RefDir(Path(folder), uri or None) for uri, folder in ref_dirs]
    return _graph(tool.name, tool.schema, LowerOptions(formats, folders, "allow"))


def result_graph_of(tool: Tool[Any]) -> Schema | None:
    """Return the graph of a tool's output schema.

    Return None if there is none or it cannot be read.
    """
    schema = tool.output_schema
    if schema is None:
        return None
    return _graph(tool.name, schema, LowerOptions("assert", (), "allow"))


def _graph(name: str, schema: Any, options: LowerOptions) -> Schema | None:
    place = Place("")
    return lower(ToolSpec(name, "", schema, place, place), options).root
