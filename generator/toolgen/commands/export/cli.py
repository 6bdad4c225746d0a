"""`toolgen export`: write the tools of specs in a provider's format."""

from __future__ import annotations

from typing import Any

import click

from toolgen.cli.options import options, specs_arguments
from toolgen.cli.reports import Report
from toolgen.cli.request import Command, begin
from toolgen.cli.terminal import counted
from toolgen.commands.export.export import PROVIDERS, export
from toolgen.commands.servers.address import as_json
from toolgen.compiler.specs.load import Loaded
from toolgen.compiler.specs.tool_spec import ToolSpec

STUBS = ("python-stubs", "typescript-stubs")
STDOUT = "-"


@click.command("export", cls=Command)
@specs_arguments
@click.option(
    "--to",
    "shape",
    type=click.Choice((*PROVIDERS, *STUBS)),
    required=True,
    help="The provider's format, or the language of the stubs.",
)
@click.option(
    "--strict",
    type=click.Choice(("auto",)),
    help="Export each tool as a strict tool if the provider's strict mode can express it.",
)
@click.option("--tools", metavar="NAMES", help="Export only these tools, separated by commas.")
@click.option(
    "--output",
    "-o",
    "file",
    default=STDOUT,
    metavar="FILE",
    help="The file to write; by default standard output.",
)
@options("exclude", "namespace", "formats", "slow-patterns", "ref-dir", "output-format", "quiet")
def command(shape: str, file: str, tools: str | None, strict: str | None, report: Report, **_: Any) -> int:
    """Write the tools of SPECS in a provider's format, or as stubs for a model's context.

    The output in a provider's format is also a valid spec file. Anything that the format cannot express is reported as
    a warning. `python-stubs` and `typescript-stubs` are function signatures. They have types for parameters and
    results, and constraints as comments. With --namespace, the names of tools from several files begin with the file's
    name: github_create_issue.
    """
    request = begin(report)
    loaded = request.load(report)
    report.stop_if_failed()
    specs, options = _selected(loaded, tools), request.build_options().lower_options
    report.result = {"to": shape, "tools": len(specs)}
    if shape in STUBS:
        from toolgen.commands.export.stubs import stubs  # late: it takes longer to load than the help

        value: Any = stubs(specs, shape, options)
        text = value
    else:
        exported = export(specs, shape, options, strict=strict == "auto")
        report.diagnose(exported.diagnostics)
        report.result["losses"] = len(exported.diagnostics)
        value, text = exported.value, as_json(exported.value)
    if file != STDOUT:
        if report.write(file, text, f"written ({counted(len(specs), 'tool')})"):
            report.result["file"] = file
    elif report.format == "json":
        report.result["value"] = value
    else:
        click.echo(text, nl=False)
    return 0


def _selected(loaded: Loaded, tools: str | None) -> list[ToolSpec]:
    """Return the tools that `--tools` names, or all tools, under the names with which they are exported.

    If there are several files, `--tools` also accepts `file/tool` and the name of a tool that only one file has.

    Raises:
        SpecError: two tools have the same name.
        click.UsageError: a given name is not that of a tool.
    """
    specs = loaded.prefixed("_")
    if tools is None:
        return specs
    with_file = loaded.prefixed("/")
    names = [name.strip() for name in tools.split(",")]
    known = [
        (spec, {spec.name, *(each.name for each in others)})
        for spec, *others in zip(specs, with_file, loaded.by_unique_name(), strict=True)
    ]
    missing = [name for name in names if all(name not in own for _, own in known)]
    if missing:
        raise click.UsageError(f"--tools: there is no tool {missing[0]!r}; toolgen list shows the tools")
    return [spec for spec, own in known if own.intersection(names)]
