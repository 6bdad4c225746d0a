"""What the proxy changes in a message is what it means to change: ids and numbers stay as they were written."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from http_under_test import McpApp, serving
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_server_under_test import COUNT

from toolgen.servers.call_checks import CallChecks
from toolgen.servers.exchange import Exchange
from toolgen.servers.http_client import HttpClient
from toolgen.servers.http_upstream import HttpUpstream
from toolgen.servers.known_tools import KnownTools
from toolgen.servers.long_lines import LongLine
from toolgen.servers.messages import read_line
from toolgen.servers.tool_pages import ToolPages
from toolgen.servers.written import elements, members, rewritten

IDS = (
    *("7", "1.10", "1e2", "1E-5", "-0", "-0.0", "10.0", "1e400", "123456789012345678901234567890"),
    *('"7"', '"\\u0041\\ud800"', '"a\\"},{"', '"é"', "null", "true", "[1.0,{}]"),
)
PLAIN = '{"jsonrpc":"2.0","id":8,"method":"ping"}'


def exchange(**options: Any) -> Exchange:
    tools = KnownTools(CallChecks(lambda _: None, **options))
    pages = ToolPages()
    pages.add(None, {"tools": [COUNT]})
    tools.learn(pages)
    return Exchange(tools)


def call(number: str, arguments: str) -> str:
    params = f'{{"name" :"count", "_meta":{{"progressToken":1.50}},"arguments":{arguments}}}'
    return f'{{"jsonrpc":"2.0", "id": {number},"method":"tools/call","params":{params} }}'


@pytest.mark.parametrize("number", IDS)
@pytest.mark.parametrize("in_batch", [False, True])
def test_a_refusal_has_the_id_of_its_call(number: str, in_batch: bool) -> None:
    text = call(number, '{"limit":0}')
    line = read_line((f"[{PLAIN}, {text}]" if in_batch else text).encode())
    told = exchange().decide(line).to_client.decode().strip()
    answer = elements(told)[0] if in_batch else told
    assert members(answer)["id"] == number
    assert json.loads(answer)["result"]["isError"]


@pytest.mark.parametrize("number", IDS)
@pytest.mark.parametrize("in_batch", [False, True])
def test_a_repaired_call_is_otherwise_as_it_was_written(number: str, in_batch: bool) -> None:
    text = call(number, '{"limit":"5", "note":"\\u00e9"}')
    line = read_line((f"[{PLAIN}, {text}]" if in_batch else text).encode())
    sent = exchange(repair=True).decide(line).to_server.decode()
    found = members(elements(sent)[1] if in_batch else sent)
    assert found["id"] == number
    params = members(found["params"])
    assert params["_meta"] == '{"progressToken":1.50}'
    assert members(params["arguments"]) == {"limit": "5", "note": '"\\u00e9"'}
    assert sent.count("\n") == 1


@pytest.mark.parametrize("number", IDS)
def test_an_answer_with_a_note_is_otherwise_as_it_was_written(number: str) -> None:
    running = exchange(unknown_keys="note")
    running.decide(read_line(call(number, '{"limit":1,"limt":2}').encode()))
    answer = (
        f'{{"jsonrpc":"2.0","id": {number} ,\r\n'
        '"result":{"content":[{"type":"text","text":"a","n":1.0e1}],"structuredContent":{"x":1.10}}}'
    )
    line = read_line(answer.encode())
    noted = running.with_note(line.messages[0])
    assert noted is not None
    text = line.changed({0: noted}).decode()
    found = members(text)
    assert found["id"] == number
    assert members(found["result"])["structuredContent"] == '{"x":1.10}'
    first, note = elements(members(found["result"])["content"])
    assert first == '{"type":"text","text":"a","n":1.0e1}'
    assert "limt" in json.loads(note)["text"]
    assert text.count("\n") == 1
    assert "\r" not in text


@pytest.mark.parametrize("number", ["7", "-0", "1.10", "1e2", "123456789012345678901234567890", '"a b"'])
def test_the_refusal_of_a_long_line_has_its_id(number: str) -> None:
    head = f'{{"jsonrpc":"2.0","id":{number},"method":"tools/call","params":{{'.encode()
    line = LongLine(head, b"")
    assert line.kind == "request"
    assert members(line.refusal("client").decode())["id"] == number


@pytest.mark.parametrize("number", ["1.10", "-0", "1e2"])
@pytest.mark.parametrize("body", [b"no", b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}'])
def test_what_the_bridge_answers_itself_has_the_id_of_its_request(number: str, body: bytes) -> None:
    told: list[bytes] = []

    async def at_once() -> None:
        pass

    async def talk(url: str) -> None:
        http = HttpClient(url)
        async with anyio.create_task_group() as group:
            upstream = HttpUpstream(http, group, told.append, lambda _: None, at_once)
            await upstream.send(f'{{"jsonrpc":"2.0","id":{number},"method":"odd"}}\n'.encode())
            await anyio.sleep(0)
            await upstream.drain()
            group.cancel_scope.cancel()
        await http.close()

    app = McpApp()
    app.answers["odd"] = 400, [("content-type", "application/json")], [body]
    with serving(app) as address:
        anyio.run(talk, f"{address}/mcp")
    assert [members(line.decode())["id"] for line in told] == [number]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(values, values, st.sampled_from([None, 1]), st.booleans())
def test_a_rewritten_text_has_the_new_value(old: Any, new: Any, indent: int | None, plain: bool) -> None:
    text = json.dumps(old, indent=indent, ensure_ascii=plain)
    assert json.loads(rewritten(text, old, new)) == new
    for mixed_old, mixed_new in (
        ({"a": old, "b": 1}, {"b": 1, "a": new}),
        ([old, new], [new]),
        ([old], [old, new]),
    ):
        text = json.dumps(mixed_old, indent=indent, ensure_ascii=plain)
        assert json.loads(rewritten(text, mixed_old, mixed_new)) == mixed_new
        assert rewritten(text, mixed_old, mixed_old) == text


def test_deep_and_wide_texts_are_taken_apart() -> None:
    deep = "[" * 50_000 + "]" * 50_000
    assert members(f'{{"a":{deep},"b":1.0}}') == {"a": deep, "b": "1.0"}
    assert elements(f"[{','.join(['1.0'] * 50_000)}]") == ["1.0"] * 50_000
