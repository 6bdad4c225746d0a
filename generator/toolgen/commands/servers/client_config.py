"""Read the servers that a client's configuration file lists.

The clients are Claude Desktop, Claude Code, Cursor, Windsurf and VS Code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from toolgen.commands.servers.address import ServerAddress, Variables, bad_server
from toolgen.compiler.diagnostics import Place, SpecError
from toolgen.compiler.input_files import read_bytes, read_named, reason_of
from toolgen.compiler.specs.formats.json_items import as_json
from toolgen.compiler.specs.formats.text import decode, parse

_SERVERS: Final = ("mcpServers", "servers")
"""The keys for the servers: VS Code uses the second, and the other clients use the first."""
_URLS: Final = ("url", "serverUrl", "httpUrl")
_FOLDERS: Final = (".vscode", ".cursor")
"""The folders inside a project in which clients keep its configuration."""
_ASKED: Final = re.compile(r"\$\{(?:input|command|prompt):([^}]*)\}")
"""Matches a placeholder for which a client asks its user."""
_SCALAR: Final = (str, int, float, type(None))
_ENV_LINE: Final = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=\s*(.*?)\s*")


def of_config(
    file: str,
    wanted: Sequence[str] = (),
    *,
    environment: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> list[ServerAddress]:
    """Return the servers that a client's configuration file lists.

    They are the servers named in `wanted`, or all that are not disabled.

    `${VAR}`, `${env:VAR}` and `${VAR:-default}` are replaced from the environment, and `${workspaceFolder}` and
    `${userHome}` as editors do it. `environment` and `headers` have priority over the file.

    Raises:
        SpecError: `no-such-file`, `bad-json`, `bad-server`.
    """
    place = Place(file)
    data = decode(read_named(file, "name a client's configuration file"), place)
    entries, below = _entries(parse(as_json(data).encode(), place), place)
    for name in wanted:
        if name not in entries:
            known = ", ".join(sorted(entries)) or "none"
            raise bad_server(place, f"there is no server {name!r}", f"its servers are: {known}")
    names = wanted or [name for name, entry in entries.items() if entry.get("disabled") is not True]
    folder = Path(file).absolute().parent
    workspace = folder.parent if folder.name in _FOLDERS else folder
    reader = _Reader(workspace, environment or {}, headers or {})
    addresses = [reader.address(name, entries[name], below.below(name)) for name in names]
    reader.variables.require_set()
    return addresses


def _entries(value: Any, place: Place) -> tuple[dict[str, dict[str, Any]], Place]:
    """Return the servers by name, and where the file contains them."""
    holders = [(value, place)]
    if isinstance(value, dict) and isinstance(value.get("mcp"), dict):
        holders.insert(0, (value["mcp"], place.below("mcp")))
    found = (
        (holder[key], at.below(key)) for holder, at in holders if isinstance(holder, dict)
        for key in _SERVERS if key in holder
    )  # fmt: skip
    servers, below = next(found, (None, place))
    if not isinstance(servers, dict) or not all(isinstance(entry, dict) for entry in servers.values()):
        hint = 'give the file {"mcpServers": {"name": {"command": "..."}}}'
        raise bad_server(below, "no servers here", hint)
    return servers, below


class _Reader:
    """Reads the entries of one file."""

    def __init__(self, workspace: Path, environment: Mapping[str, str], headers: Mapping[str, str]) -> None:
        self._given = {"env": environment, "headers": headers}
        self.variables = Variables(
            {
                "workspaceFolder": str(workspace),
                "workspaceRoot": str(workspace),
                "workspaceFolderBasename": workspace.name,
                "userHome": str(Path.home()),
            }
        )

    def address(self, name: str, entry: dict[str, Any], place: Place) -> ServerAddress:
        """Convert an entry of the file to an address.

        Raises:
            SpecError: `bad-server`.
        """
        url = next((key for key in _URLS if entry.get(key)), None)
        if url is not None and isinstance(entry[url], str):
            address = self._filled(entry[url], place.below(url))
            return ServerAddress(name, url=address, headers=self._texts(entry, "headers", place), place=place)
        command, words = entry.get("command"), entry.get("args") or []
        if (
            not isinstance(command, str)
            or not command.strip()
            or not isinstance(words, list)
            or not all(isinstance(word, str) for word in words)
        ):
            raise _wrong(place, f"{name!r} has neither a command with args nor a url")
        arguments = [self._filled(word, place.below("args", at)) for at, word in enumerate(words)]
        environment = {**self._env_file(entry, place), **self._texts(entry, "env", place)}
        return ServerAddress(
            name,
            (self._filled(command, place.below("command")), *arguments),
            environment=environment,
            cwd=self._path(entry, "cwd", place),
            place=place,
        )

    def _texts(self, entry: Mapping[str, Any], key: str, place: Place) -> dict[str, str]:
        """Return the variables or headers of an entry. A variable that is null is left out."""
        value, given, place = entry.get(key) or {}, self._given[key], place.below(key)
        if not isinstance(value, dict) or not all(isinstance(each, _SCALAR) for each in value.values()):
            raise _wrong(place, f"{key} is not an object of texts")
        own = {name: each for name, each in value.items() if each is not None and name not in given}
        texts = {name: each if isinstance(each, str) else json.dumps(each) for name, each in own.items()}
        return {**{name: self._filled(text, place.below(name)) for name, text in texts.items()}, **given}

    def _path(self, entry: Mapping[str, Any], key: str, place: Place) -> str | None:
        value = entry.get(key)
        if value is None or value == "":
            return None
        if not isinstance(value, str):
            raise _wrong(place.below(key), f"{key} is not a string")
        return self._filled(value, place.below(key))

    def _env_file(self, entry: Mapping[str, Any], place: Place) -> dict[str, str]:
        file = self._path(entry, "envFile", place)
        if file is None:
            return {}
        try:
            text = read_bytes(file).decode("utf-8-sig")
        except (OSError, ValueError) as error:
            reason = "not UTF-8" if isinstance(error, UnicodeDecodeError) else reason_of(error)
            message = f"the file {file!r} cannot be read: {reason}"
            raise bad_server(place.below("envFile"), message, "correct envFile") from None
        return dict(_variables(text))

    def _filled(self, text: str, place: Place) -> str:
        if asked := _ASKED.search(text):
            message = f"the client asks its user for {asked[0]}"
            raise bad_server(place, message, "give the variable with --env, or the header with --header")
        return self.variables.filled(text, place)


def _wrong(place: Place, message: str) -> SpecError:
    return bad_server(place, message, "correct the entry")


def _variables(text: str) -> Iterator[tuple[str, str]]:
    """Yield the variables in an environment file, which has lines of `NAME=VALUE` with quotes and comments."""
    for line in text.splitlines():
        if found := _ENV_LINE.fullmatch(line):
            name, value = found.groups()
            quote = value[:1]
            if quote in ("'", '"') and value.find(quote, 1) > 0:
                yield name, value[1 : value.find(quote, 1)]
            else:
                yield name, re.sub(r"(^|\s)#.*", "", value).strip()
