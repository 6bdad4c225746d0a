"""`ServerAddress`: how to reach one MCP server; from a command line, a URL, or a client's configuration file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, Final

from toolgen.diagnostics import Diagnostic, Place, SpecError

_SERVERS: Final = ("mcpServers", "servers")
"""The key of a configuration file: Claude Desktop, Cursor and Windsurf write the first, VS Code the second."""
_VARIABLE: Final = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_PACKAGE: Final = re.compile(r"@?[A-Za-z0-9][A-Za-z0-9@/._-]*")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
HEADER: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e]*")
"""A field with its value: RFC 9110, section 5.5, without what is not ASCII."""
_NOT_NAME: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, eq=False)
class ServerAddress:
    """One server: a command (stdio) or a URL (streamable HTTP), never both."""

    name: str
    """What the server is called in messages, and what its spec file is named after."""
    command: tuple[str, ...] = ()
    url: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables of the command, beside those of this process."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers of every request."""
    cwd: str | None = None

    @property
    def file_name(self) -> str:
        """The name of its spec file."""
        return f"{_NOT_NAME.sub('_', self.name.lower()).strip('_') or 'server'}.json"


def of_command_line(
    words: Sequence[str], environment: Mapping[str, str], headers: Mapping[str, str]
) -> ServerAddress:
    """Return the address that the words of a command line name: one URL, or a command with its arguments.

    Raises:
        SpecError: `bad-server`: neither.
    """
    if _SCHEME.match(words[0]):
        _check_url(words, headers)
        host = re.sub(r"^https?://([^/:?#]*).*", r"\1", words[0], flags=re.DOTALL)
        return ServerAddress(host, url=words[0], headers=headers)
    if not words[0].strip():
        raise _error(Place(""), "the command is empty", "name a program after --")
    return ServerAddress(_name_of_command(words), tuple(words), environment=environment)


def _check_url(words: Sequence[str], headers: Mapping[str, str]) -> None:
    url = words[0]
    if not re.match(r"(?i)https?://[^/?#]", url):
        raise _error(Place(""), "the URL is not one of a server", "give http://HOST or https://HOST")
    if len(words) > 1:
        raise _error(Place(""), "there are words after the URL", "give the URL alone")
    for name, value in headers.items():
        if not HEADER.fullmatch(f"{name}:{value}"):
            message = f"{name!r} is not a header, or its value has other than visible characters of ASCII"
            raise _error(Place(""), message, "correct --header")


def _name_of_command(words: Sequence[str]) -> str:
    """Return the package that a runner is told to run (`npx -y @scope/server-x`), else the program's name."""
    named = [word for word in words[1:] if _PACKAGE.fullmatch(word)]
    program = PurePath(words[0]).stem
    is_runner = program in ("npx", "uvx", "bunx", "pnpm", "pipx", "uv", "docker", "python", "python3", "node")
    name = (
        next((word for word in named if word not in ("run", "exec", "dlx", "x")), "")
        if is_runner
        else program
    )
    return PurePath(name.rpartition("@")[0] if "@" in name[1:] else name).name or program


def of_config(file: str, wanted: Sequence[str] = ()) -> list[ServerAddress]:
    """Return the servers of a client's configuration file, all or those that are wanted, by name.

    `${VAR}`, `${env:VAR}` and `${VAR:-default}` are replaced from the environment.

    Raises:
        SpecError: `no-such-file`, `bad-json`, `bad-server`.
    """
    place = Place(file)
    entries = _entries(_read(place), place)
    for name in wanted:
        if name not in entries:
            known = ", ".join(sorted(entries)) or "none"
            raise _error(place, f"there is no server {name!r}", f"its servers are: {known}")
    return [_address(name, entries[name], place.below(name)) for name in (wanted or entries)]


def _read(place: Place) -> Any:
    from toolgen.specs.formats.text import parse

    try:
        data = Path(place.file).read_bytes()
    except OSError as error:
        hint = "name a client's configuration file"
        raise SpecError([Diagnostic(place, "no-such-file", error.strerror or str(error), hint)]) from None
    return parse(_without_comments(data), place)[0]


def _without_comments(data: bytes) -> bytes:
    """Return JSON without whole lines of comments, which VS Code allows; lines keep their numbers."""
    return re.sub(rb"(?m)^[ \t]*//[^\r\n]*", b"", data)


def _entries(value: Any, place: Place) -> dict[str, dict[str, Any]]:
    holder = value.get("mcp", value) if isinstance(value, dict) else {}
    found = next((holder[key] for key in _SERVERS if isinstance(holder, dict) and key in holder), None)
    if not isinstance(found, dict) or not all(isinstance(entry, dict) for entry in found.values()):
        raise _error(place, "no servers here", 'give the file {"mcpServers": {"name": {"command": "..."}}}')
    return found


def _address(name: str, entry: dict[str, Any], place: Place) -> ServerAddress:
    url = entry.get("url") or entry.get("serverUrl") or entry.get("httpUrl")
    command, words = entry.get("command"), entry.get("args", [])
    if isinstance(url, str):
        return ServerAddress(name, url=_filled(url, place), headers=_texts(entry, "headers", place))
    if (
        not isinstance(command, str)
        or not isinstance(words, list)
        or not all(isinstance(w, str) for w in words)
    ):
        raise _error(place, f"{name!r} has neither a command with args nor a url", "correct the entry")
    cwd = entry.get("cwd")
    filled = tuple(_filled(word, place) for word in (command, *words))
    return ServerAddress(name, filled, environment=_texts(entry, "env", place), cwd=cwd if cwd else None)


def _texts(entry: Mapping[str, Any], key: str, place: Place) -> dict[str, str]:
    value = entry.get(key) or {}
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise _error(place.below(key), f"{key} is not an object of texts", "correct the entry")
    return {name: _filled(text, place.below(key, name)) for name, text in value.items()}


def _filled(text: str, place: Place) -> str:
    def value(match: re.Match[str]) -> str:
        found = os.environ.get(match[1], match[2])
        if found is None:
            raise _error(place, f"the environment variable {match[1]} is not set", f"set {match[1]}")
        return found

    return _VARIABLE.sub(value, text)


def pairs(given: Sequence[str], separator: str, option: str) -> dict[str, str]:
    """Return the names and values of options such as `--env NAME=VALUE`; a name alone is taken from the environment.

    Raises:
        SpecError: `bad-server`: the option is not of that form, or the variable is not set.
    """
    found: dict[str, str] = {}
    for text in given:
        name, has_value, value = text.partition(separator)
        if not name.strip() or (not has_value and name not in os.environ):
            message = (
                f"{option} {text!r} is neither NAME{separator}VALUE nor the name of a variable that is set"
            )
            raise _error(Place(""), message, f"write {option} 'NAME{separator}VALUE'")
        found[name.strip()] = _filled(value.strip(), Place("")) if has_value else os.environ[name]
    return found


def _error(place: Place, message: str, hint: str) -> SpecError:
    return SpecError([Diagnostic(place, "bad-server", message, hint)])


def as_json(value: Any) -> str:
    """Return a value as the text of a spec file: readable, and the same for the same value."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
