"""`toolgen proxy`: what passes, what it answers itself, and how it ends, with real processes and a real client."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from io import BytesIO
from typing import Any

import pytest
from helpers.mcp_server_under_test import COUNT, TOOLS
from helpers.proxy_client import SECONDS, LineClient, PumpClient, request, talk
from helpers.support import ROOT, for_each
from mcp import StdioServerParameters

from toolgen.commands.proxy import call_filter
from toolgen.commands.proxy.call_filter import ToolList
from toolgen.commands.servers import pump
from toolgen.commands.servers.messages import Message, message_of
from toolgen.commands.servers.pump import ProcessServer, Pump

SERVER = str(ROOT / "tests" / "helpers" / "mcp_server_under_test.py")


def command(*options: str, mode: str) -> list[str]:
    return [sys.executable, "-m", "toolgen", "proxy", *options, "--", sys.executable, SERVER, mode]


@contextmanager
def proxied(*options: str, mode: str) -> Iterator[LineClient]:
    client = LineClient(command(*options, mode=mode))
    try:
        yield client
    finally:
        client.process.terminate()  # a proxy that is killed leaves a server that does not read any more
        client.process.wait()


def pumped_to(mode: str) -> closing[PumpClient]:
    """A client of the proxy's pump in this process, in front of a server in another."""
    return closing(PumpClient(partial(ProcessServer, [sys.executable, SERVER, mode])))


def text(result: Any) -> str:
    return str(result["content"][0]["text"])


def test_wrong_calls_get_a_hint_and_others_run() -> None:
    with proxied(mode="stays") as client:
        client.send({"jsonrpc": "2.0", "id": "slow", "method": "hang"})  # it stops no other message
        wrong = client.call({"limit": "5"})
        assert text(wrong) == 'count was not run. limit: change "5" to 5\nCorrected arguments: {"limit": 5}'
        facts = wrong["_meta"]["toolgen"]
        assert wrong["isError"] is True
        assert facts == {
            "kind": "invalid_parameters", "recovery": "correct", "executed": False, "fields": ["limit"],
            "edits": [{"op": "set", "path": ["limit"], "value": 5, "certain": True}],
        }  # fmt: skip
        assert "resultType" not in wrong
        assert json.loads(text(client.call({"limit": 5}))) == {"name": "count", "arguments": {"limit": 5}}
        for number in range(4):  # parallel calls of one answer are never told to give up
            assert client.call({"limit": "5"}, id=number) == wrong
        assert json.loads(text(client.call({"a": 1}, "no_such_tool")))["name"] == "no_such_tool"
        version = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
        assert client.call({}, _meta=version)["resultType"] == "complete"
        task = client.call({}, task={"ttl": 1})
        assert (task["code"], task["data"]["toolgen"]["fields"]) == (-32602, ["limit"])
        assert client.ask("ping") == {}


MESSAGES = {
    "spaces and numbers": b'{"jsonrpc":"2.0",  "id":  1.50, "method":"echo/it", "params":[1e2, 1.0, "\\u00e9"]}\n',
    "an id that is a text": b'{"jsonrpc":"2.0","id":"1","method":"echo/it"}\n',
    "a notification": b'{"jsonrpc":"2.0","method":"echo/progress","params":{"progressToken":1,"progress":0.5}}\n',
    "an answer": b'{"jsonrpc":"2.0","id":0,"result":{"action":"accept"},"method":"echo/"}\n',
    "keys that nobody knows": b'{"method":"echo/it","later":{"a":[{}]},"jsonrpc":"2.0","id":null}\n',
    "raw characters": '{"jsonrpc":"2.0","id":1,"method":"echo/it","params":{"a":"☃\u2028"}}\n'.encode(),
    "line ends of Windows": b'{"jsonrpc":"2.0","id":1,"method":"echo/it"}\r\n',
    "a megabyte": b'{"jsonrpc":"2.0","id":1,"method":"echo/it","params":"' + b"x" * 1_000_000 + b'"}\n',
    "a key twice": b'{"jsonrpc":"2.0","id":1,"method":"echo/it","a":1,"a":2}\n',
    "300 levels": b'{"jsonrpc":"2.0","id":1,"method":"echo/it","a":' + b"[" * 300 + b"]" * 300 + b"}\n",
}


def test_other_messages_pass_both_ways_byte_for_byte_and_in_order() -> None:
    with pumped_to("plain") as client:
        for line in MESSAGES.values():
            client.write(line)
        for what, line in MESSAGES.items():
            assert client.lines.get(timeout=SECONDS).rstrip() == line.rstrip(), what
        assert client.ask("resources/list")["code"] == -32601
        assert client.ask("tools/list")["tools"] == TOOLS
        assert client.end() == 0


