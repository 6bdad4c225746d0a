"""Whoever stops, and however: proxy and server are gone within 5 seconds, and every request gets an answer."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from helpers.proxy_client import LineClient
from helpers.support import for_each

pytestmark = pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")

SECONDS = 9.0
"""5 seconds in which proxy and server must be gone, and what a busy machine takes in addition."""
TOOLS = [{"name": "pay", "inputSchema": {"type": "object", "properties": {"amount": {"type": "integer"}}}}]
SERVER = """
import json, os, signal, subprocess, sys, time
mode, pids = sys.argv[1:]
others = [subprocess.Popen(["sleep", "300"]).pid] if mode == "child" else []
open(pids, "w").write(" ".join(map(str, [os.getpid(), *others])))
if mode == "deaf":
    time.sleep(300)
if mode == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    if mode == "noisy":
        sys.stderr.write("x" * 5_000_000)
    if method == "tools/list":
        if mode == "wide":
            print(json.dumps({"id": id, "result": {"tools": [{"name": "wide", "inputSchema": {"properties": {
                f"p{i}": {"type": "string", "minLength": 2} for i in range(16_000)}}}]}}), flush=True)
            continue
        more = ', "ttlMs": -1' + "0" * 400 if mode == "ttl" else ""
        print('{"jsonrpc": "2.0", "id": %s, "result": {"tools": %s%s}}' % (json.dumps(id), sys.argv[3:] or TOOLS, more))
    elif method == "tools/call" and mode == "exits":
        sys.exit(3)
    elif method == "tools/call" and mode == "mute":
        os.close(1)
        time.sleep(300)
    elif method == "tools/call" and mode == "closed":
        sys.stdin.close()
        os.close(0)
        time.sleep(300)
    elif id is not None and mode != "silent":
        print(json.dumps({"jsonrpc": "2.0", "id": id, "result": {"content": []}}))
    sys.stdout.flush()
if mode in ("stays", "stubborn"):
    time.sleep(300)
