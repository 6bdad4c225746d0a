"""`toolgen docs`: one page with the tools of a built package."""

from __future__ import annotations

from typing import Any

import click

from toolgen.cli.options import options
from toolgen.cli.reports import Report
from toolgen.cli.request import Command
from toolgen.cli.terminal import counted
from toolgen.commands.docs.page import entries, render
from toolgen.package.built_package import locate_package, toolsets_of_package


@click.command("docs", cls=Command)
@click.argument("package")
@click.option(
    "--output",
    "-o",
    "file",
    default="tools.html",
    show_default=True,
    metavar="FILE",
    help="The page to write.",
)
@click.option("--title", help="The title of the page; by default the package's name.")
@options("output-format", "quiet")
def command(package: str, file: str, title: str | None, report: Report, **_: Any) -> int:
    """Write an HTML page with the tools of PACKAGE: their fields, constraints, choices and an example, with a search.

    PACKAGE is the folder or the import name of a package that `toolgen build` wrote. The page needs no network.
    """
    name, folder = locate_package(package)
    tools = entries(toolsets_of_package(name, folder))
    report.result = {"tools": len(tools)}
    if report.write(file, render(title or name, tools), f"written ({counted(len(tools), 'tool')})"):
        report.result["file"] = file
    return 0
