"""`toolgen pull`: write the tools of MCP servers to spec files."""

from __future__ import annotations

import json
import os
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from toolgen.cli.options import env_option, header_option, inherit_env, options
from toolgen.cli.reports import Report
from toolgen.cli.request import CheckedCommand
from toolgen.cli.settings import read
from toolgen.cli.terminal import Progress, counted, inline, limited
from toolgen.commands.pull.ignores import with_ignores
from toolgen.commands.pull.source import SOURCE, read_json, recorded
from toolgen.commands.pull.targets import STDOUT, Target, renewals, targets_of
from toolgen.commands.servers.address import ServerAddress, as_json, of_command_line, pairs
from toolgen.commands.servers.client_config import of_config
from toolgen.commands.servers.messages import tools_on
from toolgen.commands.servers.tools_list import Listed, tools_of
from toolgen.compiler.diagnostics import Diagnostic, Place, SpecError
from toolgen.compiler.specs.load import files_of

DRIFT = 1
MAX_NAMES = 20
"""The maximum number of tools that a line about changes names."""
TIMEOUT = 60.0
"""The maximum number of seconds for one server in total."""


@click.command("pull", cls=CheckedCommand)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[URL | -- COMMAND...]")
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    help="The spec file, or - for standard output. For several servers, the folder of the spec files.",
)
@click.option(
    "--config", metavar="FILE", help="A client's configuration file with `mcpServers` or `servers`."
)
@click.option(
    "--server", multiple=True, metavar="NAME", help="Pull only from this server of --config; repeatable."
)
@env_option
@header_option
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

    Each file records where it came from, without secrets. `toolgen pull` without a server renews all spec files of the
    project, or compares them with --check. It runs the commands that the files name. Values of --env and --header are
    not written, but names of variables are: --header 'Authorization: Bearer ${TOKEN}'.
    """
    check, output = given["check"], given["output"]
    how = {name: given[name] for name in ("timeout", "check", "keep_going")}
    if words or given["config"]:
        targets = targets_of(_servers(words, given), output, given["env"], given["header"])
    else:
        for name in ("output", "server", "env", "header", "inherit_env"):
            if given[name]:
                option = name.replace("_", "-")
                raise click.UsageError(f"--{option} needs a URL, a command after --, or --config FILE")
        targets = renewals(report)
    pulled = [pull(target, report, **how) for target in targets]
    report.result = {"servers": [entry for entry in pulled if entry]}
    if not report.failed and not check and output != STDOUT:
        report.inform(f"next: {next_step(pulled)}")
    if not check or all(entry["current"] for entry in pulled if entry):
        return 0
    same = "the same command without --check" if words or given["config"] else "toolgen pull"
    report.inform(f"next: {same}")
    return DRIFT


def _servers(words: Sequence[str], given: dict[str, Any]) -> list[ServerAddress]:
    if words and given["config"]:
        raise click.UsageError("pass a server, or --config FILE with --server NAME, but not both")
    environment, headers = pairs(given["env"], "=", "--env"), pairs(given["header"], ":", "--header")
    if words:
        return [of_command_line(words, environment, headers, inherits_all=given["inherit_env"])]
    servers = of_config(given["config"], given["server"], environment=environment, headers=headers)
    return [replace(server, inherits_all=given["inherit_env"]) for server in servers]


def pull(
    target: Target,
    report: Report,
    *,
    timeout: float = TIMEOUT,
    check: bool = False,
    keep_going: bool = False,
) -> dict[str, Any] | None:
    """Write the tools of one server to its file, and return a summary of the changes.

    Return None if this failed.

    Failures are reported. With `check`, no file is written. If the user did not name the file, it is not overwritten
    when it contains another server's tools.
    """
    server = target.server
    try:
        listed = _listed(server, report, timeout, keep_going=keep_going)
        path = target.path_for(listed.info)
        written = {} if path.name == STDOUT else read_json(path)
        before = tools_on([written])
        names = {str(tool.get("name")) for tool in before}
        tools = with_ignores(listed.tools, before)
        changes = _changes(before, tools)
        source = recorded(target.source, listed.info, path)
        found = {SOURCE: source, **listed.lifetime, "tools": tools}
        current = _sorted(written) == _sorted(found)
        is_same = current and (check or written.get(SOURCE) == source)
        if path.name == STDOUT:
            click.echo(as_json(found), nl=False)
        elif not target.is_named and not current and before and len(changes["removed"]) == len(names):
            message = f"{path.as_posix()} contains other tools, so it may belong to another server"
            hint = "pass a file with -o, or delete this one"
            raise SpecError.of(server.place, "bad-server", message, hint)
        elif not check and not is_same and not report.write(path, as_json(found), "", folders=True):
            return None
    except SpecError as error:
        report.diagnose(error.diagnostics)
        return None
    report.diagnose(_named_twice(tools, server, path))
    if path.name != STDOUT:
        state = "up to date" if is_same else "written"
        if check and not current:
            state = "differs" if written else "missing"
        name = inline(target.name_for(listed.info))
        report.inform(f"{path.as_posix()}: {state} ({counted(len(tools), 'tool')} of {name})")
        for change, changed in changes.items():
            if written and changed:
                report.inform(f"  {change}: {', '.join(map(inline, limited(changed, MAX_NAMES)))}")
    return {
        "server": server.name,
        "file": path.as_posix(),
        "tools": len(tools),
        "current": current,
        **changes,
    }


def _changes(before: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the names of the tools that a server has added, removed and changed."""
    old, new = ({str(tool.get("name")): tool for tool in each} for each in (before, tools))
    changed = [name for name in old.keys() & new.keys() if _sorted(old[name]) != _sorted(new[name])]
    added, removed = new.keys() - old.keys(), old.keys() - new.keys()
    return {"added": sorted(added), "removed": sorted(removed), "changed": sorted(changed)}


