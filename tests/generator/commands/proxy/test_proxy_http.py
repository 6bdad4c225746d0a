"""`toolgen proxy --listen`: what passes over HTTP, what it answers itself, and what it does not take."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import anyio
import httpx2
import pytest
from helpers.http_under_test import COUNT, McpApp, WithLifespan, serving
from helpers.proxy_client import notes, talk
from helpers.support import for_each, obj

from toolgen.commands.proxy import reverse_proxy
from toolgen.commands.proxy.call_filter import ToolList
from toolgen.commands.proxy.reverse_proxy import ReverseProxy
from toolgen.commands.servers import http_client
from toolgen.commands.servers.http_client import HttpClient, parts_of

ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
SESSION = {"mcp-session-id": "s", "mcp-protocol-version": "2025-11-25"}
RESUMED = {**SESSION, "accept": "text/event-stream", "last-event-id": "5/7"}
MODERN = {**ACCEPT, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "count"}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}


class Proxied:
    """A client of a proxy in front of an application."""

    def __init__(self, address: str) -> None:
        self.url = f"{address}/mcp"
        self.http = httpx2.Client(timeout=30, verify=False)

    def post(self, message: Any, **headers: str) -> httpx2.Response:
        content = message if isinstance(message, bytes) else json.dumps(message).encode()
        sent = ACCEPT | {name.replace("_", "-"): value for name, value in headers.items()}
        return self.http.post(self.url, content=content, headers=sent)

    def call(self, arguments: Any, *, id: Any = 1, headers: Any = None, **more: Any) -> Any:
        text = self.post(call(arguments, id=id, **more), **(headers or {})).text
        return json.loads(text.partition("data: ")[2] or text)


def call(arguments: Any, *, id: Any = 1, **more: Any) -> dict[str, Any]:
    params = {"name": "count", "arguments": arguments, **more}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def relay_to(url: str, headers: Any = None, **options: Any) -> ReverseProxy:
    return ReverseProxy(
        HttpClient(url, headers or {}), lambda: ToolList(lambda _: None, absent="empty", **options)
    )


@contextmanager
def proxied(app: Any, *, headers: Any = None, **options: Any) -> Iterator[Proxied]:
    with serving(app) as server, serving(relay_to(f"{server}/mcp", headers, **options)) as address:
        client = Proxied(address)
        with client.http:
            yield client


def text(answer: Any) -> str:
    return str(answer["result"]["content"][0]["text"])


@for_each(product(["", "s-1"], [False, True]))
def test_a_wrong_call_gets_the_hint_and_the_next_one_runs(session: str, events: bool) -> None:
    app = McpApp(events=events, session=session)
    with proxied(app) as client:
        begun = client.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}})
        assert begun.headers.get("mcp-session-id", "") == session
        headers = {"mcp_session_id": session} if session else {}
        wrong = client.call({"limit": "5"}, headers=headers)
        assert text(wrong) == 'count was not run. limit: change "5" to 5\nCorrected arguments: {"limit": 5}'
        assert (wrong["id"], wrong["result"]["isError"], app.calls) == (1, True, [])
        right = client.call({"limit": 5}, id="x", headers=headers)
        assert (right["id"], json.loads(text(right))["arguments"]) == ("x", {"limit": 5})
        (listed,) = [dict(headers) for _, _, headers, body in app.seen if b"tools/list" in body]
        assert listed.get("mcp-session-id", "") == session


PASSING: dict[str, tuple[str, str, dict[str, str], bytes]] = {
    "a notification": ("POST", "", ACCEPT, b'{"jsonrpc":"2.0",  "method":"notifications/x"}'),
    "spaces and numbers": ("POST", "", ACCEPT, b'{"id": 1.50, "method":"x", "params":[1e2,"\\u00e9"] }\r\n'),
    "a call of another tool": ("POST", "", ACCEPT, b'{"id":1,"method":"tools/call","params":{"name":"n"}}'),
    "no JSON": ("POST", "", ACCEPT, b"{not json"),
    "no UTF-8": ("POST", "", ACCEPT, b'{"id":"\xff"}'),
    "100,000 levels": ("POST", "", ACCEPT, b"[" * 100_000),
    "a key twice": ("POST", "", ACCEPT, b'{"id":1,"method":"tools/call","method":"tools/call"}'),
    "a megabyte": ("POST", "", ACCEPT, b'{"id":1,"method":"x","params":"' + b"x" * 1_000_000 + b'"}'),
    "a resumed stream": ("GET", "", RESUMED, b""),
    "the end of a session": ("DELETE", "", SESSION, b""),
    "an unknown header": ("POST", "", {**MODERN, "mcp-method": "x", "x-later": "\u00e9"}, b'{"id":1,"method":"x"}'),
}  # fmt: skip
PROXIES_OWN = {"host", "accept-encoding", "connection", "content-length", "user-agent", "accept"}


@for_each(PASSING)
def test_requests_pass_with_their_headers_and_bytes(method: Any, query: Any, headers: Any, body: Any) -> None:
    app = McpApp()
    with proxied(app, headers={"Authorization": "Bearer t"}) as client:
        raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        client.http.request(method, client.url + query, headers=raw, content=body)
    got_method, target, got, got_body = app.seen[-1]
    assert (got_method, target, got_body) == (method, f"/mcp{query}", body)
    assert dict(got)["authorization"] == "Bearer t"
    kept = {name: value for name, value in got if name not in {*PROXIES_OWN, "authorization"}}
    assert kept == {name: value for name, value in headers.items() if name not in PROXIES_OWN}


def error(code: int) -> bytes:
    return b'{"jsonrpc":"2.0","id":1,  "error":{"code":%d,"message":"m"}}' % code


JSON_TYPE = ("content-type", "application/json")
EVENTS = [
    b"\xef\xbb\xbf: hello\n\n",
    b"id: 1\nretry: 5\ndata:\n\n",
    b'data: {"id":2,\r\ndata: "method":"x"}\r\n\r\n',
    b"event: ping\n",
    b"data: x\n\n",
    b'data:{"id":1,"result":{}}\r\r',
    b"data: cut o",
]
WHOLE_EVENTS = b"".join(EVENTS[:-1])
"""All but the one that is not complete."""
ANSWERS: dict[str, tuple[int, list[tuple[str, str]], list[bytes]]] = {
    "JSON with spaces": (200, [JSON_TYPE], [b'{"id":1,  "result":{"a":1.50}}\r\n']),
    "a mismatch of headers": (400, [JSON_TYPE], [error(-32020)]),
    "no such session": (404, [("x-why", "gone")], [b"no"]),
    "nothing": (202, [("content-length", "0")], []),
    "packed": (200, [JSON_TYPE, ("content-encoding", "gzip")], [gzip.compress(b'{"id":1,"result":{}}')]),
    "two cookies": (200, [("set-cookie", "a=1"), ("set-cookie", "b=2"), ("content-type", "text/plain")], [b"a", b"b"]),
    "events": (200, [("content-type", "text/event-stream; charset=utf-8")], EVENTS),
}  # fmt: skip


@pytest.mark.parametrize("case", ANSWERS)
def test_responses_pass_with_their_headers_and_bytes(case: str) -> None:
    status, headers, chunks = ANSWERS[case]
    sent = {"events": WHOLE_EVENTS, "packed": gzip.decompress(ANSWERS["packed"][2][0])}.get(
        case, b"".join(chunks)
    )
    app = McpApp()
    app.answers["x"] = ANSWERS[case]
    with proxied(app) as client, client.http.stream("POST", client.url, json={"id": 1, "method": "x"}) as got:
        body = b"".join(got.iter_raw())
    assert (got.status_code, body) == (status, sent)
    raw = [(name.decode().lower(), value.decode()) for name, value in got.headers.raw]
    own = ("content-length", "content-encoding", "transfer-encoding", "connection")
    assert [pair for pair in raw if pair[0] not in own] == [pair for pair in headers if pair[0] not in own]


def test_events_come_when_they_are_sent_and_a_client_that_leaves_ends_the_stream() -> None:
    app = McpApp()
    first = b'data: {"method":"notifications/progress"}\n\n'
    app.answers["GET"] = 200, [("content-type", "text/event-stream")], [first, b"", b"data: never\n\n"]
    with proxied(app) as client:
        with client.http.stream("GET", client.url) as got:
            assert next(got.iter_raw()) == first
        assert app.gone.wait(10)


def test_a_cancellation_does_not_overtake_a_call_that_waits_for_the_tools() -> None:
    app = McpApp()
    app.answers["tools/list"] = 200, [JSON_TYPE], [b"", b"{}"]
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    with proxied(app) as client:
        sending = [
            threading.Thread(target=client.post, args=(message,), kwargs={"mcp_session_id": "s"})
            for message in (call({"limit": 1}), cancelled)
        ]
        for thread in sending:
            thread.start()
            while not app.seen:
                time.sleep(0.01)
        time.sleep(0.1)
        assert len(app.seen) == 1
        app.gate.set()
        for thread in sending:
            thread.join(10)
    assert b"tools/call" in app.seen[1][3]


def test_clients_with_other_credentials_have_other_tools() -> None:
    class Scoped(McpApp):
        def _response(self, message: Any, method: str) -> Any:
            self.tools = [COUNT] if self.headers().get("authorization") == "a" else []
            return super()._response(message, method)

    with proxied(Scoped()) as client:
        for who, wrong in (("a", True), ("b", False), ("a", True)):
            assert client.call({}, headers={"authorization": who})["result"]["isError"] is wrong


# -- what is not taken --------------------------------------------------------------------------------------


OTHERS = (
    *(
        "evil.test",
        "127.0.0.1.evil.test",
        "evil.test@127.0.0.1",
        "127.0.0.1@evil.test",
        "127.0.0.1/evil.test",
    ),
    *("127.0.0.1:x", "127.0.0.1, evil.test", "localhost.", "0.0.0.0", "[::1", "[::]", ""),
)
OWN = ("localhost", "LocalHost:1", "127.0.0.1:65535", "127.9.9.9", "[::1]:80")


def test_requests_of_other_sites_are_refused() -> None:
    app = McpApp()
    foreign = [("origin", "https://evil.test"), ("origin", "http://localhost")]
    refused = [foreign, foreign[::-1], [("origin", "null")], [("origin", "x-extension://localhost")]]
    refused += [[pair] for host in OTHERS for pair in (("host", host), ("origin", f"http://{host}"))]
    taken = [[pair] for host in OWN for pair in (("host", host), ("origin", f"https://{host}"))]
    with proxied(app) as client:

        def status(headers: Any) -> int:
            return client.http.post(client.url, json=call({"limit": 1}), headers=headers).status_code

        assert [headers for headers in refused if status(headers) != 403] == []
        assert client.http.get(client.url.replace("/mcp", "/")).status_code == 404
        assert app.seen == []
        assert [headers for headers in taken if status(headers) != 200] == []


def raw(client: Proxied, data: bytes, *, close: bool = False) -> bytes:
    """Send bytes; return what comes back until the connection ends, or nothing does for a while."""
    host, _, port = client.url.removeprefix("http://").partition("/")[0].partition(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(data)
        if close:
            connection.shutdown(socket.SHUT_WR)
        got = connection.recv(65536)
        connection.settimeout(0.2)
        try:
            while more := connection.recv(65536):
                got += more
        except (TimeoutError, ConnectionResetError):
            pass
        return got


HEAD = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def test_a_body_beyond_the_limit_is_refused_while_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "MAX_BODY", 1_000)
    app = McpApp()
    with proxied(app) as client:
        answer = raw(client, HEAD + b"Transfer-Encoding: chunked\r\n\r\n800\r\n" + b"x" * 0x800 + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 413")
    assert app.seen == []


def test_a_response_beyond_the_limit_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "MAX_BODY", 300)
    app = McpApp()
    app.answers["tools/call"] = (
        200,
        [JSON_TYPE],
        [b'{"id":1,"result":{"content":[', *[b"1," * 50] * 10, b"1]}}"],
    )
    with proxied(app) as client:
        assert client.post(call({"limit": 1})).status_code == 502


def test_a_server_that_is_not_there_or_breaks_off_is_an_error_of_the_proxy() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"
    ping = {"jsonrpc": "2.0", "id": 4, "method": "ping"}
    with listen_once(head) as url, serving(relay_to(f"{url}/mcp")) as address:
        broken = Proxied(address).post(ping)
    with serving(relay_to(f"{url}/mcp")) as address:
        absent = Proxied(address).post(ping)
    for answer in (broken, absent):
        assert (answer.status_code, answer.json()["id"], answer.json()["error"]["code"]) == (502, 4, -32603)
    assert "does not respond" in absent.json()["error"]["message"]


@contextmanager
def listen_once(data: bytes) -> Iterator[str]:
    """Answer one connection with bytes, and close it."""

    def run() -> None:
        connection, _ = listening.accept()
        connection.recv(65536)
        connection.sendall(data)
        connection.close()

    with reverse_proxy.listen("127.0.0.1", 0) as listening:
        threading.Thread(target=run, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def test_only_a_redirect_within_the_server_is_followed() -> None:
    class Moved(McpApp):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            if scope["path"] == "/mcp":
                self.answers["POST"] = 307, [("location", "/mcp/?x=1"), ("content-length", "0")], []
            else:
                self.answers.pop("POST", None)
            await super().__call__(scope, receive, send)

    app = Moved()
    with proxied(app) as client:
        assert client.call({"limit": 1})["result"]["isError"] is False
        assert client.call({})["result"]["isError"] is True
        app.answers["x"] = 307, [("location", "http://x.test/mcp")], []
        answer = client.post({"id": 1, "method": "x"})
    assert (answer.status_code, "it redirects to x.test" in answer.text) == (502, True)


def test_a_cookie_of_one_client_never_reaches_another() -> None:
    app = McpApp()
    app.answers["x"] = 307, [("location", "/mcp?x"), ("set-cookie", "session=first-client; Path=/")], []
    with proxied(app) as client:
        with httpx2.Client() as first:
            first.post(client.url, json={"id": 1, "method": "x"})
        app.seen.clear()
        app.answers["x"] = 307, [("location", "/mcp?x")], []
        with httpx2.Client() as second:
            second.post(client.url, json={"id": 2, "method": "x"})
    assert len(app.seen) > 1
    assert not any("cookie" in dict(headers) for _, _, headers, _ in app.seen)


# -- parts --------------------------------------------------------------------------------------------------

STREAM = b"".join(EVENTS)
EVENT_DATA = [b"", b"", b'{"id":2,\n"method":"x"}', b"x", b'{"id":1,"result":{}}']


@for_each([1, 2, 3, 7, 1_000])
def test_events_are_the_same_however_they_come(size: int) -> None:
    assert split(STREAM, size) == EVENT_DATA


def test_an_event_that_is_too_long_ends_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "MAX_BODY", 10)
    for sent in (b"data: " + b"x" * 100, b"data: 1\n" * 9):
        with pytest.raises(httpx2.HTTPError):
            split(sent, 6)


def split(stream: bytes, size: int) -> list[bytes]:
    async def chunks() -> AsyncIterator[bytes]:
        for at in range(0, len(stream), size):
            yield stream[at : at + size]

    async def found() -> list[bytes]:
        response = httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=chunks())
        return [message.data async for _, message in parts_of(response)][1:]

    return anyio.run(found)


# -- the official client and server -------------------------------------------------------------------------


@for_each(["auto", "legacy"])
def test_the_official_client_and_server_talk_through_it(mode: str) -> None:
    with proxied(WithLifespan(notes().streamable_http_app())) as client:
        talk(client.url, mode)


def test_headers_that_repeat_arguments_agree_with_repaired_arguments() -> None:
    limit = {"type": "integer", "x-mcp-header": "Limit"}
    schema = obj("limit", limit=limit)
    app = McpApp(tools=[{"name": "count", "inputSchema": schema}])
    with proxied(app, repair=True) as client:
        for sent in ("5", 5):
            headers = {**MODERN, "mcp-param-limit": "5", "mcp-param-other": "kept"}
            assert client.call({"limit": sent}, headers=headers, _meta=META)["result"]["isError"] is False
            assert app.headers()["mcp-param-limit"] == "5"
        assert app.headers()["mcp-param-other"] == "kept", "the arguments are the client's own"
        headers["mcp-param-limit"] = "wrong"
        client.call({"limit": "7"}, headers=headers, _meta=META)
        assert app.headers()["mcp-param-limit"] == "7"


BAD = {
    "a length that is no number": (HEAD + b"Content-Length: x\r\n\r\n{}", b"400"),
    "a head without end": (HEAD + b"X: " + b"x" * 200_000, b"400"),
}


@for_each(BAD)
def test_malformed_requests_get_an_answer(
    data: Any, status: Any, *, capfd: pytest.CaptureFixture[str]
) -> None:
    app = McpApp()
    with proxied(app) as client:
        answer = raw(client, data)
        assert answer.startswith(b"HTTP/1.1 " + status), answer
        assert answer.count(b"HTTP/1.1 ") == 1, "what comes after it is not taken for a request"
        assert app.seen == []
        assert client.call({"limit": 1})["result"]["isError"] is False
    assert capfd.readouterr() == ("", "")


def test_a_client_that_leaves_within_a_body_is_forgotten(capfd: pytest.CaptureFixture[str]) -> None:
    app = McpApp()
    with proxied(app) as client:
        assert raw(client, HEAD + b"Content-Length: 10\r\n\r\n{", close=True) == b""
        assert client.call({"limit": 1})["result"]["isError"] is False
    assert capfd.readouterr() == ("", "")
