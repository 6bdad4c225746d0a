"""`toolgen proxy --ask`: the official client's user is asked, in both generations of the protocol."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace
from typing import Any

import anyio
from helpers.support import ROOT, JsonObject, for_each, obj
from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult

from toolgen.commands.proxy.asking import Asking
from toolgen.commands.servers.messages import message_of

SERVER = """
from mcp.server.mcpserver import MCPServer

server = MCPServer("tables")


@server.tool()
def book(guest_name: str, day: str) -> str:
    "Book a table."
    return f"booked for {guest_name} on {day}"


server.run()
"""
MODES = ["legacy", "auto"]


def called(
    mode: Any, answers: list[ElicitResult], calls: list[JsonObject], *options: str
) -> tuple[list[Any], list[Any]]:
    """Return the results of calls, and the questions that the user was asked."""
    asked: list[Any] = []

    async def user(_: Any, params: Any) -> ElicitResult:
        asked.append(params)
        return answers.pop(0)

    words = ["-m", "toolgen", "proxy", *options, "--", sys.executable, "-c", SERVER]
    server = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ), cwd=str(ROOT))

    async def run() -> list[Any]:
        async with Client(server, mode=mode, elicitation_callback=user) as client:
            return [await client.call_tool("book", arguments) for arguments in calls]

    return anyio.run(run), asked


@for_each(MODES)
def test_an_accepted_answer_completes_the_call(mode: str) -> None:
    accepted = ElicitResult(action="accept", content={"guest_name": "Kim"})
    (result,), (question,) = called(mode, [accepted], [{"day": "Monday"}], "--ask")
    assert not result.is_error
    assert [block.text for block in result.content] == [
        "booked for Kim on Monday",
        'Note: the user was asked for "guest_name" and gave "Kim".',
    ]
    assert question.message == "What should the guest name be?"
    assert question.requested_schema == obj(
        "guest_name", guest_name={"type": "string", "title": "Guest Name"}
    )


@for_each(MODES)
def test_a_declined_question_is_not_asked_again(mode: str) -> None:
    results, asked = called(mode, [ElicitResult(action="decline")], [{"day": "Monday"}] * 2, "--ask")
    assert [result.is_error for result in results] == [True, True]
    assert "declined to give it" in results[0].content[0].text
    assert 'add the key "guest_name"' in results[1].content[0].text
    assert len(asked) == 1


@for_each(MODES)
def test_nobody_is_asked_without_the_option_or_for_other_mistakes(mode: str) -> None:
    results, asked = called(mode, [], [{"day": "Monday"}])
    assert results[0].is_error
    results, again = called(mode, [], [{"guest_name": "Kim", "day": 5}, {}], "--ask")
    assert [result.is_error for result in results] == [True, True]
    assert asked == again == []


def request(**params: Any) -> Any:
    return message_of(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "book", **params}}
    )


@for_each(
    [
        ({"elicitation": {}}, True),
        ({"elicitation": {"form": {}}}, True),
        ({"elicitation": {"url": {}}}, False),
        ({}, False),
    ]
)
def test_only_a_client_that_declares_forms_is_asked(capabilities: Any, can_ask: bool) -> None:
    asking = Asking()
    assert not asking.can_ask(request())
    asking.saw(message_of({"id": 0, "method": "initialize", "params": {"capabilities": capabilities}}))
    assert asking.can_ask(request()) is can_ask
    assert not asking.can_ask(request(task={}))
    of_call = {"_meta": {"io.modelcontextprotocol/clientCapabilities": capabilities}}
    assert Asking().can_ask(request(**of_call)) is can_ask


def asked_for(**params: Any) -> tuple[Asking, Any, Any]:
    """Return what has asked about a call, the call, and the answer to it."""
    asking, question = Asking(), SimpleNamespace(message="Who?", schema={})
    meta = {"_meta": {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}}
    call = request(**params, **meta)
    state = asking.ask(call, question).value["result"]["requestState"]  # type: ignore[arg-type]
    accepted = {"toolgen": {"action": "accept", "content": {}}}
    return asking, call, {**params, **meta, "requestState": state, "inputResponses": accepted}


@for_each(
    [
        ({}, True),
        ({"name": "delete_all"}, False),
        ({"arguments": {"day": "Friday"}}, False),
        ({"requestState": "another"}, False),
    ]
)
def test_an_answer_completes_only_the_call_that_was_asked_about(again: JsonObject, is_answer: bool) -> None:
    """With another tool's name the answer passed that tool's check."""
    asking, _, answer = asked_for(arguments={"day": "Monday"})
    assert (asking.taken(request(**{**answer, **again})) is not None) is is_answer
    assert asking.taken(request(**answer)) is None or not is_answer, "a question is answered once"


def test_a_canceled_call_is_not_made_by_an_answer() -> None:
    asking, call, answer = asked_for(arguments={})
    asking.canceled(call.asks)
    assert asking.taken(request(**answer)) is None
