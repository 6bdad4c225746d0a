"""`toolgen list`: the tools of the specs, their places, modules and payload fields."""

from __future__ import annotations

from typing import Any

import click

from toolgen.cli.options import SHARED, options, specs_arguments
from toolgen.cli.reports import Report
from toolgen.cli.request import Command, begin
from toolgen.cli.terminal import counted, inline
from toolgen.commands.tokens import print_tools
from toolgen.compiler.python.identifiers import module_name, module_names
from toolgen.compiler.schema.lower import lower
from toolgen.compiler.value_description import root_fields


@click.command("list", cls=Command)
@click.option(
    "--tokens", is_flag=True, help="List the tokens that each tool and file takes of every request instead."
)
@specs_arguments()
@options("client", *SHARED)
def command(report: Report, **_: Any) -> int:
    """List the tools of SPECS with their modules and payload fields (* required)."""
    request = begin(report)
    if click.get_current_context().params["tokens"]:
        report.result = print_tools(request.load(report).tools, report)
        return 0
    loaded = request.load(report)
    lowering = request.build_options().lower_options
    listed = []
    for group, specs in loaded.groups.items():
        modules = module_names((spec.name for spec in specs), client=request.client)
        for spec in specs:
            module = modules[spec.name] if group is None else f"{module_name(group)}.{modules[spec.name]}"
            root = lower(spec, lowering).root
            fields = root_fields(root) if root is not None else []
            entry = {"group": group, "name": spec.name, "module": module, "fields": fields}
            listed.append({**entry, "file": spec.place.file, "pointer": spec.place.pointer})
            _print_tool(listed[-1], str(spec.place), report, is_sound=root is not None)
    report.result = {"tools": listed}
    if listed or not report.failed:
        report.print(counted(len(listed), "tool"), optional=True)
    return 0


def _print_tool(tool: dict[str, Any], place: str, report: Report, *, is_sound: bool) -> None:
    shown = ", ".join(map(_field, tool["fields"]))
    report.print(inline(f"{tool['name']}  {tool['module']}  {place}"))
    none = "(no fields)" if is_sound else "(the schema has an error; toolgen build shows it)"
    report.print(f"    {inline(shown) or none}")


def _field(field: dict[str, Any]) -> str:
    limits = f" ({', '.join(field['limits'])})" if field["limits"] else ""
    return f"{field['name']}{'*' if field['required'] else ''}: {field['type']}{limits}"
