"""`adapters.loop` with LiteLLM: what its client returns. Streams are in `seams/litellm.py`."""

from __future__ import annotations

import asyncio
from typing import Any

import litellm
import pytest
from helpers.model_servers import WIRES, model_server

from toolgen import compile_tools
from toolgen_adapters import loop
from toolgen_runtime import Conversation
from toolgen_transcripts import check

PAY = {
    "name": "pay",
    "inputSchema": {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]},
}
CALLS = [("a", "pay", '{"amount": 1}'), ("b", "pay", '{"amount": "x"}'), ("c", "pay", '{"amount": 3}')]


@pytest.mark.parametrize("asynchronous", [False, True], ids=["completion", "acompletion"])
def test_each_call_of_an_answer_gets_a_result_that_the_history_takes(asynchronous: bool) -> None:
    asked: Any = {"model": "openai/m", "messages": [{"role": "user", "content": "go"}], "api_key": "none"}
    with model_server() as server:
        server.answers.append(WIRES[0].answer(CALLS, True))
        asked["base_url"] = f"{server.url}/v1"
        response: Any = (
            asyncio.run(litellm.acompletion(**asked)) if asynchronous else litellm.completion(**asked)
        )
    conversation = Conversation(compile_tools([PAY]))
    results = loop.results(
        response, conversation, {"pay": lambda payload: f"paid {payload['amount']}"}, provider="openai"
    )
    assert [result["content"] for result in results] == [
        "paid 1", 'pay was not run. amount: change "x" to an integer', "paid 3",
    ]  # fmt: skip
    said = response.model_dump()["choices"][0]["message"]
    assert check([*asked["messages"], said, *results], "openai") == []


def test_a_history_with_a_call_that_was_cut_off_goes_to_anthropic() -> None:
    from litellm.litellm_core_utils.prompt_templates.factory import anthropic_messages_pt

    function = {"name": "pay", "arguments": '{"amount": '}
    call = {"id": "c1", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    result = {"role": "tool", "tool_call_id": "c1", "content": "the hint"}
    history = [{"role": "user", "content": "go"}, loop.readable(message), result]
    sent: Any = anthropic_messages_pt(history, "claude-sonnet-4-5", "anthropic")
    assert sent[1]["content"][0]["input"] == {}
    assert loop.readable(message | {"tool_calls": None}) == message | {"tool_calls": None}
