"""Run all steps for six real MCP servers (pull, lint, build, explain, proxy), and print the time of each command.

`python scripts/server_walk.py [--calls N] [--client 1|2] [SERVER...]`. The servers and the client are installed from
PyPI and npm into separate environments, in the user's cache. Commands run as users run them, each in a new process.
Then each server gets N calls alone and N through the proxy; the last columns are the medians of a call.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from environments import BIN, Environments, default_folder

CLIENT = Path(__file__).with_name("server_walk_client.py")
CLIENTS = {"1": "mcp>=1.19,<2", "2": "mcp>=2,<3"}
SECONDS = 120
COMPILED = "--compile-bytecode"
NPM = "2026.8.31"


@dataclass(frozen=True, slots=True)
class Walked:
    """A server: its package, its arguments, a tool with a payload, and a wrong payload. `{...}` is replaced."""

    package: str
    words: tuple[str, ...]
    tool: str
    right: dict[str, Any]
    wrong: dict[str, Any]
    is_npm: bool = field(default=False, kw_only=True)


SERVERS = {
    "time": Walked("mcp-server-time", (), "get_current_time", {"timezone": "UTC"}, {"timeZone": "UTC"}),
    "git": Walked(
        "mcp-server-git",
        ("--repository", "{folder}"),
        "git_branch",
        {"repo_path": "{folder}", "branch_type": "local"},
        {"repo_path": "{folder}", "branchType": "local"},
    ),
    "fetch": Walked(
        "mcp-server-fetch",
        ("--ignore-robots-txt", "--allow-private-ips"),
        "fetch",
        {"url": "{page}", "max_length": 100},
        {"url": "{page}", "max_length": "100"},
    ),
    "everything": Walked(
        "server-everything", (), "get-sum", {"a": 1, "b": 2}, {"a": "1", "b": 2}, is_npm=True
    ),
    "filesystem": Walked(
        "server-filesystem",
        ("{folder}",),
        "list_directory",
        {"path": "{folder}"},
        {"directory": "{folder}"},
        is_npm=True,
    ),
    "memory": Walked("server-memory", (), "search_nodes", {"query": "x"}, {"query": ["x"]}, is_npm=True),
}
COLUMNS = ("server", "tools", "pull", "lint", "build", "explain", "proxy", "alone", "proxied")


class Page(BaseHTTPRequestHandler):
    """A page to fetch."""

    def do_GET(self) -> None:
        """Answer with a text."""
        self.send_response(200)
        self.send_header("content-type", "text/plain")
        self.end_headers()
        self.wfile.write(b"A page.")

    def log_message(self, format: str, *args: Any) -> None:
        """Suppress the log."""


class Walk:
    """The environments, and a folder to work in."""

    def __init__(self, folder: Path, client: str, calls: int) -> None:
        self.folder = folder
        self.calls = calls
        self.environments = Environments(default_folder("server-walk"))
        self.environments.install_installer()
        made = self.environments.python(f"client-{client}", [COMPILED, CLIENTS[client]])
        self.client = str(made / BIN / "python")
        (folder / "files").mkdir()
        subprocess.run(["git", "init", "-q", str(folder / "files")], check=True)
        web = HTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=web.serve_forever, daemon=True).start()
        self.places = {"{folder}": str(folder / "files"), "{page}": f"http://127.0.0.1:{web.server_port}/"}

    def command(self, server: Walked) -> list[str]:
        """Install a server; return its command."""
        if server.is_npm:
            packages = {f"@modelcontextprotocol/{s.package}": NPM for s in SERVERS.values() if s.is_npm}
            made = self.environments.node("node", json.dumps({"dependencies": packages}))
            program = made / "node_modules" / ".bin" / f"mcp-{server.package}"
        else:
            program = (
                self.environments.python(server.package, [COMPILED, server.package]) / BIN / server.package
            )
        return [str(program), *self.filled(list(server.words))]

    def filled(self, value: Any) -> Any:
        """Return a value with the texts in braces replaced."""
        if isinstance(value, dict):
            return {key: self.filled(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self.filled(part) for part in value]
        return self.places.get(value, value)

    def row(self, name: str) -> dict[str, str]:
        """Run the steps for one server; return the cells of its row."""
        server = SERVERS[name]
        command, spec, package = self.command(server), f"{name}.json", f"{name}_tools"
        right, wrong = self.filled(server.right), self.filled(server.wrong)
        cells = {"server": name}
        cells["pull"] = self.timed((0,), "pull", "-o", spec, "--", *command)
        cells["tools"] = str(len(json.loads((self.folder / spec).read_text("utf-8"))["tools"]))
        cells["lint"] = self.timed((0, 1), "lint", spec)
        cells["build"] = self.timed((0,), "build", spec, "-o", package)
        cells["explain"] = self.timed((1,), "explain", "-s", spec, server.tool, json.dumps(wrong))
        proxy = [sys.executable, "-m", "toolgen", "proxy", "--unknown-keys", "reject", "--"]
        started = time.perf_counter()
        said = self.talk([*proxy, *command], server.tool, right, wrong, 1)
        cells["proxy"] = f"{time.perf_counter() - started:.1f} s"
        assert said["refused"], said
        assert "was not run" in said["text"], said
        assert said["failed"] == 0, said
        print(f"{name}: {said['text']}", file=sys.stderr)
        if self.calls:
            for column, words in (("alone", command), ("proxied", [*proxy, *command])):
                said = self.talk(words, server.tool, right, wrong, self.calls)
                assert said["failed"] == 0, said
                cells[column] = f"{said['median']:.2f} ms"
        return cells

    def timed(self, codes: tuple[int, ...], *words: str) -> str:
        """Run a command of toolgen; return its duration."""
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "toolgen", *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode in codes, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return f"{time.perf_counter() - started:.1f} s"

    def talk(self, words: list[str], tool: str, right: Any, wrong: Any, calls: int) -> dict[str, Any]:
        """Let the official client make a wrong call of a server, then right ones; return its report."""
        given = json.dumps({"words": words, "tool": tool, "right": right, "wrong": wrong, "calls": calls})
        done = subprocess.run(
            [self.client, str(CLIENT)],
            input=given,
            capture_output=True,
            text=True,
            timeout=3_600,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        said: dict[str, Any] = json.loads(done.stdout)
        return said


def main() -> None:
    """Run the steps for the servers and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("servers", nargs="*", metavar="SERVER", help=", ".join(SERVERS))
    parser.add_argument("--calls", type=int, default=200, metavar="N")
    parser.add_argument("--client", choices=CLIENTS, default="2")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        walk = Walk(Path(folder), given.client, given.calls)
        print(f"| {' | '.join(COLUMNS)} |\n| {' | '.join('---' for _ in COLUMNS)} |")
        for name in given.servers or SERVERS:
            cells = walk.row(name)
            print(f"| {' | '.join(cells.get(column, '') for column in COLUMNS)} |", flush=True)


if __name__ == "__main__":
    main()
