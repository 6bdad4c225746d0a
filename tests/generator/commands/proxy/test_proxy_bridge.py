"""`toolgen proxy URL`: a client over pipes in front of a server over HTTP, with real processes."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Annotated, Any

import anyio
import httpx2
import pytest
from helpers.commands import toolgen
from helpers.http_under_test import McpApp, WithLifespan, serving
from helpers.proxy_client import LineClient, PumpClient, notes, talk
from helpers.support import JsonObject, for_each, obj
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver import MCPServer
from pydantic import Field
from test_proxy_http import EVENTS, META

from toolgen.commands.servers.http_client import HttpClient
from toolgen.commands.servers.param_headers import declared_headers, param_headers
from toolgen.commands.servers.url_server import UrlServer

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "c", "version": "1"},
}


@contextmanager
def bridged(app: Any, headers: Any = None, **options: Any) -> Iterator[PumpClient]:
    """A client of the proxy's pump in this process."""
    with serving(app) as address:
        connect = partial(UrlServer, HttpClient(f"{address}/mcp", headers or {}))
        with closing(PumpClient(connect, **options)) as client:
            yield client


@contextmanager
def bridging(app: Any, *options: str) -> Iterator[LineClient]:
    """A client of the program."""
    with serving(app) as address:
        client = LineClient([sys.executable, "-m", "toolgen", "proxy", *options, f"{address}/mcp"])
        try:
            yield client
        finally:
            client.process.kill()
            client.process.wait()


def sent(app: McpApp, method: str) -> dict[str, str]:
    """The headers of the request with a method, of HTTP or of a message."""
    for verb, _, headers, body in app.seen:
        if verb == method or f'"{method}"'.encode() in body:
            return dict(headers)
    raise AssertionError(f"no {method}: {app.seen}")


@for_each([False, True])
def test_a_session_is_kept_and_ended(events: bool) -> None:
    app = McpApp(events=events, session="s-1")
    with bridged(app, {"X-Key": "k"}) as client:
        assert client.ask("initialize", INITIALIZE)["serverInfo"]["name"] == "n"
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        wrong = client.call({"limit": "5"})
        assert (
            wrong["content"][0]["text"]
            == 'count was not run. limit: change "5" to 5\nCorrected arguments: {"limit": 5}'
        )
        assert client.call({"limit": 5}, id="é")["isError"] is False
        assert client.end() == 0
    assert "mcp-session-id" not in sent(app, "initialize")
    for method in ("notifications/initialized", "tools/list", "tools/call", "GET", "DELETE"):
        headers = sent(app, method)
        assert (headers["mcp-session-id"], headers["mcp-protocol-version"]) == ("s-1", "2025-11-25"), method
        assert headers["x-key"] == "k"
        assert "mcp-method" not in headers
    assert [body["params"]["arguments"] for body in app.calls] == [{"limit": 5}]


def test_requests_without_a_session_repeat_their_parts_in_headers() -> None:
    app = McpApp()
    with bridged(app, repair=True) as client:
        assert client.call({"limit": "5"}, _meta=META)["isError"] is False
        client.ask("resources/read", {"uri": "note://é", "_meta": META})
        client.end()
    headers = sent(app, "tools/call")
    assert {name: value for name, value in headers.items() if name.startswith("mcp-")} == {
        "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "count",
    }  # fmt: skip
    assert sent(app, "tools/list")["mcp-method"] == "tools/list"
    assert sent(app, "resources/read")["mcp-name"] == "=?base64?bm90ZTovL8Op?="
    assert not any(method in ("GET", "DELETE") for method, *_ in app.seen)


def test_the_stream_of_a_session_is_opened_again_after_its_end() -> None:
    app = McpApp(session="s")
    event = b'data: {"jsonrpc":"2.0",  "method":"notifications/x"}\n\n'
    app.answers["GET"] = 200, [("content-type", "text/event-stream")], [event]
    with bridged(app) as client:
        client.ask("initialize", INITIALIZE)
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert [client.next()["method"] for _ in range(2)] == ["notifications/x"] * 2


