"""Run MCP's conformance suite against servers, bare and through `toolgen proxy`, and print what differs.

    python scripts/proxy_conformance.py                               every server, both versions of the protocol
    python scripts/proxy_conformance.py --scenario tools-call-error   one scenario of them

The suite (npm, `@modelcontextprotocol/conformance`), server-everything, and Node 22 if it is missing, are installed in
the user's cache; `scripts/proxy_conformance_server.py` is a server of mcp 2.x that has what the suite looks for. A
check is lost if the bare server passes it and the server behind the proxy does not. Exits with 0 if none is lost, or
without npm or an answer of a registry, which is said; with 1 otherwise.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from environments import BIN, Environments, Failure, NoAnswer, default_folder
from proxy_soak import listening, over_a_port

SUITE: Final = "@modelcontextprotocol/conformance"
EVERYTHING: Final = "@modelcontextprotocol/server-everything"
VERSIONS: Final = {SUITE: "0.2.0-alpha.12", EVERYTHING: "2026.8.31"}
OLDEST_NODE: Final = 22
NODE: Final = "22.23.3"
"""The Node to install where there is none, or an older one."""
PYTHON_SDK: Final = "mcp==2.3.0"
SERVER: Final = Path(__file__).with_name("proxy_conformance_server.py")
SECONDS: Final = 600.0
COLUMNS: Final = ("server", "version of MCP", "checks", "passed bare", "passed through the proxy", "lost")

Check = tuple[str, str, int]
"""The scenario, the name of a check in it, and its number among those of this name."""
Passed = dict[Check, bool]


@dataclass(frozen=True, slots=True)
class Run:
    """A server, and the revision of the specification that it is held to."""

    server: str
    revision: str


RUNS: Final = (
    Run("server-everything", "2025-11-25"),
    Run("mcp 2.x", "2025-11-25"),
    Run("mcp 2.x", "2026-07-28"),
)


class Conformance:
    """The suite and the servers, installed."""

    def __init__(self, folder: Path, scenario: str | None) -> None:
        self.scenario = scenario
        environments = Environments(folder)
        environments.install_installer()
        python = environments.python("python", [PYTHON_SDK])
        packages, node = dict(VERSIONS), _node()
        if node is None:
            packages[_node_package()] = NODE
        modules = environments.node("node", json.dumps({"dependencies": packages})) / "node_modules"
        node = node or str(modules / _node_package() / "bin" / "node")
        self.suite = [node, str(modules / SUITE / "dist" / "index.js"), "server"]
        self.servers = {
            "server-everything": [node, str(modules / EVERYTHING / "dist" / "index.js"), "streamableHttp"],
            "mcp 2.x": [str(python / BIN / "python"), str(SERVER)],
        }

    def compare(self, run: Run) -> tuple[Passed, Passed]:
        """Return which checks a server passes, bare and through the proxy. Each has a new server."""
        with over_a_port(self.servers[run.server]) as url:
            bare = self.passed(url, run.revision)
        with over_a_port(self.servers[run.server]) as url, listening(url) as (port, _):
            return bare, self.passed(f"http://127.0.0.1:{port}/mcp", run.revision)

    def passed(self, url: str, revision: str) -> Passed:
        """Run the suite against a URL."""
        chosen = ["--requirements", revision]
        if self.scenario is not None:
            chosen = ["--scenario", self.scenario, "--spec-version", revision]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [*self.suite, "--url", url, "--output-dir", folder, *chosen],
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
            found = dict(_checks(Path(folder)))
        if not found:
            raise Failure(f"the suite reported nothing:\n{done.stdout}{done.stderr}")
        return found


def _checks(folder: Path) -> Iterator[tuple[Check, bool]]:
    """Yield the checks that the suite wrote: those that passed or failed; others do not apply."""
    for file in sorted(folder.glob("*/checks.json")):
        scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT[\d-]+Z$", "", file.parent.name)
        seen: Counter[str] = Counter()
        for check in json.loads(file.read_text("utf-8")):
            seen[check["id"]] += 1
            if check["status"] in ("SUCCESS", "FAILURE"):
                yield (scenario, check["id"], seen[check["id"]]), check["status"] == "SUCCESS"


def _node() -> str | None:
    """Return this machine's Node if the suite runs with it."""
    node = shutil.which("node")
    if node is None:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major = re.match(r"v(\d+)", said)
    return node if major is not None and int(major[1]) >= OLDEST_NODE else None


def _node_package() -> str:
    """Return the npm package that holds Node for this machine."""
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}
    name = platform.machine().lower()
    system = {"windows": "win"}.get(platform.system().lower(), platform.system().lower())
    return f"node-{system}-{machine.get(name, name)}"


def report(run: Run, bare: Mapping[Check, bool], proxied: Mapping[Check, bool]) -> bool:
    """Print the row of a run and the checks that differ; return whether one is lost."""
    lost = [check for check, passes in bare.items() if passes and not proxied.get(check)]
    won = [check for check, passes in proxied.items() if passes and not bare.get(check)]
    cells = [run.server, run.revision, len(bare), sum(bare.values()), sum(proxied.values()), len(lost)]
    print(f"| {' | '.join(map(str, cells))} |", flush=True)
    for word, checks in (("lost", lost), ("passed only through the proxy", won)):
        for scenario, check, _ in checks:
            print(f"{word}: {run.server}, {run.revision}: {scenario}: {check}", file=sys.stderr)
    return bool(lost)


def main() -> int:
    """Compare the runs and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scenario", help="one scenario of the suite (tools-call-error); all by default")
    parser.add_argument("--server", choices=sorted({run.server for run in RUNS}), help="all by default")
    given = parser.parse_args()
    if shutil.which("npm") is None:
        print("skipped: npm is not installed, and the suite is an npm package")
        return 0
    try:
        conformance = Conformance(default_folder("conformance"), given.scenario)
    except NoAnswer as reason:
        print(f"skipped: a registry does not answer: {reason}")
        return 0
    suite = f"{SUITE} {VERSIONS[SUITE]}, {EVERYTHING} {VERSIONS[EVERYTHING]}, {PYTHON_SDK}"
    print(f"{datetime.now(UTC):%Y-%m-%d}: {suite}\n")
    print(f"| {' | '.join(COLUMNS)} |\n| {' | '.join('---' for _ in COLUMNS)} |")
    runs = [run for run in RUNS if given.server in (None, run.server)]
    lost = [report(run, *conformance.compare(run)) for run in runs]
    return int(any(lost))


if __name__ == "__main__":
    sys.exit(main())
