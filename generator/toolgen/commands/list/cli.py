"""`toolgen list`: list the tools of specs, with their locations, modules and fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import click

from toolgen.cli.options import SHARED, options, specs_arguments
from toolgen.cli.position import position_of
from toolgen.cli.reports import Report
from toolgen.cli.request import Command, Request, begin
from toolgen.cli.terminal import counted, inline
from toolgen.commands.remembered import remembered
from toolgen.commands.tokens import print_tools
from toolgen.compiler.diagnostics import Place
from toolgen.compiler.python.identifiers import module_name, module_names
from toolgen.compiler.short_text import cut
from toolgen.compiler.specs.tool_spec import ToolSpec

MAX_NAMES = 48
"""The maximum number of characters for a tool's required fields in its row."""


@click.command("list", cls=Command)
@click.option(
    "--tokens",
    is_flag=True,
    help="Instead, list how many tokens each tool and each file takes in every request.",
)
@specs_arguments
@click.option("--verbose", "-v", is_flag=True, help="Also print the module of each tool, and all its fields.")
@options("client", *SHARED)
def command(tokens: bool, verbose: bool, report: Report, **_: Any) -> int:
    """List the tools of SPECS, with their required fields and their locations."""
    request = begin(report)
    loaded = request.load(report)
    if tokens:
        report.result = print_tools(loaded.tools, report)
        return 0
    found = _fields(loaded.tools, request)
    listed = []
    for group, specs in loaded.groups.items():
        modules = module_names((spec.name for spec in specs), client=request.client)
        for spec in specs:
            module: str = modules[spec.name]
            if group is not None:
                module = f"{module_name(group)}.{module}"
            entry = {"group": group, "name": spec.name, "module": module, "fields": found[id(spec)] or []}
            listed.append({**entry, "file": spec.place.file, "pointer": spec.place.pointer})
    report.result = {"tools": listed}
    _print(loaded.tools, listed, found, report, verbose=verbose)
    if listed or not report.failed:
        report.inform(counted(len(listed), "tool"))
    return 0


def _fields(specs: Sequence[ToolSpec], request: Request) -> dict[int, Any]:
    """Return the fields of each tool by the identity of its spec; None if its schema has an error."""
    options = request.build_options().lower_options

    def fields_of(spec: ToolSpec) -> Any:
        from toolgen.compiler.schema.lower import lower
        from toolgen.compiler.value_description import root_fields

        root = lower(spec, options).root
        if root is None:
            return None
        return root_fields(root)

    with remembered("list", request, specs) as remember:
        return {id(spec): remember(spec, partial(fields_of, spec)) for spec in specs}


def _print(
    specs: Sequence[ToolSpec],
    listed: Sequence[Mapping[str, Any]],
    found: Mapping[int, Any],
    report: Report,
    *,
    verbose: bool,
) -> None:
    """Print a row for each tool. If `verbose` is true, also print a line for each field below it."""
    rows = []
    if report.format != "json":
        rows = [
            (inline(spec.name), _required(found[id(spec)]), inline(_position(spec.place))) for spec in specs
        ]
    names, fields = (max((len(row[column]) for row in rows), default=0) for column in (0, 1))
    for tool, (name, required, place) in zip(listed, rows, strict=False):
        module = f"  {tool['module']}" if verbose else ""
        report.print(f"{name:{names}}  {required:{fields}}  {place}{inline(module)}")
        for field in tool["fields"] if verbose else ():
            report.print(f"    {inline(_field(field))}", wrapped=True)


def _required(fields: Sequence[Mapping[str, Any]] | None) -> str:
    """Return the required fields of a tool in a few words, and the number of other fields."""
    if fields is None:
        return "(the schema has an error; toolgen build shows it)"
    if not fields:
        return "(no fields)"
    required = [field["name"] for field in fields if field["required"]]
    others = f"{len(fields) - len(required)} optional"
    if not required:
        return others
    shown = cut(inline(", ".join(required)), MAX_NAMES)
    if len(required) == len(fields):
        return shown
    return f"{shown} + {others}"


def _position(place: Place) -> str:
    found = position_of(place)
    if found:
        return f"{place.file}:{found[0]}"
    return str(place)


def _field(field: Mapping[str, Any]) -> str:
    limits = field["limits"] and f" ({', '.join(field['limits'])})"
    return f"{field['name']}{'*' if field['required'] else ''}: {field['type']}{limits or ''}"
