"""`toolgen pull`: write the tools of MCP servers to spec files."""

from __future__ import annotations

import json
import os
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.options import inherit_env, options, server_access
from toolgen.cli.reports import Report
from toolgen.cli.request import CheckedCommand
from toolgen.cli.settings import read
from toolgen.cli.terminal import Progress, counted, inline
from toolgen.commands.servers.address import as_json, of_command_line, pairs
from toolgen.commands.servers.client_config import of_config
from toolgen.commands.servers.tools_list import tools_of
from toolgen.compiler.diagnostics import Diagnostic, Place, SpecError
from toolgen.compiler.input_files import read_bytes
from toolgen.compiler.specs.load import spec_files

if TYPE_CHECKING:
    from toolgen.commands.servers.address import ServerAddress

DRIFT = 1
STDOUT = "-"
FOLDER = "specs"
TIMEOUT = 60.0
"""The seconds that one server may take in total."""


@click.command("pull", cls=CheckedCommand)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[URL | -- COMMAND...]")
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    help="The spec file, or - for standard output; for several servers, a folder.",
)
@click.option(
    "--config", metavar="FILE", help="A client's configuration file with `mcpServers` or `servers`."
)
@click.option(
    "--server", multiple=True, metavar="NAME", help="Pull only from this server of --config; repeatable."
)
@server_access
@inherit_env
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=TIMEOUT,
    show_default=True,
    metavar="SECONDS",
    help="The maximum time for one server.",
)
@click.option("--check", is_flag=True, help="Do not write; exit with 1 if a spec file differs.")
@click.option(
    "--keep-going", is_flag=True, help="Leave out tools that are not valid in MCP, and exit with 2."
)
@options("output-format", "quiet")
def command(words: tuple[str, ...], report: Report, **given: Any) -> int:
    """Write the tools of MCP servers (URLs, commands, or entries of a client's configuration) to spec files.

    Values of --env and --header are not written.
    """
    paths = paths_of(_servers(words, given), given["output"])
    how = {name: given[name] for name in ("timeout", "check", "keep_going")}
    pulled = [
        pull(server, path, report, is_named=bool(given["output"]), **how) for server, path in paths.items()
    ]
    report.result = {"servers": [entry for entry in pulled if entry]}
    if not report.failed and not given["check"] and given["output"] != STDOUT:
        report.print(f"next: {next_step(pulled)}", optional=True)
    return DRIFT if given["check"] and any(entry and not entry["current"] for entry in pulled) else 0


def _servers(words: Sequence[str], given: dict[str, Any]) -> list[ServerAddress]:
    if words and given["config"]:
        raise click.UsageError("pass a server, or --config FILE with --server NAME, but not both")
    if not words and not given["config"]:
        raise click.UsageError("pass a URL, a command after --, or --config FILE")
    environment, headers = pairs(given["env"], "=", "--env"), pairs(given["header"], ":", "--header")
    if words:
        return [of_command_line(words, environment, headers, inherits_all=given["inherit_env"])]
    servers = of_config(given["config"], given["server"], environment=environment, headers=headers)
    return [replace(server, inherits_all=given["inherit_env"]) for server in servers]


