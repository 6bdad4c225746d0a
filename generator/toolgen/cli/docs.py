"""`toolgen docs`: one page with the tools of a built package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolgen.built_package import locate_package, toolsets_of_package
from toolgen.catalogue.page import page_of, render
from toolgen.cli.options import options
from toolgen.cli.report import Report
from toolgen.cli.request import Command
from toolgen.cli.terminal import counted
from toolgen.diagnostics import Place, SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen_runtime.validation.toolset import Toolset


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
@click.option("--serve", is_flag=True, help="Serve the page on 127.0.0.1, with a form to try payloads.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The server's port; by default a free port."
)
@options("output-format", "quiet")
def command(
    package: str, file: str, title: str | None, serve: bool, port: int, report: Report, **_: Any
) -> int:
    """Write an HTML page with the tools of PACKAGE: their fields, constraints, choices and an example, with a search.

    PACKAGE is the folder or the import name of a package that `toolgen build` wrote. The page needs no network.
    """
    name, folder = locate_package(package)
    toolsets = toolsets_of_package(name, folder)
    page = page_of(title or name, toolsets, serves=serve)
    report.result = {"tools": len(page.tools)}
    if serve:
        _serve(render(page), toolsets, port, report)
    elif report.write(file, render(page), f"written ({counted(len(page.tools), 'tool')})"):
        report.result["file"] = file
    return 0


def _serve(html: str, toolsets: Mapping[str, Toolset], port: int, report: Report) -> None:
    from toolgen.catalogue.server import HOST, serve

    try:
        server = serve(html, toolsets, port)
    except OSError as error:
        message = f"port {port}: {error.strerror or error}"
        raise SpecError.of(Place(""), "bad-usage", message, "choose another --port") from None
    report.print(f"http://{HOST}:{server.server_port}/ (Ctrl-C ends it)")
    with server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            report.print("")
