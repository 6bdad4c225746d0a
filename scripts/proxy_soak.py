"""Make thousands of calls of real MCP servers through `toolgen proxy`, over pipes and HTTP, and print the outcomes.

`python scripts/proxy_soak.py [--calls N] [WAY...]`. One call in ten has wrong arguments, which the proxy must answer;
16 calls run at the same time. Each call's answer identifies the call. Over pipes, the lines that the client reads are
compared with those that the server wrote. The memory is that of the proxy's process, after the first tenth of the calls
and after the last. Servers are installed as in `scripts/server_walk.py`. It needs `ps`, `sh` and `tee`.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from server_walk import SERVERS, Walk, Walked

SERVER: Final = Path(__file__).with_name("proxy_soak_server.py")
PROXY: Final = (sys.executable, "-m", "toolgen", "proxy")
UNDER_WAY: Final = 16
SECONDS: Final = 60.0
WRONG_EVERY: Final = 10
COLUMNS = (
    *("way", "calls", "refused by the proxy", "lost", "of another call", "errors", "other lines"),
    *("MiB after a tenth", "MiB at the end", "calls a second"),
)
INITIALIZE: Final = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "soak", "version": "1"},
}


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls: arguments by number, the part of the answer that identifies it, and wrong arguments by number."""

    tool: str
    right: Callable[[int], dict[str, Any]]
    shown: Callable[[int], str]
    wrong: Callable[[int], dict[str, Any]]

    def is_wrong(self, number: int) -> bool:
        """Return whether the proxy must answer a call."""
        return number % WRONG_EVERY == 5

    def params(self, number: int) -> dict[str, Any]:
        """Return the parameters of a call."""
        made = self.wrong if self.is_wrong(number) else self.right
        return {"name": self.tool, "arguments": made(number)}


def _clock(number: int) -> str:
    return f"{number // 60 % 24:02}:{number % 60:02}"


ECHO = Calls(
    "echo", lambda n: {"message": f"#{n}#"}, lambda n: f"#{n}#", lambda n: {"message": n, "other": f"#{n}#"}
)
TIME = Calls(
    "convert_time",
    lambda n: {"source_timezone": "UTC", "time": _clock(n), "target_timezone": "UTC"},
    lambda n: f"T{_clock(n)}:00",
    lambda n: {"source_timezone": "UTC", "time": n, "target_timezone": "UTC"},
)
FILES = Calls("list_directory", lambda _: {"path": "{folder}"}, lambda _: ".git", lambda n: {"path": n})


@dataclass(slots=True)
class Tally:
    """The outcomes of the calls of one way."""

    refused: int = 0
    foreign: int = 0
    errors: int = 0
    other_lines: int | None = None
    """The number of the server's lines that are changed or moved behind the proxy."""
    answered: set[int] = field(default_factory=set)
    memory: list[float] = field(default_factory=list)

    def take(self, calls: Calls, number: int, message: dict[str, Any]) -> None:
        """Take the answer to a call."""
        if number in self.answered:
            self.errors += 1
        self.answered.add(number)
        result = message.get("result")
        if not isinstance(result, dict):
            self.errors += 1
            return
        text = " ".join(part.get("text", "") for part in result["content"])
        if "toolgen" in result.get("_meta", {}):
            self.refused += 1
            self.foreign += not calls.is_wrong(number)
            return
        if calls.is_wrong(number) or calls.shown(number) not in text:
            self.foreign += 1
        if result.get("isError"):
            self.errors += 1


def mebibytes(process: int) -> float:
    """Return the resident memory of a process."""
    said = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(process)], capture_output=True, text=True, check=True
    )
    return int(said.stdout) / 1024


def request(number: int, method: str, params: Any) -> dict[str, Any]:
    """Return a request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def over_pipes(command: list[str], calls: Calls, count: int) -> tuple[Tally, list[bytes]]:
    """Make the calls through a program that reads and writes lines; also return all lines that the client read."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
    assert process.stdin is not None
    assert process.stdout is not None
    lines, tally, room = process.stdout, Tally(), threading.Semaphore(UNDER_WAY)
    seen: list[bytes] = []

    def send(message: Any) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()

    def read() -> None:
        for line in lines:
            seen.append(line)
            message = json.loads(line)
            if "method" not in message and isinstance(message.get("id"), int):
                tally.take(calls, message["id"], message)
                room.release()

    send({**request(0, "initialize", INITIALIZE), "id": "first"})
    while json.loads(line := lines.readline()).get("id") != "first":
        seen.append(line)
    seen.append(line)
    send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    for number in range(count):
        if not room.acquire(timeout=SECONDS):
            break
        send(request(number, "tools/call", calls.params(number)))
        if number == count // 10:
            tally.memory.append(mebibytes(process.pid))
    for _ in range(UNDER_WAY):
        if not room.acquire(timeout=SECONDS):
            break
    tally.memory.append(mebibytes(process.pid))
    process.stdin.close()
    try:
        process.wait(SECONDS)
        reader.join(SECONDS)
    finally:
        process.kill()
    return tally, seen


def others(seen: list[bytes], written: list[bytes]) -> int:
    """Count the server's lines that the client did not read, or that it read changed or in another order."""
    read = [line for line in seen if b'"_meta":{"toolgen":' not in line]
    own = [line for line in written if b'"id":"toolgen-' not in line]
    same = sum(one == other for one, other in zip(read, own, strict=False))
    return max(len(read), len(own)) - same


