"""`toolgen list`: the tools of the specs, their places, modules and payload fields."""

from __future__ import annotations

from typing import Any

import click

from toolgen.cli.fields import fields
from toolgen.cli.options import SHARED, options, specs_arguments
from toolgen.cli.report import Report, hosted_once
from toolgen.cli.request import Command, begin
from toolgen.cli.terminal import counted, inline

FAILED = 2


@click.command("list", cls=Command)
@specs_arguments()
@options(*SHARED)
def command(**_: Any) -> int:
    """List the tools of SPECS with their modules and payload fields (* required)."""
    from toolgen.python.identifiers import module_names

    request, report = begin("list")
    if report.failed:
        return report.done(FAILED)
    loaded = request.load()
    report.diagnose(hosted_once(loaded.diagnostics))
    listed = []
    for group, specs in loaded.groups.items():
        modules = module_names(spec.name for spec in specs)
        for spec in specs:
            module = modules[spec.name] if group is None else f"{_subpackage(group)}.{modules[spec.name]}"
            entry = {"group": group, "name": spec.name, "module": module, "fields": fields(spec.schema)}
            listed.append({**entry, "file": spec.place.file, "pointer": spec.place.pointer})
            _print_tool(listed[-1], str(spec.place), report)
    report.result = {"tools": listed}
    if listed or not report.failed:
        report.print(counted(len(listed), "tool"), optional=True)
    return report.done(FAILED if report.failed else 0)


def _subpackage(group: str) -> str:
    from toolgen.python.identifiers import module_name

    return module_name(group)


def _print_tool(tool: dict[str, Any], place: str, report: Report) -> None:
    shown = (f"{f['name']}{'*' if f['required'] else ''}: {f['type']}" for f in tool["fields"])
    report.print(inline(f"{tool['name']}  {tool['module']}  {place}"))
    report.print(f"    {inline(', '.join(shown)) or '(no fields)'}")