FAILURES: dict[str, tuple[Any, Any]] = {
    "an error of the server": (
        (400, [("content-type", "application/json")], [b'{"id":null,"error":{"code":-32020,"message":"m"}}']),
        {"code": -32020, "message": "m"},
    ),
    "a page": ((502, [], [b"<html>"]), "502 Bad Gateway"),
    "nothing": ((202, [], []), "202 Accepted"),
    "a page in place of an answer": ((200, [], [b"<html>"]), "200 OK"),
    "events without an answer": ((200, [("content-type", "text/event-stream")], EVENTS[:1]), "200 OK"),
}  # fmt: skip


def test_every_request_is_answered() -> None:
    app = McpApp()
    app.answers = {f"x/{case}": answer for case, (answer, _) in FAILURES.items()}
    with bridged(app) as client:
        for case, (_, error) in FAILURES.items():
            if isinstance(error, str):
                error = {"code": -32603, "message": f"the server responded {error}, without a message"}
            assert client.ask(f"x/{case}", id=case) == error
        assert client.ask("ping") is not None
        client.write(b"{no JSON\n")
        assert client.end() == 0
    assert app.seen[-1][3] == b"{no JSON\n"


def test_a_request_without_a_session_is_cancelled_by_closing_its_stream() -> None:
    app = McpApp()
    app.answers["slow"] = 200, [("content-type", "text/event-stream")], [b": hi\n\n", b"", b"data: 1\n\n"]
    with bridged(app) as client:
        client.send({"jsonrpc": "2.0", "id": 3, "method": "slow", "params": {"_meta": META}})
        client.ask("ping", {"_meta": META})
        cancelled = {"requestId": 3, "_meta": META}
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})
        assert app.gone.wait(10)
        assert client.end() == 0
    assert not any(b"cancelled" in body for *_, body in app.seen)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_signal_ends_the_session_too() -> None:
    app = McpApp(session="s")
    with bridging(app, "--header", "X-Key: k") as client:
        client.ask("initialize", INITIALIZE)
        client.process.send_signal(signal.SIGTERM)
        assert client.wait() == (128 + signal.SIGTERM, "")
    assert app.seen[-1][0] == "DELETE"
    assert app.headers()["x-key"] == "k"


@for_each(["auto", "legacy"])
def test_the_official_client_and_server_talk_through_it(mode: str) -> None:
    with serving(WithLifespan(notes().streamable_http_app())) as address:
        words = ["-m", "toolgen", "proxy", f"{address}/mcp"]
        talk(StdioServerParameters(command=sys.executable, args=words), mode)


def test_what_cannot_be_served_is_one_line() -> None:
    for words, said in (
        (["http://x.test/mcp", "--header", "a b: c"], "is not a header"),
        (["http://x.test/mcp", "--header", "a: \u00e9"], "is not a header"),
        (["http://x.test/mcp", "--listen", "x"], "[HOST:]PORT"),
        (["http://x.test/mcp", "--listen", "203.0.113.9:1"], "error[server-failed]"),
        (["--listen", "1", "--", "x"], "--listen serves a URL"),
        (["--", "no-such-program-x"], "error[server-failed] no-such-program-x: "),
        ([], "after --"),
    ):
        result = toolgen("proxy", *words)
        assert (result.exit_code, said in result.output) == (2, True), result.output


def test_the_command_listens_until_it_is_told_to_end() -> None:
    with serving(McpApp()) as address:
        client = LineClient([sys.executable, "-m", "toolgen", "proxy", "--listen", "0", f"{address}/mcp"])
        line = client.next_error()
        assert line.startswith("toolgen proxy: listening at http://127.0.0.1:")
        url = line.rpartition(" ")[2].strip()
        assert json.loads(httpx2.post(url, json={"id": 1, "method": "ping"}).text)["id"] == 1
        client.process.send_signal(signal.SIGINT)
        assert client.wait()[0] == 130


def marked(kind: Any, name: Any = "Value", **more: Any) -> JsonObject:
    return {"type": kind, "x-mcp-header": name, **more}


