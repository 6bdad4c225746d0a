"""Tools for Anthropic's `tool_runner`, with its own client, a local model server and real MCP servers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import pytest
from helpers.model_servers import ModelServer, model_server
from seams.anthropic import script, told as answered

from toolgen import compile_tools
from toolgen_adapters.anthropic import beta_async_tools, beta_tools
from toolgen_runtime import Registry, spread


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as model:
        yield model


def told(server: ModelServer) -> list[tuple[bool | None, str]]:
    """What the model was answered: whether it is an error, and its text."""
    return [(each.is_error, each.text) for each in answered(server)]


def run(server: ModelServer, tools: list[Any]) -> None:
    client = anthropic.Anthropic(base_url=server.url, api_key="fake", max_retries=0)
    history: Any = [{"role": "user", "content": "go"}]
    client.beta.messages.tool_runner(model="m", max_tokens=100, tools=tools, messages=history).until_done()


async def arun(server: ModelServer, tools: list[Any]) -> None:
    client = anthropic.AsyncAnthropic(base_url=server.url, api_key="fake", max_retries=0)
    history: Any = [{"role": "user", "content": "go"}]
    runner = client.beta.messages.tool_runner(model="m", max_tokens=100, tools=tools, messages=history)
    await runner.until_done()


SCHEMA = {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]}
TOOLS = compile_tools([{"name": "pay", "description": "Pay.", "inputSchema": SCHEMA}])


def pay(payload: dict[str, Any]) -> str:
    return f"paid {payload['amount']}"


async def apay(payload: dict[str, Any]) -> str:
    return pay(payload)


@pytest.mark.parametrize("handler", [pay, apay])
def test_sync_and_async_runners(server: ModelServer, handler: Callable[..., Any]) -> None:
    turns = [("pay", '{"amount": "3"}')], [("pay", '{"amount": 3}')]
    wrong = 'pay was not run. amount: change "3" to 3\nCorrected arguments: {"amount": 3}'
    expected = [(True, wrong), (False, "paid 3")]
    script(server, *turns)
    run(server, beta_tools(TOOLS, {"pay": handler}))
    assert told(server) == expected
    script(server, *turns)
    asyncio.run(arun(server, beta_async_tools(TOOLS, {"pay": handler})))
    assert told(server) == expected


def test_only_answers_that_the_host_begins_are_compared(server: ModelServer) -> None:
    client = anthropic.Anthropic(base_url=server.url, api_key="fake", max_retries=0)
    for begins in (False, True):
        tools = beta_tools(TOOLS, {"pay": pay})
        for _ in range(2):  # two chats with the same tools
            tools.begin_turn()
            script(server, *([("pay", '{"amount": "x"}')] for _ in range(3)))
            history: Any = [{"role": "user", "content": "go"}]
            for _message in client.beta.messages.tool_runner(
                model="m", max_tokens=100, tools=tools, messages=history
            ):
                if begins:
                    tools.begin_round()
            assert ("It failed 3 times in the same way" in told(server)[2][1]) is begins


def test_all_options_of_a_registry(server: ModelServer) -> None:
    ended: list[Any] = []
    script(server, [("pay", '{"amount": 1}')])
    run(server, beta_tools(TOOLS, {"pay": pay}, allow=[], secrets=["pin"], on_call=lambda call: ended.append))
    assert [output.kind for output in ended] == ["not_permitted"]
    with pytest.raises(TypeError, match=r"beta_tools\(\) has no option 'repiar'; did you mean 'repair'\?"):
        beta_tools(TOOLS, {"pay": pay}, repiar=True)  # type: ignore[call-arg]


def test_a_handler_with_the_fields_as_parameters_is_named_before_the_first_call() -> None:
    def pays(amount: int) -> str:
        raise AssertionError

    for make in (beta_tools, beta_async_tools):
        with pytest.raises(TypeError, match="spread"):
            make(TOOLS, {"pay": pays})
        assert make(TOOLS, {"pay": spread(pays)})


def test_the_host_sees_what_each_call_came_to(server: ModelServer) -> None:
    outputs: list[Any] = []
    registry = Registry(on_call=lambda started: outputs.append).with_tools(TOOLS)
    conversation = registry.conversation()
    script(server, *([("pay", "{}")] for _ in range(3)))
    run(server, beta_tools(conversation, {"pay": pay}))
    # A conversation that is the host's compares all calls until its first round begins.
    assert [output.recovery for output in outputs] == ["correct", "ask_user", "give_up"]
    assert conversation.ledger.turn.failed


def test_what_the_model_is_shown(server: ModelServer) -> None:
    script(server)
    run(server, beta_tools(TOOLS, {"pay": pay}))
    assert server.requests[-1]["tools"] == [{"name": "pay", "description": "Pay.", "input_schema": SCHEMA}]


def test_names_and_roots_that_the_api_does_not_take(server: ModelServer) -> None:
    tools = compile_tools(
        [
            {"name": "math.sum", "inputSchema": {"type": "array", "items": {"type": "integer"}}},
            {"name": "x" * 200, "inputSchema": {"type": "object"}},
        ]
    )
    made = beta_tools(tools, lambda name, payload: f"{name[:8]} {payload}")
    names = [tool.name for tool in made]
    turn = [(names[0], '{"_payload": [1, 2]}'), (names[0], '{"_payload": [1, "2"]}'), (names[1], "{}")]
    script(server, turn)
    run(server, made)
    (_, added), (wrong, why), (_, long) = told(server)
    assert added == "math.sum [1, 2]"
    assert wrong
    assert "[1]" in why
    assert long == f"{'x' * 8} {{}}"


def test_images_come_through(server: ModelServer) -> None:
    picture = {"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}], "isError": False}
    script(server, [("pay", '{"amount": 1}')])
    run(server, beta_tools(TOOLS, lambda name, payload: picture))
    (result,) = server.requests[-1]["messages"][-1]["content"]
    assert [block["type"] for block in result["content"]] == ["text", "image"]


def test_a_tool_without_a_handler_is_a_mistake_of_the_program() -> None:
    for make in (beta_tools, beta_async_tools):
        with pytest.raises(KeyError, match="no handler for the tool 'pay'"):
            make(TOOLS, {})
