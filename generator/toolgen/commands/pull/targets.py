"""Decide which servers `toolgen pull` contacts, and to which spec files it writes.

They come from the command line or from spec files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from toolgen.cli.reports import Report
from toolgen.cli.settings import read
from toolgen.commands.pull.source import read_json, source_in, source_of
from toolgen.commands.servers.address import ServerAddress, as_file_name
from toolgen.commands.servers.server_names import is_generic
from toolgen.compiler.diagnostics import Place, SpecError
from toolgen.compiler.specs.load import files_of

STDOUT: Final = "-"
FOLDER: Final = "specs"
MAX_SERVER_NAME: Final = 64
"""The maximum length of a server's own name within a file name."""


@dataclass(frozen=True, slots=True)
class Target:
    """A server, the spec file for its tools, and the source that the file records."""

    server: ServerAddress
    path: Path
    source: Mapping[str, Any]
    is_named: bool = False
    """Whether the user named the file, so that it is overwritten whatever it contains."""

    def name_for(self, info: Mapping[str, Any]) -> str:
        """Return the name of the server in messages: that of the configuration, or its own, or that of its address."""
        own = str(info.get("name", ""))[:MAX_SERVER_NAME]
        if self.server.place.file or not own.strip():
            return self.server.name
        return own

    def path_for(self, info: Mapping[str, Any]) -> Path:
        """Return the path of the spec file for a server that describes itself with `info`.

        It is named after the server's own name, unless the user or a configuration names the server.
        """
        name = as_file_name(str(info.get("name", ""))[:MAX_SERVER_NAME])
        if self.is_named or self.server.place.file or self.path.exists() or is_generic(Path(name).stem):
            return self.path
        return self.path.with_name(name)


def targets_of(
    servers: Sequence[ServerAddress],
    output: str | None,
    environment: Sequence[str] = (),
    headers: Sequence[str] = (),
) -> list[Target]:
    """Return the target for each server. `environment` and `headers` are recorded in the sources.

    Raises:
        SpecError: `bad-server`: two servers would have the same file.
    """
    is_folder = output is None or len(servers) > 1 or output.endswith("/") or Path(output).is_dir()
    targets: list[Target] = []
    for server in servers:
        is_named = not is_folder or output == STDOUT
        path = Path(output or "") if is_named else Path(output or FOLDER, as_file_name(server.name))
        if path in [target.path for target in targets] and output != STDOUT:
            message = f"{server.name!r} and another server would both be written to {path.as_posix()}"
            hint = "rename one, or pull one at a time with --server and -o"
            raise SpecError.of(Place(""), "bad-server", message, hint)
        targets.append(Target(server, path, source_of(server, environment, headers), is_named))
    return targets


def renewals(report: Report) -> list[Target]:
    """Return the servers that the project's spec files record. Report files that cannot be read.

    Raises:
        click.UsageError: no spec file records a server.
    """
    settings = read(Path.cwd())
    folders = settings.values.get("specs", [str(Path(settings.file).parent / FOLDER)])
    found: list[Target] = []
    for file in map(Path, files_of(folders, settings.values.get("exclude", ()))):
        try:
            known = source_in(read_json(file), file)
        except SpecError as error:
            report.diagnose(error.diagnostics)
        else:
            found += [Target(known[1], file, known[0], is_named=True)] if known else []
    if not found and not report.failed:
        message = (
            "no spec file says where it came from: pass a URL, a command after --, or --config FILE once"
        )
        raise click.UsageError(message)
    return found
