"""Messages and tools of any size: their memory is bounded, and no client waits for another one's."""

from __future__ import annotations

import asyncio
import json
from threading import Event
from typing import Any

import pytest
from helpers.proxy_client import request
from helpers.support import JsonObject, for_each

from toolgen.commands.proxy import call_filter, compile_apart
from toolgen.commands.proxy.call_filter import ToolList
from toolgen.commands.servers import large_messages
from toolgen.commands.servers.large_messages import Held, Share, envelope_of
from toolgen.commands.servers.messages import read

ENVELOPES: dict[str, tuple[str, JsonObject]] = {
    "first": ('{"id": 1, "method": "m", "params": [[], {}]}', {"id": 1, "method": "m"}),
    "last": ('{"params": {"id": 2, "method": "n"}, "method":"m" , "id" : "a"}', {"id": "a", "method": "m"}),
    "within a text": (r'{"params": "\"id\": 3, {\\", "id": -1.5e3}', {"id": -1500.0}),
    "a text that ends in backslashes": ('{"a": "\\\\\\\\", "id": 4}', {"id": 4}),
    "a key of another name": ('{"idd": 1, "id": null, "x": "method"}', {"id": None}),
    "a list of requests": ('[{"id": 1, "method": "m"}]', {}),
    "no JSON": ('{"id', {}),
    "nothing": ("", {}),
}


@for_each(ENVELOPES)
def test_what_a_large_message_is_for(text: Any, wanted: Any) -> None:
    assert envelope_of(text.encode()) == wanted


def test_signs_in_texts_are_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_messages, "MAX_MESSAGE_VALUES", 10)
    assert read(json.dumps({"id": 1, "a": ["a,b[{" * 100, 'c,\\",' * 100]}).encode()).value["a"]


async def never(_: str | None) -> None:
    raise AssertionError("the list is known")


def test_a_call_with_too_many_values_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_messages, "MAX_MESSAGE_VALUES", 100)
    monkeypatch.setattr("toolgen.commands.servers.messages.MAX_MESSAGE_VALUES", 100)
    params = {"name": "t", "arguments": [[]] * 200}
    call, other = (
        read(json.dumps(request(method, params, 7)).encode()) for method in ("tools/call", "resources/read")
    )
    assert (call.is_too_large, call.is_call) == (True, True)
    assert (other.is_too_large, other.is_call) == (True, False)
    decision, _ = asyncio.run(ToolList(print).decide(call, never))
    assert "more than" in decision.value["error"]["message"]
    assert decision.value["id"] == 7


def test_all_that_is_held_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_messages, "MAX_HELD", 100)
    held = Held()
    one, other = Share(held), Share(held)
    assert one.add(60)
    assert not other.add(50)
    one.free(30)
    assert other.add(50)
    one.free()
    other.free()
    assert held.weight == 0


def test_tools_that_are_too_large_are_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_filter, "MAX_TOOL", 5_000)
    lines: list[str] = []
    tools = ToolList(lines.append)
    large = {"name": "large", "inputSchema": {"properties": {f"p{i}": {"type": "null"} for i in range(50)}}}
    tools.take([{"tools": [large, {"name": "small", "inputSchema": {"required": ["a"]}}]}])
    assert tools.check({"name": "large", "arguments": {"p1": 1}}) is None
    assert tools.check({"name": "small", "arguments": {}}) is not None
    assert lines == ["tool 'large' is not checked: its definition is too large"]


def test_pages_that_are_too_large_are_not_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_filter, "MAX_HELD", 10_000)
    cursors: list[str | None] = []

    async def page(cursor: str | None) -> Any:
        cursors.append(cursor)
        return {"tools": [{"name": "t", "description": "x" * 4_000}], "nextCursor": str(len(cursors))}

    asyncio.run(ToolList(lambda _: None).read(page))
    assert cursors == [None, "1"]


@for_each([10, compile_apart.LARGE + 1])
def test_what_is_compiled_apart_is_the_same(length: int) -> None:
    text = f"# {'x' * length}\nvalue = 'a\u00e9'\ndef f(): return value, __file__"
    names: JsonObject = {"__file__": "here"}
    code = compile_apart.compile_apart(text, "<some>.py")
    exec(code, names)
    assert (names["f"](), code.co_filename) == (("a\u00e9", "here"), "<some>.py")
    with pytest.raises(SyntaxError):
        compile_apart.compile_apart(f"# {'x' * length}\n)", "<some>.py")


def listed(*names: str) -> list[Any]:
    return [{"tools": [{"name": name, "inputSchema": {"required": ["a"]}} for name in names]}]


def call_of(name: str, id: int, **arguments: Any) -> Any:
    return read(json.dumps(request("tools/call", {"name": name, "arguments": arguments}, id)).encode())


def test_a_tool_that_is_compiled_delays_no_other_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cancellation waits for the call that it cancels, and only for that."""
    tools, release, order = ToolList(lambda _: None), Event(), list[str]()
    tools.take(listed("slow", "quick"))
    check_first = tools._check_first

    def check(params: Any) -> Any:
        assert params["name"] == "quick" or release.wait(20)
        return check_first(params)

    monkeypatch.setattr(tools, "_check_first", check)

    async def decide(what: str, message: Any) -> None:
        await tools.decide(message, never)
        order.append(what)

    def cancellation(id: int) -> Any:
        return read(b'{"method": "notifications/cancelled", "params": {"requestId": %d}}' % id)

    async def all_of_them() -> None:
        slow = asyncio.ensure_future(decide("slow", call_of("slow", 1, a=1)))
        await asyncio.sleep(0)
        own = asyncio.ensure_future(decide("its cancellation", cancellation(1)))
        await decide("quick", call_of("quick", 2, a=1))
        await decide("another cancellation", cancellation(9))
        release.set()
        await asyncio.gather(slow, own)

    asyncio.run(all_of_them())
    assert order == ["quick", "another cancellation", "slow", "its cancellation"]


def test_a_list_that_changes_while_it_is_compiled_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tools, asked = ToolList(lambda _: None), list[str | None]()
    compile_pages = tools.compile

    def compile_once(pages: Any) -> Any:
        tools.passed(read(b'{"method": "notifications/tools/list_changed"}'))
        monkeypatch.setattr(tools, "compile", compile_pages)
        return compile_pages(pages)

    monkeypatch.setattr(tools, "compile", compile_once)

    async def page(cursor: str | None) -> Any:
        asked.append(cursor)
        return listed("t")[0]

    for id in (1, 2, 3):
        asyncio.run(tools.decide(call_of("t", id, a=1), page))
    assert asked == [None, None]