BROKEN = {
    "no JSON": b"{not json\n",
    "no UTF-8": b'{"jsonrpc":"2.0","id":"\xff"}\n',
    "an empty line": b"\n",
    "100,000 levels": b"[" * 100_000 + b"\n",
    "a call without parameters": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}\n',
    "a call of no name": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":{},"arguments":1}}\n',
    "a call as notification": b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"count"}}\n',
    "a number": b"1\n",
    "an empty batch": b"[]\n",
    "a mixed batch": b'[1, {"id": 1}]\n',
    "a batch": b'[{"id": 1, "method": "tools/call", "params": {"name": "count"}}]\n',
    "a list at an odd cursor": b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":{}}}\n',
    "a cancellation of nothing": b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}\n',
}


class Recorded:
    """A server behind a pump in this process: what it was sent."""

    def __init__(self, _: Any, ended: Callable[[int], None]) -> None:
        self.ended = ended
        self.sent: list[bytes] = []

    def send(self, message: Message) -> None:
        self.sent.append(message.data)

    def finish(self) -> None:
        self.ended(0)

    def end(self) -> None:
        pass


def pumped(lines: list[bytes]) -> tuple[list[bytes], bytes]:
    """Return what a server that lists nothing is sent of these lines, and what the client is told."""
    reads, writes = os.pipe(), os.pipe()
    servers: list[Recorded] = []

    def connect(handle: Any, ended: Any) -> Any:
        servers.append(Recorded(handle, ended))
        return servers[0]

    streams = os.fdopen(reads[0], "rb"), os.fdopen(writes[1], "wb")
    os.write(reads[1], b"".join(lines))
    os.close(reads[1])
    assert Pump(streams, ToolList(lambda _: None), connect).run() == 0
    streams[1].close()
    with os.fdopen(writes[0], "rb") as told:
        return servers[0].sent, told.read()


def test_what_cannot_be_read_passes_unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_filter, "LIST_SECONDS", 0.2)
    lines = [line for line in BROKEN.values() if len(line) < 60_000]
    sent, told = pumped(lines)
    assert sorted(line for line in sent if b"toolgen-" not in line) == sorted(lines)
    assert [line["error"]["message"] for line in map(json.loads, told.splitlines())] == [
        "the connection ended before the response"  # the server here responds to nothing
    ]


def test_a_cancellation_does_not_overtake_its_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_filter, "LIST_SECONDS", 0.5)
    params = {"name": "count", "arguments": {"limit": 1, "note": "x" * 300}}
    lines = [
        line
        for number in range(20)
        for line in (
            json.dumps({"id": number, "method": "tools/call", "params": params}).encode() + b"\n",
            b'{"method":"notifications/cancelled","params":{"requestId":%d}}\n' % number,
        )
    ]
    sent, _ = pumped(lines)
    assert [line for line in sent if b"toolgen-" not in line] == lines


def test_two_calls_of_one_id_are_both_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_filter, "LIST_SECONDS", 0.2)
    call = message_of({"id": 1, "method": "tools/call", "params": {"name": "count", "arguments": {}}}).data
    sent, _ = pumped([call] * 2)
    assert [line for line in sent if b"tools/call" in line] == [call] * 2


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_signal_waits_for_no_client_that_does_not_read() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen(command(mode="plain"), stdin=pipe, stdout=pipe, bufsize=0) as process:
        for _ in range(2):
            process.stdin.write(MESSAGES["a megabyte"])
        process.stdout.read(1)  # the first answer fills the pipe
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(SECONDS) == 128 + signal.SIGTERM
        assert time.monotonic() - started < 4


def test_a_list_that_changed_is_read_again() -> None:
    with pumped_to("changes") as client:
        assert client.ask("tools/list")["tools"][0]["name"] == "count"
        client.send(request("tools/call", {"name": "count", "arguments": {"limit": 1}}))
        assert client.next()["method"] == "notifications/tools/list_changed"
        assert client.next()["id"] == 1
        assert 'add the key "note"' in text(client.call({"limit": 1}, id=2))


def test_a_server_without_a_list_gets_its_calls_unchecked() -> None:
    with pumped_to("no tools method") as client:
        assert client.call({"limit": "5"})["code"] == -32601
        assert client.call({"limit": "5"})["code"] == -32601


