"""`toolgen pull`: the tools of real MCP servers, into spec files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.options import options, server_access
from toolgen.cli.report import Report
from toolgen.cli.request import CheckedCommand
from toolgen.cli.terminal import counted
from toolgen.diagnostics import Diagnostic, Place, SpecError
from toolgen.input_files import read_bytes

if TYPE_CHECKING:
    from toolgen.servers.server import ServerAddress

DRIFT, FAILED = 1, 2
STDOUT = "-"
FOLDER = "specs"
TIMEOUT = 60.0
"""Seconds for all of one server."""


@click.command("pull", cls=CheckedCommand)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[URL | -- COMMAND...]")
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    help="The spec file, - for standard output; a folder for several servers.",
)
@click.option(
    "--config", metavar="FILE", help="A client's configuration file with `mcpServers` or `servers`."
)
@click.option(
    "--server", multiple=True, metavar="NAME", help="A server of --config; repeatable. All, if none is named."
)
@server_access
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=TIMEOUT,
    show_default=True,
    metavar="SECONDS",
    help="For all of one server.",
)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if a spec file differs.")
@options("output-format", "quiet")
def command(words: tuple[str, ...], check: bool, output_format: str, quiet: bool, **given: Any) -> int:
    """Write the tools of MCP servers into spec files: of a URL, of a command, or of a client's configuration.

    Nothing of --env and --header is written.
    """
    report = Report("pull", output_format, quiet)
    try:
        paths = _paths(_servers(words, given), given["output"])
    except SpecError as error:
        report.diagnose(error.diagnostics)
        return report.done(FAILED)
    pulled = [
        pull(server, path, report, timeout=given["timeout"], check=check) for server, path in paths.items()
    ]
    report.result = {"servers": [entry for entry in pulled if entry]}
    if not report.failed and not check and given["output"] != STDOUT:
        report.print(f"next: toolgen build {_sources(pulled)}", optional=True)
    drift = check and any(entry and not entry["current"] for entry in pulled)
    return report.done(FAILED if report.failed else DRIFT if drift else 0)


def _servers(words: Sequence[str], given: dict[str, Any]) -> list[ServerAddress]:
    from toolgen.servers import server
    from toolgen.servers.client_config import of_config

    if words and given["config"]:
        raise click.UsageError("name a server, or --config FILE with --server NAME, not both")
    if not words and not given["config"]:
        raise click.UsageError("name a URL, a command after --, or --config FILE")
    environment, headers = (
        server.pairs(given["env"], "=", "--env"),
        server.pairs(given["header"], ":", "--header"),
    )
    if words:
        return [server.of_command_line(words, environment, headers)]
    return of_config(given["config"], given["server"], environment=environment, headers=headers)


def pull(
    server: ServerAddress, path: Path, report: Report, *, timeout: float = TIMEOUT, check: bool = False
) -> dict[str, Any] | None:
    """Write the tools of one server into a file; return what became of it, None where it failed.

    Failures are reported. With `check` nothing is written.
    """
    from toolgen.output.text_file import write_text_file
    from toolgen.servers.server import as_json
    from toolgen.servers.tools_list import tools_of

    try:
        found = tools_of(server, timeout)
        text = as_json(found)
        current = path.name != STDOUT and _is_current(path, found)
        if path.name == STDOUT:
            click.echo(text, nl=False)
        elif not check and not current:
            write_text_file(path, text)
    except SpecError as error:
        report.diagnose(error.diagnostics)
        return None
    except OSError as error:
        report.write_failed(path.as_posix(), error)
        return None
    report.diagnose(_named_twice(found["tools"], server, path))
    count = len(found["tools"])
    if path.name != STDOUT:
        state = "up to date" if current else "differs" if check else "written"
        report.print(f"{path.as_posix()}: {state} ({counted(count, 'tool')} of {server.name})", optional=True)
    return {"server": server.name, "file": path.as_posix(), "tools": count, "current": current}


def _is_current(path: Path, found: dict[str, Any]) -> bool:
    """Return whether a file has these tools, however it is laid out: servers and formatters order keys as they like."""
    try:
        written = json.loads(read_bytes(path))
    except (OSError, ValueError, RecursionError):
        return False
    return json.dumps(written, sort_keys=True) == json.dumps(found, sort_keys=True)


def _named_twice(tools: Sequence[dict[str, Any]], server: ServerAddress, path: Path) -> Iterator[Diagnostic]:
    place = Place("" if path.name == STDOUT else path.as_posix())
    for name, number in Counter(str(tool["name"]) for tool in tools).items():
        if number > 1:
            message = f"{server.name} lists {number} different tools of this name"
            yield Diagnostic(place, "duplicate-tool", message, "keep one of them", name, "warning")


def _paths(servers: Sequence[ServerAddress], output: str | None) -> dict[ServerAddress, Path]:
    """Return the spec file of each server.

    Raises:
        SpecError: `bad-server`: two servers would have one file.
    """
    is_folder = output is None or len(servers) > 1 or output.endswith("/") or Path(output).is_dir()
    paths: dict[ServerAddress, Path] = {}
    for server in servers:
        path = (
            Path(output or FOLDER, server.file_name) if is_folder and output != STDOUT else Path(output or "")
        )
        if path in paths.values() and output != STDOUT:
            message = f"{server.name!r} and another server would both be {path.as_posix()}"
            hint = "rename one, or name one with --server and its file with -o"
            raise SpecError([Diagnostic(Place(""), "bad-server", message, hint)])
        paths[server] = path
    return paths


def _sources(pulled: Sequence[dict[str, Any] | None]) -> str:
    import shlex

    files = [entry["file"] for entry in pulled if entry]
    if len(files) == 1:
        return shlex.quote(files[0])
    return f"{shlex.quote(Path(files[0]).parent.as_posix())} --namespace"