HEADERS: dict[str, tuple[JsonObject, Any, dict[str, str]]] = {
    "a text": ({"a": marked("string", "Owner")}, {"a": "octo cat"}, {"mcp-param-owner": "octo cat"}),
    "a number": ({"a": marked("integer")}, {"a": 7}, {"mcp-param-value": "7"}),
    "a boolean": ({"a": marked("boolean")}, {"a": False}, {"mcp-param-value": "false"}),
    "a line break": ({"a": marked("string")}, {"a": "x\ny"}, {"mcp-param-value": "=?base64?eAp5?="}),
    "empty": ({"a": marked("string")}, {"a": ""}, {"mcp-param-value": ""}),
    "nested": ({"o": {"properties": {"a": marked("string")}}}, {"o": {"a": "x"}}, {"mcp-param-value": "x"}),
    "not sent": ({"a": marked("string")}, {}, {}),
    "no name of a header": ({"a": marked("string", "a b"), "b": marked("string", 5)}, {"a": "x", "b": "y"}, {}),
    "one name twice": ({"a": marked("string", "x"), "b": marked("string", "X")}, {"a": "x", "b": "y"}, {}),
}  # fmt: skip


@for_each(HEADERS)
def test_arguments_are_repeated_in_headers(properties: Any, arguments: Any, headers: Any) -> None:
    assert param_headers(declared_headers({"properties": properties}), arguments) == headers


LABELED: JsonObject = obj("limit", limit=marked("integer", "Limit"), note=marked("string", "Note"))


MISMATCH = b'{"jsonrpc": "2.0", "id": 1, "error": {"code": -32020, "message": "Mcp-Param-Limit is missing"}}'


def test_repaired_arguments_are_repeated_in_headers_without_a_session_alone() -> None:
    app = McpApp(tools=[{"name": "count", "inputSchema": LABELED}])
    with bridged(app, repair=True) as client:
        assert client.call({"limit": "5", "note": "é"}, _meta=META)["isError"] is False
    headers = sent(app, "tools/call")
    assert (headers["mcp-param-limit"], headers["mcp-param-note"]) == ("5", "=?base64?w6k=?=")
    app = McpApp(session="s", tools=app.tools)
    with bridged(app) as client:
        client.ask("initialize", INITIALIZE)
        assert client.call({"limit": 5})["isError"] is False
    assert "mcp-param-limit" not in sent(app, "tools/call")


@for_each([True, False])
def test_a_header_mismatch_leads_to_a_new_list_and_one_more_attempt(is_fixed: bool) -> None:
    app = McpApp()  # the server's list has no headers yet
    app.answers["tools/call"] = 400, [("content-type", "application/json")], [MISMATCH]

    class Changing(McpApp):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await app(scope, receive, send)
            if len(app.calls) == 1 and is_fixed:
                app.answers.pop("tools/call", None)
                app.tools = [{"name": "count", "inputSchema": LABELED}]

    with bridged(Changing()) as client:
        answer = client.call({"limit": 5}, _meta=META)
        assert client.call({"limit": 6}, id=2, _meta=META) is not None
    calls = [dict(headers) for _, _, headers, body in app.seen if b'"tools/call"' in body]
    if is_fixed:
        assert answer["isError"] is False
        assert [headers.get("mcp-param-limit") for headers in calls] == [None, "5", "6"]
    else:
        assert answer["code"] == -32020
        assert len(calls) == 4, "each call is sent twice"


def test_the_official_server_accepts_the_headers() -> None:
    server = MCPServer("labeled")

    @server.tool()
    def pull(
        owner: Annotated[str, Field(json_schema_extra={"x-mcp-header": "owner"})],
        number: Annotated[int, Field(json_schema_extra={"x-mcp-header": "number"})],
    ) -> str:
        return f"{owner} {number}"

    async def main(url: str) -> list[Any]:
        words = ["-m", "toolgen", "proxy", "--repair", url]
        proxy = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
        async with Client(proxy, mode="auto") as client:
            sent = ({"owner": "é", "number": 7}, {"owner": "octo", "number": "7"})
            return [await client.call_tool("pull", arguments) for arguments in sent]

    with serving(WithLifespan(server.streamable_http_app())) as address:
        results = anyio.run(main, f"{address}/mcp")
    assert [result.content[0].text for result in results] == ["é 7", "octo 7"]
