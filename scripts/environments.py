"""Separate environments for packages that cannot be installed together: virtual environments and npm folders."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

BIN = "Scripts" if sys.platform == "win32" else "bin"
INSTALL_SECONDS = 600
NO_ANSWER = re.compile(
    r"error sending request|dns error|failed to (lookup|resolve)|name resolution|connection (refused|reset|closed)"
    r"|connect(ion)? ?(error|timeout)|timed? ?out|network is unreachable|retries exceeded|request failed after"
    r"|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN"
    r"|50[234] (bad gateway|service unavailable|gateway timeout)",
    re.IGNORECASE,
)
"""Messages of installers if a registry does not answer; the message for a missing version is different."""
NPM_OPTIONS = ("--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")


class NoAnswer(Exception):  # noqa: N818 - it is a reason to skip a test
    """A registry does not answer."""


class Failure(Exception):  # noqa: N818 - as above
    """A command failed for a reason other than a registry."""


class Environments:
    """A folder with an installer and the environments that were made with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith("PYTHON") and key not in ("VIRTUAL_ENV", "PIP_REQUIRE_VIRTUALENV")
        }

    def install_installer(self) -> None:
        """Install uv, which is faster than pip."""
        tools = self.folder / "tools"
        if not (tools / BIN / "uv").exists():
            venv.create(tools, with_pip=True, clear=True)
            self.install([str(tools / BIN / "python"), "-m", "pip", "install", "-q", "--retries", "2", "uv"])

    def python(self, name: str, arguments: Sequence[str], *made_from: str) -> Path:
        """Make a virtual environment with the installer's arguments, or find it; return its folder.

        `name` is a path in this folder. An environment is used again only if `made_from` is also the same.
        """
        folder = self.folder / name
        key = _digest("\n".join([*arguments, *made_from, sys.version]))
        if not _is_made(folder, key):
            shutil.rmtree(folder, ignore_errors=True)
            uv = str(self.folder / "tools" / BIN / "uv")
            self.install([uv, "venv", "-q", "-p", sys.executable, str(folder)])
            self.install([uv, "pip", "install", "-q", "-p", str(folder), *arguments])
            _mark_made(folder, key)
        return folder

    def node(self, name: str, package_json: str) -> Path:
        """Install the packages of a `package.json`, or find them; return the folder that contains `node_modules`.

        Raises:
            Failure: npm is not installed.
        """
        folder = self.folder / name
        key = _digest(package_json)
        if _is_made(folder, key):
            return folder
        npm = shutil.which("npm")
        if npm is None:
            raise Failure("npm is not installed")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "package.json").write_text(package_json, "utf-8")
        self.install([npm, "install", *NPM_OPTIONS], cwd=folder)
        _mark_made(folder, key)
        return folder

    def install(self, command: list[str], cwd: Path | None = None) -> None:
        """Run an installer.

        Raises:
            NoAnswer: a registry does not answer.
            Failure: it failed for another reason.
        """
        try:
            done = self.run(command, INSTALL_SECONDS, cwd)
        except subprocess.TimeoutExpired:
            raise NoAnswer(f"{Path(command[0]).name} took more than {INSTALL_SECONDS} s") from None
        if done.returncode == 0:
            return
        found = NO_ANSWER.search(done.stdout)
        if found is None:
            raise Failure(f"{' '.join(command)}\n{done.stdout}")
        raise NoAnswer(next(line.strip() for line in done.stdout.splitlines() if found[0] in line))

    def run(
        self, command: list[str], seconds: float, cwd: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command without this process's Python settings; its two outputs are joined."""
        return subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
            cwd=cwd or self.folder,
            timeout=seconds,
            env={**self.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables},
        )


def default_folder(name: str) -> Path:
    """Return a folder for environments: in the user's cache, or in the folder for temporary files."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    try:
        folder = Path(cache) / "toolgen" / name
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.gettempdir()) / f"toolgen-{name}"
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _is_made(folder: Path, key: str) -> bool:
    mark = folder / "made-from"
    return mark.is_file() and mark.read_text("utf-8") == key


def _mark_made(folder: Path, key: str) -> None:
    (folder / "made-from").write_text(key, "utf-8")
