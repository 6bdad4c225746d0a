"""`toolgen export`: the tools of the specs in a provider's shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from toolgen.cli.options import options, specs_arguments
from toolgen.cli.report import Report, hosted_once
from toolgen.cli.request import Command, begin
from toolgen.cli.terminal import counted
from toolgen.export import PROVIDERS

FAILED = 2
STDOUT = "-"


@click.command("export", cls=Command)
@specs_arguments()
@click.option("--to", "shape", type=click.Choice(tuple(PROVIDERS)), required=True, help="The shape.")
@click.option(
    "--output",
    "-o",
    "file",
    default=STDOUT,
    metavar="FILE",
    help="The file to write; standard output without it.",
)
@options("exclude", "output-format", "quiet")
def command(shape: str, file: str, **_: Any) -> int:
    """Write the tools of SPECS in a provider's shape; every loss is a warning.

    What is written is a spec file again: where nothing is lost, it has the same tools.
    """
    from toolgen.export import export

    request, report = begin("export")
    if report.failed:
        return report.done(FAILED)
    loaded = request.load()
    report.diagnose(hosted_once(loaded.diagnostics))
    if report.failed:
        return report.done(FAILED)
    exported = export(loaded.tools, shape)
    report.diagnose(exported.diagnostics)
    report.result = {"to": shape, "tools": len(loaded.tools), "losses": len(exported.diagnostics)}
    return report.done(_write(exported.value, file, report))


def _write(value: dict[str, Any], file: str, report: Report) -> int:
    from toolgen.output.text_file import write_text_file
    from toolgen.servers.address import as_json

    if file == STDOUT and report.format == "json":
        report.result["value"] = value
    elif file == STDOUT:
        click.echo(as_json(value), nl=False)
    else:
        try:
            write_text_file(Path(file), as_json(value))
        except OSError as error:
            report.write_failed(file, error)
            return FAILED
        report.result["file"] = file
        report.print(f"{file}: written ({counted(report.result['tools'], 'tool')})", optional=True)
    return 0