class Session:
    """One client over HTTP, with its own connection, in the session that all clients share."""

    def __init__(self, port: int, path: str, session_id: str = "") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        self._path = path
        self.session_id = session_id

    def post(self, message: Any) -> dict[str, Any]:
        """Send a message; return the answer, which may be JSON or an event."""
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        if self.session_id:
            headers |= {"mcp-session-id": self.session_id, "mcp-protocol-version": "2025-11-25"}
        self._connection.request("POST", self._path, json.dumps(message), headers)
        response = self._connection.getresponse()
        self.session_id = response.getheader("mcp-session-id") or self.session_id
        body = response.read()
        for line in [body, *(line[5:] for line in body.splitlines() if line.startswith(b"data:"))]:
            with suppress(ValueError):
                found: dict[str, Any] = json.loads(line)
                if found.get("id") == message.get("id"):
                    return found
        return {}


def over_http(port: int, path: str, process: int, calls: Calls, count: int) -> Tally:
    """Make the calls to an address, with one thread for each call that runs at the same time."""
    first = Session(port, path)
    first.post({**request(0, "initialize", INITIALIZE), "id": "first"})
    first.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
    tally, lock, numbers = Tally(), threading.Lock(), itertools.count()

    def work() -> None:
        session = Session(port, path, first.session_id)
        while (number := next(numbers)) < count:
            try:
                answer = session.post(request(number, "tools/call", calls.params(number)))
            except (OSError, http.client.HTTPException):
                session = Session(port, path, first.session_id)
                continue  # it counts as lost
            with lock:
                if answer:
                    tally.take(calls, number, answer)
                if number == count // 10:
                    tally.memory.append(mebibytes(process))

    threads = [threading.Thread(target=work) for _ in range(UNDER_WAY)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tally.memory.append(mebibytes(process))
    return tally


@contextmanager
def over_a_port(command: list[str]) -> Iterator[str]:
    """Start a server at a free port, which is the last argument and the variable `PORT`; yield its URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    null = subprocess.DEVNULL
    process = subprocess.Popen(
        [*command, str(port)], env={**os.environ, "PORT": str(port)}, stdout=null, stderr=null
    )
    try:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


@contextmanager
def listening(url: str) -> Iterator[tuple[int, int]]:
    """Serve a URL through the proxy; yield the port and the process."""
    command = [*PROXY, "--listen", "0", url]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        found = re.search(r"http://127\.0\.0\.1:(\d+)", process.stderr.readline())
        assert found is not None
        yield int(found[1]), process.pid
    finally:
        process.terminate()
        process.wait()


class Soak:
    """The ways, each with a separate server."""

    def __init__(self, walk: Walk, count: int) -> None:
        self.walk = walk
        self.count = count

    def stdio(self, server: Walked, calls: Calls) -> Tally:
        """Make the calls to a server over pipes, and record its output."""
        written = self.walk.folder / "written"
        keeping = ["sh", "-c", '"$@" | tee "$0"', str(written), *self.walk.command(server)]
        filled = Calls(calls.tool, lambda n: self.walk.filled(calls.right(n)), calls.shown, calls.wrong)
        tally, seen = over_pipes([*PROXY, "--", *keeping], filled, self.count)
        tally.other_lines = others(seen, written.read_bytes().splitlines(keepends=True))
        return tally

    def everything(self) -> list[str]:
        """Return the command of server-everything over HTTP."""
        return [*self.walk.command(SERVERS["everything"]), "streamableHttp"]

    def mcp_server(self) -> list[str]:
        """Return the command of a server of the package `mcp`."""
        return [self.walk.client, str(SERVER)]

    def bridge(self, command: list[str]) -> Tally:
        """Make the calls to a server over HTTP from pipes."""
        with over_a_port(command) as url:
            return over_pipes([*PROXY, url], ECHO, self.count)[0]

    def http(self, command: list[str]) -> Tally:
        """Make the calls to a server over HTTP through a listening proxy."""
        with over_a_port(command) as url, listening(url) as (port, process):
            return over_http(port, "/mcp", process, ECHO, self.count)

    def ways(self) -> dict[str, Callable[[], Tally]]:
        """Return the ways by name."""
        everything, clock, files = SERVERS["everything"], SERVERS["time"], SERVERS["filesystem"]
        return {
            "server-everything, stdio": lambda: self.stdio(everything, ECHO),
            "server-filesystem, stdio": lambda: self.stdio(files, FILES),
            "mcp-server-time, stdio": lambda: self.stdio(clock, TIME),
            "server-everything, HTTP": lambda: self.http(self.everything()),
            "server-everything, stdio to HTTP": lambda: self.bridge(self.everything()),
            "mcp 2.x, HTTP": lambda: self.http(self.mcp_server()),
            "mcp 2.x, stdio to HTTP": lambda: self.bridge(self.mcp_server()),
        }

    def row(self, name: str, way: Callable[[], Tally]) -> list[str]:
        """Return the cells of a way."""
        started = time.perf_counter()
        tally = way()
        seconds = time.perf_counter() - started
        lost = self.count - len(tally.answered)
        numbers = [tally.refused, lost, tally.foreign, tally.errors]
        memory = [f"{mib:.1f}" for mib in tally.memory]
        cells = [name, f"{self.count:,}", *map("{:,}".format, numbers)]
        return [
            *cells,
            "" if tally.other_lines is None else str(tally.other_lines),
            *memory,
            f"{self.count / seconds:,.0f}",
        ]


def main() -> None:
    """Soak and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ways", nargs="*", metavar="WAY", help="words of a way's name; all, if none is given")
    parser.add_argument("--calls", type=int, default=10_000, metavar="N")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(Walk(Path(folder), "2", 0), given.calls)
        print(f"| {' | '.join(COLUMNS)} |\n| {' | '.join('---' for _ in COLUMNS)} |")
        for name, way in soak.ways().items():
            if not given.ways or any(word in name for word in given.ways):
                print(f"| {' | '.join(soak.row(name, way))} |", flush=True)


if __name__ == "__main__":
    main()
