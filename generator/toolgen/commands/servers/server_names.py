"""Find a name for a server, for messages and file names.

The name is that of the package that its command runs, or comes from its URL.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Final
from urllib.parse import urlsplit

_RUNNERS: Final = {
    "npx": "-p --package -c --call",
    "pnpm": "-C --dir --package",
    "bunx": "-p --package",
    "bun": "--cwd",
    "deno": "-c --config",
    "uvx": "--from --with --with-editable -p --python --index --index-url",
    "uv": "--directory --project --from --with --with-editable --extra -p --python --env-file --index",
    "pipx": "--spec --python --pip-args",
    "docker": "-e --env --env-file --name -v --volume --mount -p --publish --network --net -w --workdir -u --user"
    " --entrypoint --platform --pull --add-host -l --label -m --memory --cpus -h --hostname --restart --tmpfs"
    " --security-opt --cap-add --cap-drop --ulimit --device --gpus --ipc --pid --shm-size --log-driver",
    "node": "-r --require --import --loader --env-file -C",
    "tsx": "--tsconfig",
    "python": "-W -X",
}
"""Programs that run another program, each with those of its options that take the next word as their value."""
_ALIASES: Final = {"podman": "docker", "python3": "python"}
_VERBS: Final = frozenset(("run", "exec", "dlx", "x", "tool", "start"))
_FOLDERS: Final = frozenset(("--directory", "--project", "--cwd", "--dir", "-C"))
"""Options for the folder in which a program runs."""
_GENERIC: Final = frozenset(
    (
        *("index", "main", "server", "app", "cli", "run", "start", "stdio", "mcp", "__main__"),
        *("dist", "build", "src", "lib", "bin", "out", "target", "release", "debug"),
    )
)
"""Names of files and folders that many servers have."""
_URL: Final = re.compile(r"(?i)https?://[^/?#]")
_REGISTRY: Final = re.compile(r"^(?:jsr|npm):")
"""Matches the registry before a package's name, as Deno writes it."""
_SCRIPT: Final = re.compile(r"\.(?:[cm]?[jt]s|py|pyz|jar|exe)$")


def name_of_url(url: str) -> str:
    """Return a URL's host, port and path.

    Parts that may be secret are left out, and so is the usual `/mcp`.

    Raises:
        ValueError: the URL has no host, or an invalid port.
    """
    parts = urlsplit(url)
    if not parts.hostname:
        raise ValueError("no host")
    port = f":{parts.port}" if parts.port else ""
    path = parts.path.rstrip("/")
    return f"{parts.hostname}{port}{'' if path == '/mcp' else path}"


def name_of_command(words: Sequence[str]) -> str:
    """Return the package, image, module or script that a command runs; otherwise the program's name.

    For a bridge to a URL (`npx mcp-remote URL`), return the name of the URL. For a script with a common name
    (`node dist/index.js`), return the name of its folder.
    """
    program = PurePath(words[0]).stem
    runner = _ALIASES.get(program, program)
    for word in words[1:]:
        if _URL.match(word):
            with suppress(ValueError):  # such a URL is for the program to reject
                return name_of_url(word)
    if runner not in _RUNNERS:
        return _of_path(words[0], "") or program
    folder, target = "", ""
    for option, value in _read(words[1:], frozenset(_RUNNERS[runner].split())):
        if option in _FOLDERS:
            folder = value
        elif option == "" and not (value in _VERBS and not target):
            target = value
            break
    if not target or target.startswith("-"):
        return program
    if _SCRIPT.search(target) or target.startswith((".", "/")):
        return _of_path(target, folder) or program
    target = _REGISTRY.sub("", target)
    bare = target.rpartition("@")[0] if "@" in target[1:] else target
    if runner == "docker":
        bare = bare.partition(":")[0]
    if bare.startswith("@"):
        return _of_scope(bare)
    return PurePath(bare).name or program


def is_generic(name: str) -> bool:
    """Return whether a name says no more than that something is a server (`mcp-server`)."""
    return not set(re.findall("[a-z]+", name.lower())) - _GENERIC - {"my", "the", "example", "demo"}


def _of_scope(package: str) -> str:
    """Return an npm package without its scope, unless many scopes have a package with this name (`@eslint/mcp`)."""
    scope, _, name = package[1:].partition("/")
    if not name:
        return scope
    if not set(name.lower().split("-")) - _GENERIC:
        return f"{scope}-{name}"
    return name


def _read(words: Sequence[str], with_value: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield the options of a runner with their values. Other words are yielded under `""`."""
    waiting = iter(words)
    for word in waiting:
        if word in ("-m", "-c", "--call"):  # a module follows, or code
            yield "", next(waiting, "") if word == "-m" else "-"
        elif word == "--":
            continue
        elif word in with_value or word in _FOLDERS:
            yield word, next(waiting, "")
        elif word.startswith("-"):
            yield word.partition("=")[0], word.partition("=")[2]
        else:
            yield "", word


def _of_path(path: str, folder: str) -> str:
    """Return the last part of a path that is not a common name for servers."""
    whole = PurePath(os.path.abspath(os.path.join(folder, path)))
    own = _SCRIPT.sub("", whole.name)
    return next(
        (part for part in (own, *reversed(whole.parts[1:-1])) if part.lower() not in _GENERIC),
        own,
    )