def test_the_exit_of_the_server_ends_the_proxy_with_its_code() -> None:
    with proxied(mode="exits at call") as client:
        client.send(request("tools/call", {"name": "count", "arguments": {"limit": 1}}))
        assert client.wait() == (3, "toolgen proxy: the server exited with code 3\n")
    with proxied(mode="exits") as client:
        code, errors = client.wait()
        assert code == 3
        assert errors.splitlines() == [
            "the database is locked",
            "toolgen proxy: the server exited with code 3",
        ]
    with proxied(mode="plain") as client:
        client.ask("tools/list")
        client.process.terminate()
        assert client.wait() == (143, ""), "the proxy was asked to end"


COUNTING: dict[Any, Message] = {
    limit: message_of(request("tools/call", {"name": "count", "arguments": {"limit": limit}}))
    for limit in (5, "5")
}


def listed(name: Any, cursor: Any = None) -> dict[str, Any]:
    return {"tools": [{"name": name}], **({} if cursor is None else {"nextCursor": cursor})}


PAGES: dict[str, tuple[list[Any], list[str | None], list[str]]] = {
    "two pages": ([listed("a", "1"), listed("b")], [None, "1"], ["a", "b"]),
    "a cursor that leads back": ([listed("a", "1")] * 3, [None, "1"], ["a", "a"]),
    "a change meanwhile": ([listed("a", "1"), "changed", listed("b")], [None, "1", None], ["b"]),
    "a page that is not given": ([listed("a", "1"), None], [None, "1"], []),
}


@for_each(PAGES)
def test_a_list_is_read_page_by_page(
    pages: Any, cursors: Any, names: Any, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = ToolList(lambda _: None)
    learnt: list[Any] = []
    take = tools.take
    monkeypatch.setattr(tools, "take", lambda pages, *more: (learnt.extend(pages), take(pages, *more)))
    asked: list[str | None] = []

    async def page(cursor: str | None) -> Any:
        asked.append(cursor)
        found = pages[len(asked) - 1]
        if found != "changed":
            return found
        tools.passed(message_of({"method": "notifications/tools/list_changed"}))
        return listed("old")

    asyncio.run(tools.read(page))
    assert (asked, [page["tools"][0]["name"] for page in learnt]) == (cursors, names)
    asyncio.run(tools.decide(COUNTING[5], page))
    assert asked == cursors, "it is not read again at once"


def test_an_old_list_is_read_again_before_a_call_is_refused() -> None:
    asked: list[str | None] = []

    async def page(cursor: str | None) -> None:
        asked.append(cursor)

    for limit, cursors in ((5, []), ("5", [None])):
        tools = ToolList(lambda _: None)
        tools.take([{"tools": [COUNT], "ttlMs": 0}])
        time.sleep(0.001)
        asyncio.run(tools.decide(COUNTING[limit], page))
        assert asked == cursors


def test_a_tool_that_is_listed_twice_is_not_checked() -> None:
    tools = ToolList(lambda _: None)
    tools.take([{"tools": [COUNT, {**COUNT, "inputSchema": {"type": "object"}}]}])
    assert tools.check({"name": "count", "arguments": {}}) is None
    tools.take([{"tools": [COUNT]}])
    assert tools.check({"name": "count", "arguments": {}}) is not None


@for_each([(b"12345\n1234", [b"12345\n", b"1234\n"]), (b"1\n1234567\n", [b"1\n", b""])])
def test_a_line_that_is_too_long_is_the_last(
    sent: bytes, lines: list[bytes], *, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pump, "MAX_LINE", 6)
    assert [*pump.lines_of(BytesIO(sent))] == lines


REAL_SERVER = "from helpers.proxy_client import notes; notes().run()"


@for_each(["auto", "legacy"])
def test_the_official_client_and_server_talk_through_it(mode: str) -> None:
    words = ["-m", "toolgen", "proxy", "--", sys.executable, "-c", REAL_SERVER]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    talk(StdioServerParameters(command=sys.executable, args=words, env=environment), mode)


@for_each([300, pytest.param(10_000, marks=pytest.mark.long)])
def test_every_call_of_many_gets_its_own_answer(calls: int) -> None:
    def send(client: PumpClient) -> None:
        for number in range(1, calls + 1):
            arguments = {"limit": number if number % 3 else "x"}
            client.send(request("tools/call", {"name": "count", "arguments": arguments}, number))

    with pumped_to("stays") as client:
        sender = threading.Thread(target=send, args=(client,))
        sender.start()
        for _ in range(calls):
            answer = client.next()
            number, result = answer["id"], answer["result"]
            assert result["isError"] is (number % 3 == 0)
            assert result["isError"] or json.loads(text(result))["arguments"] == {"limit": number}
        sender.join()
        assert client.lines.empty()
