"""Memory, processes, threads and open files of `toolgen proxy` after many sessions.

    python benchmarks/speed/sessions.py [SESSIONS] [http|pipes]

Over HTTP one proxy serves all sessions; over standard input and output each session has its own proxy and server:
half of these sessions follow each other, the others run eight at a time. Needs /proc.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

SESSIONS: Final = 1_000
_PROXY: Final = [sys.executable, "-m", "toolgen", "proxy"]
_AMOUNT: Final = {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]}
_TOOLS: Final = [{"name": f"pay_{number}", "inputSchema": _AMOUNT} for number in range(20)]
_SERVER: Final = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    result = {"tools": TOOLS, "content": [], "protocolVersion": "2025-06-18"}
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
""".replace("TOOLS", repr(_TOOLS))
_OPENING: Final = ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})
_CALLS: Final = [
    ("tools/call", {"name": "pay_1", "arguments": {"amount": amount}}) for amount in (1, "much", "1,000")
]


class _Web(BaseHTTPRequestHandler):
    """A server that begins a new session at each `initialize`."""

    protocol_version = "HTTP/1.1"
    wbufsize = 65_536  # headers and body in one packet
    sessions = 0

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        result = {"tools": _TOOLS, "content": [], "protocolVersion": "2025-06-18"}
        body = json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": result}).encode()
        self.send_response(200)
        if message["method"] == "initialize":
            _Web.sessions += 1
            self.send_header("mcp-session-id", f"session-{_Web.sessions}")
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_DELETE(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def state_of(pid: int) -> str:
    """Return what a process holds, in words."""
    status = Path(f"/proc/{pid}/status").read_text()
    files = len(os.listdir(f"/proc/{pid}/fd"))
    memory = int(status.partition("VmRSS:")[2].split()[0]) / 1024
    threads = status.partition("Threads:")[2].split()[0]
    return f"{memory:.0f} MB, {threads} threads, {files} open files, {len(children_of(pid))} child processes"


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started and that still run."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == pid and state != "Z":
                found.append(int(stat.parent.name))
    return found


@contextlib.contextmanager
def listening() -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Give a proxy in front of a server over HTTP, and its URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Web)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/mcp"
    proxy = subprocess.Popen([*_PROXY, "--listen", "0", url], stderr=subprocess.PIPE)
    try:
        assert proxy.stderr is not None
        yield proxy, proxy.stderr.readline().decode().split()[-1]
    finally:
        proxy.terminate()
        proxy.wait()
        server.shutdown()


def over_http(url: str) -> None:
    """Run one session."""
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    for id, (method, params) in enumerate([_OPENING, *_CALLS]):
        body = json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode()
        with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as response:
            headers.setdefault("mcp-session-id", response.headers.get("mcp-session-id", ""))
            assert json.loads(response.read())["id"] == id
    urllib.request.urlopen(urllib.request.Request(url, headers=headers, method="DELETE")).close()


def over_pipes(_: int) -> tuple[int, int]:
    """Run one session, whose proxy must have exited at its end; return the proxy's threads and its peak of KiB."""
    proxy = subprocess.Popen(
        [*_PROXY, "--", sys.executable, "-S", "-c", _SERVER],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert proxy.stdin is not None
    assert proxy.stdout is not None
    for id, (method, params) in enumerate([_OPENING, *_CALLS]):
        proxy.stdin.write(
            json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n"
        )
        proxy.stdin.flush()
        assert json.loads(proxy.stdout.readline())["id"] == id
    status = Path(f"/proc/{proxy.pid}/status").read_text()
    proxy.stdin.close()
    assert proxy.wait(20) == 0
    proxy.stdout.close()
    threads, peak = (int(status.partition(name)[2].split()[0]) for name in ("Threads:", "VmHWM:"))
    return threads, peak


def servers_left() -> int:
    """Return the number of servers of these sessions that still run, whoever their parent is."""
    mark, left = _SERVER.encode(), 0
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            left += mark in line.read_bytes()
    return left


def run_http(sessions: int) -> None:
    """Print what is held after a tenth, half, all and twice the sessions."""
    with listening() as (proxy, url):
        done = 0
        for until in (1, sessions // 10, sessions // 2, sessions, 2 * sessions):
            for _ in range(until - done):
                over_http(url)
            done = until
            time.sleep(5)  # connections that are idle are closed after 4 seconds
            print(f"HTTP, {done} sessions: {state_of(proxy.pid)}", flush=True)


def run_pipes(sessions: int) -> None:
    """Print what is left after the sessions, and what the first and the last proxies held."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder
        held = [over_pipes(0)]
        print(f"pipes, 1 session: this process {state_of(os.getpid())}", flush=True)
        for workers, until in ((1, sessions // 2), (8, sessions)):
            with ThreadPoolExecutor(workers) as pool:
                held += pool.map(over_pipes, range(until - len(held)))
            time.sleep(1)
            print(f"pipes, {until} sessions: this process {state_of(os.getpid())}", flush=True)
            print(f"  {servers_left()} servers and {len(os.listdir(folder))} temporary files are left")
        tenth = max(1, sessions // 10)
        for name, some in (("first", held[:tenth]), ("last", held[-tenth:])):
            threads, peak = (max(each) for each in zip(*some, strict=True))
            print(
                f"  the {name} {tenth} proxies held at most {peak / 1024:.0f} MB and {threads} threads each"
            )


def main(sessions: int, ways: list[str]) -> None:
    """Run the sessions in each way."""
    if "http" in ways:
        run_http(sessions)
    if "pipes" in ways:
        run_pipes(sessions)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS, sys.argv[2:] or ["http", "pipes"])