def pull(
    server: ServerAddress,
    path: Path,
    report: Report,
    *,
    is_named: bool = False,
    timeout: float = TIMEOUT,
    check: bool = False,
    keep_going: bool = False,
) -> dict[str, Any] | None:
    """Write the tools of one server to a file; return a summary, or None if it failed.

    Failures are reported. With `check`, no file is written. A file that the user did not name is not overwritten if it
    has the tools of another server.
    """
    progress = Progress(enabled=report.format == "text" and not report.quiet)
    try:
        progress.draw(f"{inline(server.name)}: waiting for its tools")
        try:
            found, problems = tools_of(server, timeout, keep_going=keep_going)
        finally:
            progress.clear()
        report.diagnose(problems)
        text = as_json(found)
        written = None if path.name == STDOUT else _read(path)
        current = written is not None and _sorted(written) == _sorted(found)
        if path.name == STDOUT:
            click.echo(text, nl=False)
        elif not is_named and not current and _is_of_another(written, found):
            message = f"{path.as_posix()} contains other tools, so it may belong to another server"
            hint = "pass a file with -o, or delete this one"
            raise SpecError.of(server.place, "bad-server", message, hint)
        elif not check and not current and not report.write(path, text, ""):
            return None
    except SpecError as error:
        report.diagnose(error.diagnostics)
        return None
    report.diagnose(_named_twice(found["tools"], server, path))
    count = len(found["tools"])
    if path.name != STDOUT:
        state = "up to date" if current else "differs" if check else "written"
        report.print(f"{path.as_posix()}: {state} ({counted(count, 'tool')} of {server.name})", optional=True)
    return {"server": server.name, "file": path.as_posix(), "tools": count, "current": current}


def _read(path: Path) -> Any:
    """Return the JSON of a file; None if the file cannot be read."""
    try:
        return json.loads(read_bytes(path))
    except (OSError, ValueError, RecursionError):
        return None


def _sorted(value: Any) -> str:
    """Return a value as text that does not depend on the order of keys, which servers and formatters change."""
    return json.dumps(value, sort_keys=True)


def _is_of_another(written: Any, found: dict[str, Any]) -> bool:
    """Return whether a file has tools, but none of those that a server lists."""
    tools = written.get("tools") if isinstance(written, dict) else None
    before = (
        {tool.get("name") for tool in tools if isinstance(tool, dict)} if isinstance(tools, list) else set()
    )
    return bool(before) and before.isdisjoint(tool["name"] for tool in found["tools"])


def _named_twice(tools: Sequence[dict[str, Any]], server: ServerAddress, path: Path) -> Iterator[Diagnostic]:
    place = Place("" if path.name == STDOUT else path.as_posix())
    for name, number in Counter(str(tool["name"]) for tool in tools).items():
        if number > 1:
            message = f"{server.name} lists {number} different tools with this name"
            yield Diagnostic(place, "duplicate-tool", message, "keep one of them", name, "warning")


def paths_of(servers: Sequence[ServerAddress], output: str | None) -> dict[ServerAddress, Path]:
    """Return the spec file of each server.

    Raises:
        SpecError: `bad-server`: two servers would have the same file.
    """
    is_folder = output is None or len(servers) > 1 or output.endswith("/") or Path(output).is_dir()
    paths: dict[ServerAddress, Path] = {}
    for server in servers:
        path = (
            Path(output or FOLDER, server.file_name) if is_folder and output != STDOUT else Path(output or "")
        )
        if path in paths.values() and output != STDOUT:
            message = f"{server.name!r} and another server would both be written to {path.as_posix()}"
            hint = "rename one, or pull one at a time with --server and -o"
            raise SpecError.of(Place(""), "bad-server", message, hint)
        paths[server] = path
    return paths


def next_step(pulled: Sequence[dict[str, Any] | None]) -> str:
    """Return the next step with the files: a build, after a change of the settings if they do not name the files."""
    files = [entry["file"] for entry in pulled if entry]
    settings = read(Path.cwd())
    sources, exclude = settings.values.get("specs", ()), settings.values.get("exclude", ())
    if not sources:
        if len(files) == 1:
            return f"toolgen build {shlex.quote(files[0])}"
        return f"toolgen build {shlex.quote(Path(files[0]).parent.as_posix())} --namespace"
    covered = [
        path for each in sources for path in (spec_files(each, exclude) if os.path.isdir(each) else [each])
    ]
    known = {os.path.realpath(path) for path in covered}
    missing = [file for file in files if os.path.realpath(file) not in known]
    if missing:
        return f"add {', '.join(missing)} to specs in {settings.file}, and run toolgen build"
    return "toolgen build"
