"""Record in a spec file which server it came from, without secrets, and read this record again."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel, ValidationError

from toolgen.cli.settings import relative
from toolgen.commands.servers.address import ServerAddress, Variables, bad_server, of_command_line
from toolgen.commands.servers.client_config import of_config
from toolgen.commands.servers.messages import Json, object_of
from toolgen.compiler.diagnostics import Place, SpecError
from toolgen.compiler.input_files import read_bytes

SOURCE: Final = "x-toolgen-source"
"""The key under which a spec file records its source."""
_SECRET_NAME: Final = re.compile(r"(?i)key|token|secret|password|passwd|credential|auth|\bpat\b|\bdsn\b")
_OPTION: Final = re.compile(r"(-{0,2}([A-Za-z][\w.-]*)=)(.*)", re.DOTALL)
_LOOKS_SECRET: Final = re.compile(
    r"(?:sk|rk|pk|pat|ghp|gho|github_pat|glpat|xox[a-z]|napi|tvly|hf|npm)[-_]\S{8,}|[0-9a-fA-F]{32,}"
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|(?=\S*[a-z])(?=\S*[A-Z])(?=\S*[0-9])[\w.~+=-]{20,}"
)
"""Matches keys with the prefix of their issuer, and long random words, which are secret wherever they occur."""
_USER: Final = re.compile(r"(?<=://)[^/?#@\s]+(?=@)")


def source_of(
    server: ServerAddress, environment: Sequence[str] = (), headers: Sequence[str] = ()
) -> dict[str, Any]:
    """Describe a server as the source of a spec file. Paths stay relative to the working directory.

    A secret is recorded as `${NAME}`. `environment` and `headers` are options of the command line; their values are
    recorded only if they name a variable themselves (`Bearer ${TOKEN}`).
    """
    found: dict[str, Any] = {}
    if server.place.file:
        found |= {"config": server.place.file, "server": server.name}
    elif server.url:
        found["url"] = _public_url(server.url)
    else:
        found["command"] = _public_words(server.command)
    if server.inherits_all:
        found["inheritEnv"] = True
    for key, separator, given in (("env", "=", environment), ("headers", ":", headers)):
        if given:
            found[key] = dict(_public_pair(text, separator) for text in given)
    return found


def _public_pair(text: str, separator: str) -> tuple[str, str]:
    name, _, value = map(str.strip, text.partition(separator))
    return name, value if "${" in value else _variable(name)


def _variable(name: str) -> str:
    """Return the environment variable for a secret: `${API_KEY}` for `--api-key`."""
    word = re.sub(r"\W+", "_", name).strip("_").upper()
    return f"${{{word if word[:1].isalpha() else 'SECRET'}}}"


def _public_words(words: Sequence[str]) -> list[str]:
    found: list[str] = []
    option = ""
    for word in words:
        named = _OPTION.fullmatch(word)
        if named and _SECRET_NAME.search(named[2]):
            found.append(named[1] + _variable(named[2]))
        elif option and not word.startswith("-"):
            found.append(_variable(option))
        elif re.match(r"(?i)https?://", word):
            found.append(_public_url(word))
        else:
            found.append(_USER.sub("${CREDENTIALS}", _without_token(word)))
        option = word if word.startswith("-") and not named and _SECRET_NAME.search(word) else ""
    return found


def _without_token(word: str) -> str:
    """Return a word or a step of a path. If it looks like a token, return a variable."""
    return _variable("token") if _LOOKS_SECRET.fullmatch(word) else word


def _public_url(url: str) -> str:
    """Return a URL without its user. Variables replace the values in its query and the secrets in its path."""
    parts = urlsplit(url)
    path = "/".join(map(_without_token, parts.path.split("/")))
    names = [pair.partition("=") for pair in parts.query.split("&") if pair]
    query = "&".join(name + equals + (_variable(name) if value else "") for name, equals, value in names)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], path, query, ""))


def recorded(source: Mapping[str, Any], info: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """Return the source as it is written to a spec file.

    It has the server's own name and version, and its paths are relative to the file's folder.
    """
    own = {key: info[key] for key in ("name", "version") if isinstance(info.get(key), str)}
    found = {**own, **source}
    if "config" in source:
        found["config"] = relative(source["config"], file.parent)
    elif "command" in source:
        found["cwd"] = relative(source.get("cwd", os.curdir), file.parent)
    return found


def read_json(file: Path) -> Json:
    """Read a file that contains a JSON object.

    Return an empty object if the file cannot be read or contains any other value.
    """
    try:
        return object_of(json.loads(read_bytes(file)))
    except (OSError, ValueError, RecursionError):
        return {}


class _Source(BaseModel):
    config: str = ""
    server: str = ""
    url: str = ""
    command: list[str] = []
    cwd: str = ""
    env: dict[str, str] = {}
    headers: dict[str, str] = {}
    inheritEnv: bool = False  # noqa: N815


def source_in(value: Json, file: Path) -> tuple[dict[str, Any], ServerAddress] | None:
    """Return the source that a spec file records, and the address of its server.

    Return None if the file records no source.

    Raises:
        SpecError: `bad-server`: `pull` did not write the source, or one of its variables is not set.
    """
    written = value.get(SOURCE)
    if written is None:
        return None
    place = Place(file.as_posix()).below(SOURCE)
    try:
        source = _Source.model_validate(written)
    except ValidationError:
        raise _not_a_source(place) from None
    found = {key: written[key] for key in written if key not in ("name", "version")}
    for key in ("config", "cwd"):
        if key in found:
            found[key] = os.path.normpath(file.parent / found[key])
    variables = Variables()

    def filled(text: str) -> str:
        return variables.filled(text, place)

    env, headers = ({n: filled(v) for n, v in each.items()} for each in (source.env, source.headers))
    words = [filled(word) for word in ([source.url] if source.url else source.command)]
    variables.require_set()
    if source.config:
        (server,) = of_config(found["config"], [source.server], environment=env, headers=headers)
    elif words:
        server = replace(of_command_line(words, env, headers), cwd=found.get("cwd"))
    else:
        raise _not_a_source(place)
    return found, replace(server, inherits_all=source.inheritEnv)


def _not_a_source(place: Place) -> SpecError:
    return bad_server(place, "this is not a source that toolgen pull wrote", "pull again, with -o")
