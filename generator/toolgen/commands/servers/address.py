"""The address of an MCP server, which is a command line or a URL."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from toolgen.commands.servers.server_names import name_of_command, name_of_url
from toolgen.compiler.diagnostics import Place, SpecError
from toolgen.compiler.short_text import json_for_logs

_VARIABLE: Final = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
HEADER: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e]*")
"""Matches a header with its value (RFC 9110, section 5.5), limited to ASCII."""
_WORD: Final = re.compile(r"[^\s:&=]+")
MIN_SECRET: Final = 4
"""The minimum length of a value that is removed as a secret; shorter values occur in any text."""
if sys.platform == "win32":
    INHERITED: Final = (
        *("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE"),
        *("SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE"),
    )
else:
    INHERITED = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""The variables that a server gets unasked: those that the official client of MCP passes on (mcp 2, `client/stdio`)."""
_NOT_ASCII: Final = re.compile(r"[^\x20-\x7e\n]+")
_DEVICE: Final = re.compile(r"con|prn|aux|nul|(com|lpt)[0-9]")
"""Names that Windows reserves for devices, with any extension."""
_NOT_NAME: Final = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, eq=False)
class ServerAddress:
    """The address of one server: either a command (stdio) or a URL (streamable HTTP)."""

    name: str
    """The name of the server in messages; the name of its spec file is derived from this name."""
    command: tuple[str, ...] = ()
    url: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables of the command besides those that it inherits."""
    inherits_all: bool = False
    """Whether the command gets all variables of this process, and not only `INHERITED`."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers to send with every request."""
    cwd: str | None = None
    place: Place = field(default_factory=lambda: Place(""))
    """Where a file contains the address, for messages; empty for a command line."""

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables that are set for the command."""
        if self.inherits_all:
            return {**os.environ, **self.environment}
        kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
        # A function that a shell exports begins so, and would be run by another shell.
        kept = {name: value for name, value in kept.items() if not value.startswith("()")}
        return {**kept, **self.environment}

    def without_secrets(self, text: str) -> str:
        """Remove credentials from a text: values of headers and variables, and parts of the URL."""
        authority, _, query = self.url.partition("?")
        user = authority.rpartition("@")[0].rpartition("/")[2]
        values = [query, user, *self.headers.values(), *self.environment.values()]
        words = {word for value in values for word in (value, *_WORD.findall(value))}
        for word in sorted(words, key=len, reverse=True):
            if len(word) >= MIN_SECRET:
                text = text.replace(word, "***")
        return text


def as_file_name(name: str) -> str:
    """Convert the name of a server to the name of its spec file."""
    stem = _NOT_NAME.sub("_", name.lower()).strip("_") or "server"
    if _DEVICE.fullmatch(stem):
        return f"{stem}_server.json"
    return f"{stem}.json"


def of_command_line(
    words: Sequence[str],
    environment: Mapping[str, str],
    headers: Mapping[str, str],
    *,
    inherits_all: bool = False,
) -> ServerAddress:
    """Convert words from the command line to an address: a URL, or a command with its arguments.

    `inherits_all` passes all environment variables of this process to the command.

    Raises:
        SpecError: `bad-server`: the words are neither.
    """
    if _SCHEME.match(words[0]):
        try:
            name = name_of_url(words[0])
        except ValueError:
            name = ""
        if not name or not re.match(r"(?i)https?://[^/?#]", words[0]):
            raise bad_server(Place(""), "the URL is not one of a server", "give http://HOST or https://HOST")
        if len(words) > 1:
            raise bad_server(Place(""), "there are words after the URL", "give the URL alone")
        for header, value in headers.items():
            if not HEADER.fullmatch(f"{header}:{value}"):
                message = f"{header!r} is not a header name, or its value contains other characters than visible ASCII"
                raise bad_server(Place(""), message, "correct --header")
        return ServerAddress(name, url=words[0], headers=headers)
    if not words[0].strip():
        raise bad_server(Place(""), "the command is empty", "name a program after --")
    name = name_of_command(words)
    return ServerAddress(name, tuple(words), environment=environment, inherits_all=inherits_all)


class Variables:
    """Replaces variables in texts with their values, from `values` or from the environment."""

    def __init__(self, values: Mapping[str, str] = MappingProxyType({})) -> None:
        self._values = values
        self._unset: dict[str, Place] = {}
        """Variables that are not set, each with the first place that names it."""

    def filled(self, text: str, place: Place) -> str:
        """Replace `${VAR}`, `${env:VAR}` and `${VAR:-default}` in a text.

        Variables that are not set are remembered for `require_set`.
        """

        def value(match: re.Match[str]) -> str:
            found = self._values.get(match[1], os.environ.get(match[1], match[2]))
            if found is None:
                self._unset.setdefault(match[1], place)
                return match[0]
            return found

        return _VARIABLE.sub(value, text)

    def require_set(self) -> None:
        """Raise an error that names the variables that are not set, if there are any.

        Raises:
            SpecError: `bad-server`.
        """
        if not self._unset:
            return
        first, *others = self._unset
        if others:
            message = f"these environment variables are not set: {', '.join(self._unset)}"
            hint = "set them"
        else:
            message, hint = f"the environment variable {first} is not set", f"set {first}"
        raise bad_server(self._unset[first], message, hint)


def pairs(given: Sequence[str], separator: str, option: str) -> dict[str, str]:
    """Split options such as `--env NAME=VALUE` into names and values.

    An option with only a name takes the value of that environment variable.

    Raises:
        SpecError: `bad-server`: the option has another form, or the variable is not set.
    """
    found: dict[str, str] = {}
    variables = Variables()
    for text in given:
        name, has_value, value = text.partition(separator)
        if not name.strip() or (not has_value and name not in os.environ):
            message = (
                f"{option} {text!r} is neither NAME{separator}VALUE nor the name of a variable that is set"
            )
            raise bad_server(Place(""), message, f"write {option} 'NAME{separator}VALUE'")
        found[name.strip()] = variables.filled(value.strip(), Place("")) if has_value else os.environ[name]
    variables.require_set()
    return found


def bad_server(place: Place, message: str, hint: str) -> SpecError:
    """Create the error for an invalid address."""
    return SpecError.of(place, "bad-server", message, hint)


def as_json(value: Any) -> str:
    """Write a value as the text of a spec file. Equal values give the same text.

    The text escapes invisible characters, those that a terminal interprets, and text that GitHub runs as a command in a
    log.
    """
    text = json_for_logs(json.dumps(value, indent=2, ensure_ascii=False))
    return _NOT_ASCII.sub(_escaped, text) + "\n"


def _escaped(found: re.Match[str]) -> str:
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in found[0])
