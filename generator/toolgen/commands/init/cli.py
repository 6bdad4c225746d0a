"""`toolgen init`: write the first spec and the settings of a project, depending on the files that it has."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from toolgen.cli.options import inherit_env, options
from toolgen.cli.reports import Report
from toolgen.cli.request import CheckedCommand
from toolgen.cli.settings import read_toml
from toolgen.cli.terminal import counted
from toolgen.commands.pull.cli import pull
from toolgen.commands.pull.targets import FOLDER, targets_of
from toolgen.commands.servers.address import ServerAddress, as_json, of_command_line
from toolgen.commands.servers.client_config import of_config
from toolgen.compiler.diagnostics import Place, SpecError
from toolgen.compiler.specs.load import spec_files

SETTINGS_FILE = "pyproject.toml"
CLIENT_FILES = (".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json")
"""The files in which clients keep the servers of a project: Claude Code, VS Code, Cursor."""
FIRST_SPEC = {
    "tools": [
        {
            "name": "find_order",
            "description": "Find an order by its number.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "number": {"type": "string", "description": "As printed on the invoice, e.g. A-1042."}
                },
                "required": ["number"],
                "additionalProperties": False,
            },
        }
    ]
}


@click.command("init", cls=CheckedCommand)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[URL | -- COMMAND...]")
@inherit_env
@options("output-format", "quiet")
def command(words: tuple[str, ...], report: Report, *, inherit_env: bool, **_: Any) -> int:
    """Write [tool.toolgen] to pyproject.toml, and a first spec to specs/.

    The spec is pulled from the given server, or from the servers in the project's .mcp.json, .vscode/mcp.json or
    .cursor/mcp.json. If there is no server, it is an example. Existing specs are not changed.
    """
    text = _settings_text()
    specs = _specs(words, report, inherits_all=inherit_env)
    report.stop_if_failed()
    _finish(text, specs, report)
    return 0


def _settings_text() -> str:
    """Return the text of the settings file; empty if the file does not exist.

    Raises:
        SpecError: `already-there`: the file already contains settings; `bad-settings`: the file is not TOML.
    """
    file = Path(SETTINGS_FILE)
    place = Place(SETTINGS_FILE)
    text, value = read_toml(file, place) if file.exists() else ("", {})
    tool = value.get("tool", {})
    if isinstance(tool, dict) and "toolgen" in tool:
        hint = "change the settings there, and run toolgen build"
        raise SpecError.of(place, "already-there", "[tool.toolgen] already exists", hint)
    try:
        tomllib.loads(f"{text}\n[tool.toolgen]\n")
    except ValueError:
        message, hint = "tool is not a table that others can be added to", "write it as [tool.NAME] tables"
        raise SpecError.of(place.below("tool"), "bad-settings", message, hint) from None
    return text


def _specs(words: Sequence[str], report: Report, *, inherits_all: bool) -> list[str]:
    """Return the spec files of the project. If there are none, pull or write them."""
    if not words and (found := spec_files(FOLDER)):
        report.inform(f"{FOLDER}: {counted(len(found), 'spec file')} found")
        return found
    config = next((file for file in CLIENT_FILES if Path(file).is_file()), None)
    servers: list[ServerAddress] = []
    if words:
        servers = [of_command_line(words, {}, {})]
    elif config is not None:
        servers = of_config(config)
    if servers:
        given = [replace(server, inherits_all=inherits_all) for server in servers]
        pulled = [pull(target, report) for target in targets_of(given, f"{FOLDER}/")]
        return [entry["file"] for entry in pulled if entry]
    if Path(FOLDER).is_file():
        raise SpecError.of(Place(FOLDER), "write-failed", "this is a file, not a folder", "move it elsewhere")
    file = f"{FOLDER}/example.json"
    said = "written (an example; replace it with your own spec)"
    report.write(file, as_json(FIRST_SPEC), said, folders=True)
    return [file]


def _finish(text: str, specs: Sequence[str], report: Report) -> None:
    """Write the settings and print the next steps."""
    package = "src/agent_tools" if Path("src").is_dir() else "agent_tools"
    settings: dict[str, Any] = {"specs": [FOLDER], "output": package}
    if len(specs) > 1:
        settings["namespace"] = True
    lines = ["[tool.toolgen]", *(f"{key} = {json.dumps(value)}" for key, value in settings.items())]
    end = "\r\n" if "\r\n" in text else "\n"
    if text:  # an empty line between
        text = text.removesuffix(end) + end + end
    report.write(SETTINGS_FILE, text + end.join([*lines, ""]), "[tool.toolgen] written")
    report.stop_if_failed()
    report.result = {"file": SETTINGS_FILE, "settings": settings, "specs": list(specs)}
    name = "toolsets" if "namespace" in settings else "toolset"
    report.inform("\nnext:\n  toolgen list\n  toolgen build")
    report.inform(f"  python -c 'from agent_tools import {name}; print(list({name}))'")
