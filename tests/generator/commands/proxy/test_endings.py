"""Whoever stops, and however: proxy and server are gone within 5 seconds, and every request gets an answer."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")

SECONDS = 5.0
"""The time in which proxy and server must be gone."""
SLACK = 4.0
"""What a busy machine may take in addition to start processes and to notice that they are gone."""
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


class Proxy:
    """A proxy in a process of its own, and the processes of its server."""

    def __init__(self, *words: str) -> None:
        command = [sys.executable, "-m", "toolgen", "proxy", *words]
        pipe = subprocess.PIPE
        self.process: Any = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        self.lines: list[dict[str, Any]] = []
        self.reading = Thread(target=self._read, daemon=True)
        self.reading.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.append(json.loads(line))

    def send(self, message: dict[str, Any]) -> None:
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def answer_to(self, request_id: int, seconds: float = 10) -> dict[str, Any]:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for line in [*self.lines]:
                if line.get("id") == request_id:
                    return line
            time.sleep(0.02)
        raise AssertionError(f"no answer to {request_id}: {self.lines}")

    def is_gone_after(self, seconds: float) -> bool:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        return self.process.poll() is not None


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@contextmanager
def piped(mode: str, folder: Path) -> Iterator[tuple[Proxy, Callable[[], list[int]]]]:
    """A proxy in front of a process; and a function that returns the processes of the server that still run."""
    pids = folder / "pids"
    proxy = Proxy("--", sys.executable, "-c", SERVER, mode, str(pids))
    try:
        until = time.monotonic() + 20
        while not (pids.exists() and pids.read_text()) and time.monotonic() < until:
            time.sleep(0.02)
        yield proxy, lambda: [pid for pid in map(int, pids.read_text().split()) if is_running(pid)]
    finally:
        for pid in map(int, pids.read_text().split()):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        proxy.process.kill()
        proxy.process.wait()


CALL = {"id": 1, "method": "tools/call", "params": {"name": "pay", "arguments": {"amount": 1}}}
LARGE = {"method": "notifications/x", "params": {"a": "x" * 300_000}}


def client_closes(proxy: Proxy) -> None:
    proxy.process.stdin.close()


def client_sends_much_and_closes(proxy: Proxy) -> None:
    proxy.send(LARGE)  # more than a pipe takes
    proxy.process.stdin.close()


def call_and_close(proxy: Proxy) -> None:
    proxy.send(CALL)
    time.sleep(0.3)
    proxy.process.stdin.close()


def terminate(proxy: Proxy) -> None:
    proxy.process.terminate()


def send_much_and_terminate(proxy: Proxy) -> None:
    proxy.send(LARGE)
    time.sleep(0.3)
    proxy.process.terminate()


def terminate_during_a_large_line(proxy: Proxy) -> None:
    line = b'{"method": "x", "params": [' + b",".join([b"[]"] * 8_000_000) + b"]}\n"
    Thread(target=write_until_closed, args=(proxy, line), daemon=True).start()
    time.sleep(0.5)
    proxy.process.terminate()


def write_until_closed(proxy: Proxy, line: bytes) -> None:
    with suppress(OSError, ValueError):
        proxy.process.stdin.write(line)
        proxy.process.stdin.flush()


def terminate_during_a_compilation(proxy: Proxy) -> None:
    proxy.send({"id": 1, "method": "tools/call", "params": {"name": "wide", "arguments": {"p1": 1}}})
    time.sleep(2)
    assert not proxy.lines, "the tool is too small to be compiled long"
    proxy.process.terminate()


def signal_twice(first: int, second: int) -> Callable[[Proxy], None]:
    def send(proxy: Proxy) -> None:
        proxy.process.send_signal(first)
        time.sleep(0.3)
        proxy.process.send_signal(second)

    return send


def call_until_the_input_is_closed(proxy: Proxy) -> None:
    proxy.send(CALL)
    time.sleep(0.5)
    with suppress(OSError):
        proxy.send({**CALL, "id": 2})


ENDINGS = {
    "the client closes": ("sound", client_closes),
    "the client closes, and the server stays": ("stays", client_closes),
    "the client closes, and a child of the server stays": ("child", client_closes),
    "the client closes with a call without an answer": ("silent", call_and_close),
    "the client closes while the server does not read": ("deaf", client_sends_much_and_closes),
    "SIGTERM": ("sound", terminate),
    "SIGTERM while the server does not read": ("deaf", send_much_and_terminate),
    "SIGTERM, and a child of the server stays": ("child", terminate),
    "SIGTERM while a large line is read": ("sound", terminate_during_a_large_line),
    "SIGTERM while a large tool is compiled": ("wide", terminate_during_a_compilation),
    "the server exits during a call": ("exits", lambda proxy: proxy.send(CALL)),
    "SIGHUP, and the server stays": ("stays", lambda proxy: proxy.process.send_signal(signal.SIGHUP)),
    "SIGINT, and the server stays": ("stays", lambda proxy: proxy.process.send_signal(signal.SIGINT)),
    "SIGTERM twice": ("stubborn", signal_twice(signal.SIGTERM, signal.SIGTERM)),
    "SIGINT twice": ("stubborn", signal_twice(signal.SIGINT, signal.SIGINT)),
    "SIGINT and SIGTERM": ("stubborn", signal_twice(signal.SIGINT, signal.SIGTERM)),
    "the server closes its output, and stays": ("mute", lambda proxy: proxy.send(CALL)),
    "the server closes its input, and stays": ("closed", call_until_the_input_is_closed),
}


@pytest.mark.parametrize("case", ENDINGS)
def test_proxy_and_server_are_gone(case: str, tmp_path: Path) -> None:
    mode, stop = ENDINGS[case]
    with piped(mode, tmp_path) as (proxy, left):
        stop(proxy)
        assert proxy.is_gone_after(SECONDS + SLACK), case
        until = time.monotonic() + SECONDS
        while left() and time.monotonic() < until:
            time.sleep(0.05)
        assert left() == []


def test_a_client_that_closes_only_the_pipe_of_responses(tmp_path: Path) -> None:
    pids, (reads, writes) = tmp_path / "pids", os.pipe()
    command = [
        sys.executable,
        "-m",
        "toolgen",
        "proxy",
        "--",
        sys.executable,
        "-c",
        SERVER,
        "stays",
        str(pids),
    ]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=writes, stderr=subprocess.DEVNULL)
    os.close(reads)
    os.close(writes)
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **CALL}).encode() + b"\n")
        process.stdin.flush()
        process.wait(20)  # it still starts
        assert [pid for pid in map(int, pids.read_text().split()) if is_running(pid)] == []
    finally:
        process.kill()
        process.wait()


def test_an_error_output_that_nobody_reads_delays_no_response(tmp_path: Path) -> None:
    with piped("noisy", tmp_path) as (proxy, _):
        proxy.send(CALL)
        assert "result" in proxy.answer_to(1)


UNANSWERED = {
    "the client closes": ("silent", client_closes),
    "SIGTERM": ("silent", terminate),
    "SIGINT": ("silent", lambda proxy: proxy.process.send_signal(signal.SIGINT)),
    "the server exits": ("exits", lambda proxy: None),
    "the server closes its output": ("mute", lambda proxy: None),
    "the server closes its input": ("closed", lambda proxy: None),
}


@pytest.mark.parametrize("case", UNANSWERED)
def test_requests_without_an_answer_get_an_error_at_the_end(case: str, tmp_path: Path) -> None:
    mode, stop = UNANSWERED[case]
    with piped(mode, tmp_path) as (proxy, _):
        proxy.send({"id": "r", "method": "resources/list"})
        proxy.send(CALL)
        time.sleep(1)
        if mode == "closed":
            proxy.send({**CALL, "id": 2})
        stop(proxy)
        assert proxy.is_gone_after(SECONDS + SLACK), case
        proxy.reading.join(5)
        answered = {line["id"] for line in proxy.lines}
        assert answered == ({"r", 1, 2} if mode == "closed" else {"r", 1})
        assert len(proxy.lines) == len(answered)


@pytest.mark.parametrize("method", ["resources/read", "prompts/get", "x\ud800"])
def test_a_server_that_lists_strange_numbers_still_gets_calls(method: str, tmp_path: Path) -> None:
    with piped("ttl", tmp_path) as (proxy, _):
        proxy.send({"id": 2, "method": method, "params": {"uri": "a\ud800"}})
        proxy.send(CALL)
        assert "result" in proxy.answer_to(1)
        assert "result" in proxy.answer_to(2)


class Web:
    """A server over HTTP that does not answer some methods, and answers others with a stream without an end."""

    def __init__(self, *unanswered: str, endless: str = "", version: str = "2025-06-18") -> None:
        silent, until = {*unanswered}, Event()
        self.release, self.left = until.set, Event()
        left = self.left

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
                    left.set()
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


@pytest.fixture
def own(own_servers: None) -> None:
    pytest.importorskip("uvicorn", reason="what a proxy of a URL needs is not here")


INITIALIZE = {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
SILENT = {
    "a notification": (("notifications/initialized",), [INITIALIZE, {"method": "notifications/initialized"}]),
    "initialize": (("initialize",), [INITIALIZE]),
    "the list of tools": (("tools/list",), [INITIALIZE, CALL]),
    "a call": (("tools/call",), [INITIALIZE, CALL]),
}


@pytest.mark.parametrize("case", SILENT)
def test_a_url_that_does_not_answer_ends_with_the_client(case: str, own: None) -> None:
    unanswered, messages = SILENT[case]
    web = Web(*unanswered)
    proxy = Proxy(web.url)
    try:
        for message in messages:
            proxy.send(message)
        time.sleep(1)
        proxy.process.stdin.close()
        assert proxy.is_gone_after(SECONDS + SLACK)
    finally:
        proxy.process.kill()
        proxy.process.wait()
        web.close()


def test_a_notification_without_an_answer_delays_no_call_for_long(own: None) -> None:
    web = Web("notifications/initialized")
    proxy = Proxy(web.url)
    try:
        for message in (INITIALIZE, {"method": "notifications/initialized"}, CALL):
            proxy.send(message)
        assert "result" in proxy.answer_to(1)
    finally:
        proxy.process.kill()
        proxy.process.wait()
        web.close()


META = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}


@pytest.mark.parametrize(
    "message",
    [
        {"id": 1, "method": "x\ud800", "params": META},
        {"id": 1, "method": "resources/read", "params": {"uri": "x\ud800", **META}},
        {"id": 1, "method": "ping"},
    ],
    ids=["method", "uri", "version of the server"],
)
def test_half_of_a_surrogate_pair_gets_an_answer(message: dict[str, Any], own: None) -> None:
    web = Web(version="\ud800")
    proxy = Proxy(web.url)
    try:
        proxy.send(INITIALIZE)
        proxy.answer_to(0)
        proxy.send(message)
        answer = proxy.answer_to(1)
        assert "result" in answer or answer["error"]["code"] == -32603
        proxy.process.stdin.close()
        assert proxy.is_gone_after(SECONDS + SLACK)
    finally:
        proxy.process.kill()
        proxy.process.wait()
        web.close()


@contextmanager
def listening(web: Web) -> Iterator[tuple[Any, socket.socket]]:
    """A proxy over HTTP, and a connection to it on which a call is sent."""
    command = [sys.executable, "-m", "toolgen", "proxy", "--listen", "0", web.url]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    assert process.stderr is not None
    try:
        port = process.stderr.readline().decode().rpartition(":")[2].partition("/")[0]
        body = json.dumps({"jsonrpc": "2.0", **CALL}).encode()
        with socket.create_connection(("127.0.0.1", int(port)), 10) as client:
            head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
            client.sendall(head.encode() + body)
            yield process, client
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
        web.close()


def everything_from(client: socket.socket) -> bytes:
    received = b""
    while chunk := client.recv(65_536):
        received += chunk
    return received


SIGNALS = {"SIGTERM": [signal.SIGTERM], "SIGHUP": [signal.SIGHUP], "SIGTERM twice": [signal.SIGTERM] * 2}


@pytest.mark.parametrize("case", SIGNALS)
@pytest.mark.parametrize("kind", ["silent", "endless"])
def test_a_request_over_http_gets_an_error_at_the_end(kind: str, case: str, own: None) -> None:
    web = Web("tools/call") if kind == "silent" else Web(endless="tools/call")
    with listening(web) as (process, client):
        time.sleep(2)
        for number in SIGNALS[case]:
            process.send_signal(number)
            time.sleep(0.2)
        received = everything_from(client)
        assert received.count(b'"id":1,"error"') == 1
        assert b"HTTP/1.1 503" in received or b"text/event-stream" in received
        assert process.wait(SECONDS + SLACK) == -signal.SIGTERM


def test_a_client_that_resets_within_a_stream_ends_the_request_to_the_server(own: None) -> None:
    web = Web(endless="tools/call")
    with listening(web) as (process, client):
        assert client.recv(100)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        assert web.left.wait(SECONDS)
        process.terminate()
        assert process.wait(SECONDS + SLACK) == -signal.SIGTERM