def _listed(server: ServerAddress, report: Report, timeout: float, *, keep_going: bool) -> Listed:
    progress = Progress(enabled=report.format == "text" and not report.quiet)
    progress.draw(f"{inline(server.name)}: waiting for its tools")
    try:
        listed = tools_of(server, timeout, keep_going=keep_going)
    finally:
        progress.clear()
    report.diagnose(listed.problems)
    return listed


def _sorted(value: Mapping[str, Any]) -> str:
    """Return the tools in a spec file as text that is the same for any order of keys, which formatters change."""
    return json.dumps({key: value[key] for key in value if key != SOURCE}, sort_keys=True)


def _named_twice(tools: Sequence[dict[str, Any]], server: ServerAddress, path: Path) -> Iterator[Diagnostic]:
    place = Place("" if path.name == STDOUT else path.as_posix())
    for name, number in Counter(str(tool["name"]) for tool in tools).items():
        if number > 1:
            message = f"{server.name} lists {number} different tools with this name"
            yield Diagnostic(place, "duplicate-tool", message, "keep one of them", name, "warning")


def next_step(pulled: Sequence[dict[str, Any] | None]) -> str:
    """Return what the user should do next: build the package, or first add the files to the settings."""
    files = [entry["file"] for entry in pulled if entry]
    settings = read(Path.cwd())
    sources, exclude = settings.values.get("specs", ()), settings.values.get("exclude", ())
    if not sources:
        if len(files) == 1:
            return f"toolgen build {shlex.quote(files[0])}"
        return f"toolgen build {shlex.quote(Path(files[0]).parent.as_posix())} --namespace"
    known = {os.path.realpath(path) for path in files_of(sources, exclude)}
    missing = [file for file in files if os.path.realpath(file) not in known]
    if missing:
        return f"add {', '.join(missing)} to specs in {settings.file}, and run toolgen build"
    return "toolgen build"
