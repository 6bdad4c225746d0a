"""`toolgen docs`: write a page about the tools of a built package."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import click

from toolgen.cli.options import SETTINGS, options
from toolgen.cli.reports import Report
from toolgen.cli.request import Command
from toolgen.cli.terminal import counted
from toolgen.commands.docs.page import entries, render, split
from toolgen.compiler.specs.load import load
from toolgen.package.built_package import locate_package, toolsets_of_package

MOST_ON_ONE_PAGE = 500


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
@click.option("--one-page", is_flag=True, help="Write one page, whatever its size.")
@options("output-format", "quiet")
def command(package: str, file: str, title: str | None, one_page: bool, report: Report, **_: Any) -> int:
    """Write a searchable HTML page that shows the fields, constraints, choices and an example of each tool of
    PACKAGE.

    PACKAGE is the folder or the import name of a package that `toolgen build` wrote. The page needs no network. If
    there are more than 500 tools, the page is an index, and the tools are on other pages next to it.
    """
    name, folder = locate_package(package)
    tools = entries(toolsets_of_package(name, folder), _files_of(Path(folder, name)))
    report.result = {"tools": len(tools)}
    if one_page or len(tools) <= MOST_ON_ONE_PAGE:
        texts = {os.path.basename(file): render(title or name, tools, source=package)}
    else:
        texts = split(title or name, tools, file, package)
    written = [os.path.join(os.path.dirname(file), name) for name in texts]
    if all(report.write(path, text, "") for path, text in zip(written, texts.values(), strict=True)):
        report.result["file"] = file
        beside = ""
        if len(written) > 1:
            report.result["pages"] = written[1:]
            beside = f", {counted(len(written) - 1, 'page')} beside it"
        report.inform(f"{file}: written ({counted(len(tools), 'tool')}{beside})")
    return 0


def _files_of(package: Path) -> dict[tuple[str, str], str]:
    """Return the spec file of each tool by toolset and name, if the settings contain the specs of this package."""
    settings = click.get_current_context().obj.values
    output = settings.get("output", SETTINGS["output"].default)
    if "specs" not in settings or Path(output).resolve() != package.resolve():
        return {}
    loaded = load(settings["specs"], namespace=True, exclude=settings.get("exclude", ()))
    named, has_toolsets = cache(_named), settings.get("namespace", False)
    return {
        ((stem or "") if has_toolsets else "", spec.name): named(spec.place.file)
        for stem, specs in loaded.groups.items()
        for spec in specs
    }


def _named(file: str) -> str:
    """Return the name of a spec file. If `pull` recorded the server's name and version, they are added."""
    try:
        source = json.loads(Path(file).read_bytes())["x-toolgen-source"]
        return f"{file} ({source['name']} {source['version']})"
    except (OSError, ValueError, LookupError, TypeError):
        return file
