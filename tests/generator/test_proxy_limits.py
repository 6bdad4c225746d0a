"""The proxy keeps its memory bounded, whatever it is sent, and a killed one leaves no server behind."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import anyio
import pytest
from http_under_test import McpApp, serving
from mcp_server_under_test import COUNT
from proxy_client import LineClient

from toolgen.servers import call_filter, exchange, http_requests, http_upstream, long_lines
from toolgen.servers.backlog import Backlog
from toolgen.servers.call_checks import CallChecks
from toolgen.servers.call_filter import CallFilter
from toolgen.servers.exchange import Exchange
from toolgen.servers.http_client import HttpClient
from toolgen.servers.http_requests import BadRequest, Bodies
from toolgen.servers.http_upstream import HttpUpstream
from toolgen.servers.known_tools import KnownTools
from toolgen.servers.long_lines import LongLine, read_lines
from toolgen.servers.messages import read_line
from toolgen.servers.tool_pages import ToolPages
from toolgen.servers.watcher import IS_POSSIBLE

MOST = 500_000
RUN = f"""
from toolgen.cli import program
from toolgen.servers import long_lines, watcher
long_lines.MAX_LINE = {MOST}
watcher.EOF_SECONDS = watcher.TERM_SECONDS = 0.2
program()
"""
"""Runs toolgen with smaller limits."""
LONG = "x" * 20_000
ENDS: dict[str, tuple[str, str, Any]] = {
    "a request, its id first": (f'{{"jsonrpc":"2.0","id":7,"method":"m","params":"{LONG}"}}', "request", 7),
    "a request, its id last": (
        f'{{"method":"m","params":"{LONG}","jsonrpc":"2.0","id":"a b"}}',
        "request",
        "a b",
    ),
    "spaces": (f' {{ "id" : -7 , "params" : "{LONG}", "method" : "m" }} ', "request", -7),
    "an answer": (f'{{"jsonrpc":"2.0","id":0,"result":{{"a":"{LONG}"}}}}', "answer", 0),
    "an answer, its id last": (f'{{"result":{{"a":"{LONG}"}},"jsonrpc":"2.0","id":3}}', "answer", 3),
    "an error": (f'{{"id":3,"jsonrpc":"2.0","error":{{"message":"{LONG}"}}}}', "answer", 3),
    "a notification": (f'{{"jsonrpc":"2.0","method":"n","params":"{LONG}"}}', "", None),
    "a notification that holds an id": (f'{{"method":"n","params":{{"a":"{LONG}","id":3}}}}', "", None),
    "a text that ends like a message": (f'{{"method":"n","a":"{LONG},\\"id\\":5}}"}}', "", None),
    "a batch": (f'[{{"jsonrpc":"2.0","id":7,"method":"m","params":"{LONG}"}}]', "", None),
    "garbage": (LONG, "", None),
    "an id that JSON has not": (f'{{"id":007,"method":"m","params":"{LONG}"}}', "", None),
    "an id that is an object": (f'{{"id":{{"a":1}},"method":"m","params":"{LONG}"}}', "", None),
}


@pytest.mark.parametrize("case", ENDS)
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_the_ends_of_a_long_line_say_what_it_is(case: str, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_lines, "MAX_LINE", 10_000)
    text, kind, request_id = ENDS[case]
    stream = BytesIO(b'{"a":1}\n' + f"{text}{end}".encode() + (b"[]" if end else b""))
    first, line, *rest = read_lines(stream)
    assert first == b'{"a":1}\n'
    assert rest == ([b"[]"] if end else [])
    assert isinstance(line, LongLine)
    assert line.kind == kind
    assert max(len(line.head), len(line.tail)) <= 4_096
    refusal = json.loads(line.refusal("client"))
    assert (refusal["id"], refusal["error"]["code"]) == (request_id, -32600)


def test_a_line_as_long_as_may_be_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_lines, "MAX_LINE", 6)
    assert list(read_lines(BytesIO(b"12345\n1234\n"))) == [b"12345\n", b"1234\n"]
    first, second = read_lines(BytesIO(b"123456\n1234"))
    assert isinstance(first, LongLine)
    assert second == b"1234"


SERVER = f"""
import json, os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
def say(**message):
    print(json.dumps({{"jsonrpc": "2.0", **message}}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    match message.get("method"):
        case "tools/list":
            say(id=message["id"], result={{"tools": [{json.dumps(COUNT)}]}})
        case "long":
            print("x" * {MOST * 60}, flush=True)
            print('{{"id":%d,"result":{{"a":"%s"}}}}' % (message["id"], "x" * {MOST}), flush=True)
        case "ask":
            print('{{"id":"s","method":"sampling/createMessage","params":"%s"}}' % ("x" * {MOST}), flush=True)
            say(id=message["id"], result=json.loads(sys.stdin.readline()))
        case "ping":
            say(id=message["id"], result={{}})
time.sleep(100)
"""
PROXY = [sys.executable, "-c", RUN, "proxy", "--", sys.executable, "-c", SERVER]
SAID = "toolgen proxy: a line of the {} has more than 500,000 bytes and does not go on\n"


@contextmanager
def proxied() -> Iterator[LineClient]:
    client = LineClient(PROXY)
    try:
        yield client
    finally:
        client.process.kill()
        client.process.wait()


def most_memory(process: int) -> float:
    """MiB that a process had at most; 0 where the system does not say."""
    status = Path(f"/proc/{process}/status")
    lines = status.read_text("ascii").splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def test_long_lines_of_both_sides_are_answered_in_bounded_memory() -> None:
    with proxied() as client:
        client.write(b'{"id":4,"method":"tools/call","params":"' + b"x" * MOST * 60 + b'"}\n')
        refused = client.next()
        assert (refused["id"], refused["error"]["code"]) == (4, -32600)
        assert refused["error"]["message"] == "the message of the client has more than 500,000 bytes"
        assert client.next_error() == SAID.format("client")
        answer = client.ask("long", id=9)
        assert answer["message"] == "the message of the server has more than 500,000 bytes"
        assert [client.next_error() for _ in range(2)] == [SAID.format("server")] * 2
        asked = client.ask("ask", id=10)
        assert (asked["id"], asked["error"]["code"]) == ("s", -32600)
        client.write(b'{"id":"s","result":"' + b"x" * MOST + b'"}\n')
        assert client.ask("ping") == {}
        assert most_memory(client.process.pid) < 55


@pytest.mark.skipif(not IS_POSSIBLE, reason="there are no forks here")
def test_a_killed_proxy_leaves_no_server_that_ignores_its_end() -> None:
    with proxied() as client:
        assert client.ask("ping") == {}
        client.process.kill()
        client.wait()
        assert client.is_over  # neither the server nor the watcher holds standard error any more
        assert client.error_lines.empty()


def test_room_is_by_lines_and_by_bytes_and_one_line_always_fits() -> None:
    room = Backlog(3, 100)
    assert [room.take_if_free(size) for size in (500, 1)] == [True, False]
    assert room.is_full
    room.release(500)
    assert [room.take_if_free(size) for size in (10, 10, 10, 10)] == [True, True, True, False]
    room.release(10)
    assert [room.take_if_free(size) for size in (81, 80)] == [False, True]
    waiting = threading.Thread(target=room.take, args=(5,))
    waiting.start()
    for size in (10, 10, 80):
        room.release(size)
    waiting.join(60)
    assert not waiting.is_alive()


def test_calls_that_wait_for_a_list_go_on_where_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_filter, "MAX_HELD", 1_000)
    sent: list[bytes] = []
    passing = CallFilter(CallChecks(lambda _: None), to_server=sent.append, to_client=sent.append)
    calls = [
        json.dumps({"id": n, "method": "tools/call", "params": {"name": "count", "arguments": {}}}).encode()
        for n in range(40)
    ]
    for call in calls:
        passing.from_client(call)
    assert [line for line in sent if b"toolgen-" not in line] == calls
    assert passing.deadline is None


def test_calls_without_answers_are_forgotten_where_they_are_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exchange, "MAX_RUNNING", 1_000)
    tools = KnownTools(CallChecks(lambda _: None))
    pages = ToolPages()
    pages.add(None, {"tools": [COUNT]})
    tools.learn(pages)
    running = Exchange(tools)
    for number in range(20):
        arguments = {"limit": 1, "note": "x" * 200}
        params = {"name": "count", "arguments": arguments}
        call = {"id": number, "method": "tools/call", "params": params}
        assert running.decide(read_line(json.dumps(call).encode())).to_client == b""
    ledger = tools.checks.conversation.ledger
    for number in range(20):
        running.with_note({"id": number, "result": {"content": []}})
    assert ledger.total.executed == 3


def test_all_bodies_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_requests, "MAX_HELD", 100)
    bodies = Bodies()
    with bodies.share() as first:
        first.add(150)  # one always fits
        with pytest.raises(BadRequest) as refused, bodies.share() as second:
            second.add(1)
        assert refused.value.status == 503
    with bodies.share() as third:
        third.add(90)
    assert bodies.size == 0


LARGE: dict[str, list[bytes]] = {
    "application/json": [b'{"id":3,"result":"', *[b"x" * 50_000] * 10, b'"}'],
    "text/event-stream": [b'id: 1\ndata: {"id":3,"result":"', *[b"x" * 50_000] * 10, b'"}\n\n'],
}


@pytest.mark.parametrize("kind", LARGE)
def test_an_answer_over_http_that_is_too_long_is_an_error(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_upstream, "MAX_EVENT", 100_000)
    told: list[bytes] = []

    async def at_once() -> None:
        pass

    async def talk(url: str) -> None:
        http = HttpClient(url)
        async with anyio.create_task_group() as group:
            upstream = HttpUpstream(http, group, told.append, lambda _: None, at_once)
            await upstream.send(b'{"jsonrpc":"2.0","id":3,"method":"large"}\n')
            await anyio.sleep(0)
            await upstream.drain()
            group.cancel_scope.cancel()
        await http.close()

    app = McpApp()
    app.answers["large"] = 200, [("content-type", kind)], LARGE[kind]
    with serving(app) as address:
        anyio.run(talk, f"{address}/mcp")
    assert len(told) == 1
    error = json.loads(told[0])
    assert (error["id"], error["error"]["code"]) == (3, -32603)
    assert "the server's message has more than" in error["error"]["message"]


def test_a_long_line_in_front_of_a_url_is_answered() -> None:
    with serving(McpApp()) as address:
        client = LineClient([sys.executable, "-c", RUN, "proxy", f"{address}/mcp"])
        client.write(b'{"jsonrpc":"2.0","id":4,"method":"x","params":"' + b"x" * MOST + b'"}\n')
        assert client.next()["error"]["code"] == long_lines.TOO_LONG
        assert client.ask("ping", id=5)["isError"] is False
        assert client.end() == (0, SAID.format("client"))