""".replace("sys.argv[3:] or TOOLS", repr(json.dumps(TOOLS)))


@contextmanager
def proxy(*words: str) -> Iterator[LineClient]:
    """A client of a proxy in a process of its own."""
    client = LineClient([sys.executable, "-m", "toolgen", "proxy", *words])
    try:
        yield client
    finally:
        client.process.kill()
        client.wait()


def response_to(client: LineClient, request_id: int) -> dict[str, Any]:
    while (message := client.next()).get("id") != request_id:
        pass
    return message


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def running(pids: Path) -> list[int]:
    """The processes of the server that still run."""
    return [pid for pid in map(int, pids.read_text().split()) if is_running(pid)]


@contextmanager
def piped(mode: str, pids: Path) -> Iterator[LineClient]:
    """A client of a proxy in front of a process."""
    with proxy("--", sys.executable, "-c", SERVER, mode, str(pids)) as client:
        try:
            until = time.monotonic() + 20
            while not (pids.exists() and pids.read_text()) and time.monotonic() < until:
                time.sleep(0.02)
            yield client
        finally:
            for pid in running(pids):
                os.kill(pid, signal.SIGKILL)


CALL = {"id": 1, "method": "tools/call", "params": {"name": "pay", "arguments": {"amount": 1}}}
WIDE = {"id": 1, "method": "tools/call", "params": {"name": "wide", "arguments": {"p1": 1}}}
LARGE = {"method": "notifications/x", "params": {"a": "x" * 300_000}}
"""More than a pipe takes."""
CLOSE, LARGE_LINE, COMPILING = "close", "a large line", "a large tool is compiled"


def act(client: LineClient, steps: tuple[Any, ...]) -> None:
    """Send a message or a signal, close the pipe, or wait, one after the other."""
    for step in steps:
        if step == CLOSE:
            client.process.stdin.close()  # type: ignore[union-attr]
        elif step == LARGE_LINE:
            line = b'{"method": "x", "params": [' + b",".join([b"[]"] * 8_000_000) + b"]}\n"
            Thread(target=write_until_closed, args=(client, line), daemon=True).start()
        elif step == COMPILING:
            client.send(WIDE)
            time.sleep(2)
        elif isinstance(step, dict):
            with suppress(OSError):
                client.send(step)
        else:
            client.process.send_signal(step)
        time.sleep(0.3)


def write_until_closed(client: LineClient, line: bytes) -> None:
    with suppress(OSError, ValueError):
        client.write(line)


ENDINGS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "the client closes": ("sound", (CLOSE,)),
    "the client closes, and the server stays": ("stays", (CLOSE,)),
    "the client closes, and a child of the server stays": ("child", (CLOSE,)),
    "the client closes with a call without an answer": ("silent", (CALL, CLOSE)),
    "the client closes while the server does not read": ("deaf", (LARGE, CLOSE)),
    "SIGTERM": ("sound", (signal.SIGTERM,)),
    "SIGTERM while the server does not read": ("deaf", (LARGE, signal.SIGTERM)),
    "SIGTERM, and a child of the server stays": ("child", (signal.SIGTERM,)),
    "SIGTERM while a large line is read": ("sound", (LARGE_LINE, signal.SIGTERM)),
    "SIGTERM while a large tool is compiled": ("wide", (COMPILING, signal.SIGTERM)),
    "the server exits during a call": ("exits", (CALL,)),
    "SIGHUP, and the server stays": ("stays", (signal.SIGHUP,)),
    "SIGINT, and the server stays": ("stays", (signal.SIGINT,)),
    "SIGTERM twice": ("stubborn", (signal.SIGTERM, signal.SIGTERM)),
    "SIGINT twice": ("stubborn", (signal.SIGINT, signal.SIGINT)),
    "SIGINT and SIGTERM": ("stubborn", (signal.SIGINT, signal.SIGTERM)),
    "the server closes its output, and stays": ("mute", (CALL,)),
    "the server closes its input, and stays": ("closed", (CALL, {**CALL, "id": 2})),
}


@for_each(ENDINGS)
def test_proxy_and_server_are_gone(mode: Any, steps: Any, *, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with piped(mode, pids) as client:
        act(client, steps)
        client.process.wait(SECONDS)
        until = time.monotonic() + SECONDS
        while running(pids) and time.monotonic() < until:
            time.sleep(0.05)
        assert running(pids) == []


def test_a_client_that_closes_only_the_pipe_of_responses(tmp_path: Path) -> None:
    pids, pipe = tmp_path / "pids", subprocess.PIPE
    words = [sys.executable, "-m", "toolgen", "proxy", "--", sys.executable, "-c", SERVER, "stays", str(pids)]
    process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
    try:
        process.stdout.close()  # type: ignore[union-attr]
        process.stdin.write(json.dumps(CALL).encode() + b"\n")  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]
        process.wait(20)  # it still starts
        assert running(pids) == []
    finally:
        process.kill()
        process.communicate()


def test_an_error_output_that_nobody_reads_delays_no_response(tmp_path: Path) -> None:
    with piped("noisy", tmp_path / "pids") as client:
        client.send(CALL)
        assert "result" in response_to(client, 1)


UNANSWERED: dict[str, tuple[str, tuple[Any, ...]]] = {
    "the client closes": ("silent", (CLOSE,)),
    "SIGTERM": ("silent", (signal.SIGTERM,)),
    "SIGINT": ("silent", (signal.SIGINT,)),
    "the server exits": ("exits", ()),
    "the server closes its output": ("mute", ()),
    "the server closes its input": ("closed", ({**CALL, "id": 1.5},)),
}


@for_each(UNANSWERED)
def test_requests_without_an_answer_get_an_error_at_the_end(mode: Any, steps: Any, *, tmp_path: Path) -> None:
    requests = ({"id": "r", "method": "resources/list"}, CALL)
    with piped(mode, tmp_path / "pids") as client:
        act(client, (*requests, {"method": "x"}, *steps))
        client.process.wait(SECONDS)
        client.reading.join(5)
        responses = [json.loads(line)["id"] for line in client.lines.queue]
        sent = [message["id"] for message in (*requests, *steps) if isinstance(message, dict)]
        assert sorted(responses, key=str) == sorted(sent, key=str)


@for_each(["resources/read", "prompts/get", "x\ud800"])
def test_a_server_that_lists_strange_numbers_still_gets_calls(method: str, *, tmp_path: Path) -> None:
    with piped("ttl", tmp_path / "pids") as client:
        client.send({"id": 2, "method": method, "params": {"uri": "a\ud800"}})
        client.send(CALL)
        assert {client.next()["id"] for _ in range(2)} == {1, 2}


class Web:
    """A server over HTTP that does not answer some methods, and answers others with a stream without an end."""

    def __init__(self, *unanswered: str, endless: str = "", version: str = "2025-06-18") -> None:
        silent, until = {*unanswered}, Event()
        self.release = until.set

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                message = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if message.get("method") in silent:
                    until.wait(60)
                if message.get("method") == endless:
                    self.send_response(200)
                    self.send_header("content-type", "text/event-stream")
                    self.send_header("connection", "close")
                    self.end_headers()
                    with suppress(OSError):
                        while not until.wait(0.05):
                            self.wfile.write(b'data: {"jsonrpc": "2.0", "method": "x"}\n\n')
                    return
                result = {"protocolVersion": version, "tools": TOOLS, "content": []}
                body = json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": result}).encode()
                self.send_response(200 if "id" in message else 202)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body) if "id" in message else 0))
                self.end_headers()
                if "id" in message:
                    self.wfile.write(body)

            def do_GET(self) -> None:
                self.send_response(405)
                self.send_header("content-length", "0")
                self.end_headers()

            do_DELETE = do_GET  # noqa: N815

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/mcp"

    def close(self) -> None:
        self.release()
        self.server.shutdown()


INITIALIZE = {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
INITIALIZED = {"method": "notifications/initialized"}


@pytest.fixture
def own(own_servers: None) -> None:
    pytest.importorskip("uvicorn", reason="what a proxy of a URL needs is not here")


@for_each(
    [
        ("notifications/initialized", (INITIALIZE, INITIALIZED)),
        ("initialize", (INITIALIZE,)),
        ("tools/list", (INITIALIZE, CALL)),
        ("tools/call", (INITIALIZE, CALL)),
    ]
)
def test_a_url_that_does_not_answer_ends_with_the_client(
    unanswered: str, messages: tuple[Any, ...], *, own: None
) -> None:
    with closing(Web(unanswered)) as web, proxy(web.url) as client:
        act(client, (*messages, CLOSE))
        client.process.wait(SECONDS)


def test_a_notification_without_an_answer_delays_no_call_for_long(own: None) -> None:
    with closing(Web("notifications/initialized")) as web, proxy(web.url) as client:
        act(client, (INITIALIZE, INITIALIZED, CALL))
        assert "result" in response_to(client, 1)


def test_half_of_a_surrogate_pair_gets_an_answer(own: None) -> None:
    """In a method, in an argument, and in the version that the server gives."""
    meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
    with closing(Web(version="\ud800")) as web, proxy(web.url) as client:
        for message in (
            INITIALIZE,
            {"id": 1, "method": "x\ud800", "params": meta},
            {"id": 2, "method": "resources/read", "params": {"uri": "x\ud800", **meta}},
            {"id": 3, "method": "ping"},
        ):
            client.send(message)
            response = response_to(client, message["id"])
            assert "result" in response or response["error"]["code"] == -32603
        act(client, (CLOSE,))
        client.process.wait(SECONDS)


@for_each(product(["silent", "endless"], [[signal.SIGTERM], [signal.SIGHUP], [signal.SIGTERM] * 2]))
def test_a_request_over_http_gets_an_error_at_the_end(kind: str, signals: list[int], *, own: None) -> None:
    web = Web("tools/call") if kind == "silent" else Web(endless="tools/call")
    with closing(web), proxy("--listen", "0", web.url) as client:
        port = client.next_error().rpartition(":")[2].partition("/")[0]
        body = json.dumps({"jsonrpc": "2.0", **CALL}).encode()
        head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", int(port)), 10) as connection:
            connection.sendall(head.encode() + body)
            time.sleep(2)
            act(client, tuple(signals))
            received = b"".join(iter(lambda: connection.recv(65_536), b""))
        assert received.count(b'"id":1,"error"') == 1
        assert b"HTTP/1.1 503" in received or b"text/event-stream" in received
        assert client.process.wait(SECONDS) == -signal.SIGTERM
