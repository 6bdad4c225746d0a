"""Whole requests from any history, and responses in one form: `encode_request` and `decode_response`."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from helpers.providers import MODELS, MODULES, assert_botocore_takes
from helpers.support import TEXT, JsonObject, for_each, obj, table

from toolgen_transcripts import (
    Settings,
    Text,
    ToolCall,
    ToolResult,
    Transcript,
    Turn,
    check,
    decode_response,
    encode_request,
)
from toolgen_transcripts.tools.definitions import ToolDefinition

PROVIDERS = ("anthropic", "bedrock", "gemini", "openai", "openai_responses")
SCHEMA = obj("city", city=TEXT)
CHAT: JsonObject = {
    "model": "gpt-5",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "weather", "arguments": '{"city":"Oslo"}'},
                }
            ],
        },
        {"role": "user", "content": "Well?"},
    ],
    "tools": [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}],
    "max_tokens": 100,
    "temperature": 0.5,
    "stop": "END",
    "logit_bias": {"1": 2},
}


@for_each(PROVIDERS)
def test_a_whole_request_of_another_provider_becomes_one_that_the_server_takes(target: str) -> None:
    made = encode_request(CHAT, None, target, model=MODELS[target], origin="openai")
    assert check(made.request, target, tools=_tools(made.request, target), model=MODELS[target]) == []
    assert [change.slug for change in made.changes]  # the call had no result
    assert [d.name for d in MODULES[target].decode_tools(_tools(made.request, target))] == ["weather"]
    assert "Be brief." in str(made.request)
    assert "logit_bias" in made.request or any("logit_bias" in d.message for d in made.diagnostics)
    limits = {"max_tokens", "maxTokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens"}
    assert limits & _keys(made.request)
    assert made.remaining == ()


def _tools(request: JsonObject, target: str) -> Any:
    return request["toolConfig"] if target == "bedrock" else request


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(_keys, value.values()))
    return set[str]().union(*map(_keys, value)) if isinstance(value, list) else set()


def test_bedrock_takes_the_request_with_all_that_converse_has() -> None:
    made = encode_request(
        CHAT,
        None,
        "bedrock",
        model=MODELS["bedrock"],
        origin="openai",
        cache="1h",
        settings=Settings(max_tokens=9000, stop=("END",), top_k=5),
        extra={
            "guardrailConfig": {"guardrailIdentifier": "g", "guardrailVersion": "1"},
            "performanceConfig": {"latency": "optimized"},
            "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 2000}},
        },
    )  # fmt: skip
    request = made.request
    assert request["inferenceConfig"] == {"maxTokens": 9000, "stopSequences": ["END"]}
    assert request["additionalModelRequestFields"] == {
        "top_k": 5,
        "thinking": {"type": "enabled", "budget_tokens": 2000},
    }
    point = {"cachePoint": {"type": "default", "ttl": "1h"}}
    assert (request["system"][-1], request["toolConfig"]["tools"][-1]) == (point, point)
    assert request["messages"][-1]["content"][-1] == point
    assert_botocore_takes(request)


def test_anthropic_has_a_limit_and_its_cache_points() -> None:
    history = Transcript((Turn("user", (Text("Hi"),)),), (Text("Be brief."),))
    made = encode_request(history, None, "anthropic", model=MODELS["anthropic"], cache=True)
    assert made.request["max_tokens"] == 4096
    assert made.request["system"] == [
        {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
    ]
    assert made.request["messages"][0]["content"][0]["cache_control"] == {"type": "ephemeral"}
    assert made.diagnostics == ()


def test_no_call_is_forced_while_the_model_thinks() -> None:
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 2000}}
    own = {"messages": [{"role": "user", "content": "q"}], "max_tokens": 9000, **thinking}
    tools = [ToolDefinition("f", "", SCHEMA)]
    for given, extra in ((own, None), ({**own, "thinking": {"type": "disabled"}}, thinking)):
        made = encode_request(
            given, tools, "anthropic", model="m", origin="anthropic", choice="required", extra=extra
        )
        assert (made.request["tool_choice"], made.request["thinking"]) == (
            {"type": "auto"},
            thinking["thinking"],
        )
        assert "choice-thinking" in {each.code for each in made.diagnostics}


def test_a_setting_that_an_api_lacks_is_a_diagnostic() -> None:
    history = Transcript((Turn("user", (Text("Hi"),)),))
    made = encode_request(history, None, "anthropic", model="m", settings=Settings(seed=1, top_p=0.5))
    assert [(d.code, d.pointer) for d in made.diagnostics] == [("setting-dropped", "/settings/seed")]
    assert made.request["top_p"] == 0.5


def test_a_history_that_is_native_needs_its_origin() -> None:
    with pytest.raises(ValueError, match="origin"):
        encode_request(CHAT, None, "bedrock", model="m")
    with pytest.raises(KeyError):
        encode_request(Transcript(), None, "nobody", model="m")


def test_names_lead_back_from_the_response() -> None:
    tools = {"tools": [{"name": "weather.get", "inputSchema": SCHEMA}]}
    from toolgen_transcripts import mcp

    history = Transcript((
        Turn("user", (Text("Hi"),)),
        Turn("assistant", (ToolCall("c 1", "weather.get", {"city": "Oslo"}),)),
        Turn("tool", (ToolResult("c 1", (Text("grey"),)),)),
    ))  # fmt: skip
    made = encode_request(history, mcp.decode_tools(tools), "bedrock", model=MODELS["bedrock"])
    sent = made.request["toolConfig"]["tools"][0]["toolSpec"]["name"]
    assert made.request["messages"][1]["content"][0]["toolUse"]["name"] == sent != "weather.get"
    use = {"toolUse": {"toolUseId": "t1", "name": sent, "input": {"city": "Rome"}}}
    response = {
        "output": {"message": {"role": "assistant", "content": [{"text": "Hm."}, use]}},
        "stopReason": "tool_use",
        "usage": {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15, "cacheReadInputTokens": 90},
    }
    said = decode_response(response, "bedrock", codec=made.codec)
    assert (said.text, said.finish, said.stop_reason) == ("Hm.", "tool_calls", "tool_use")
    assert [(c.name, c.input, c.ready) for c in said.calls] == [("weather.get", {"city": "Rome"}, True)]
    assert (said.usage.input_tokens, said.usage.output_tokens, said.usage.cache_read_tokens) == (100, 5, 90)
    again = encode_request(
        Transcript((*history.turns, said.turn)), None, "bedrock", model=MODELS["bedrock"], codec=made.codec
    )
    assert check(again.request, "bedrock", model=MODELS["bedrock"]) == []


RESPONSES = table("provider_responses.json")["provider_responses"]["of requests"]


@for_each(PROVIDERS)
def test_responses_say_the_same_in_one_form(provider: str) -> None:
    said = decode_response(RESPONSES[provider], provider)
    assert (said.text, said.finish, said.calls) == ("So", "length", ())
    assert (said.usage.input_tokens, said.usage.output_tokens) == (4, 2)


def test_a_call_is_the_finish_where_the_api_says_only_that_it_stopped() -> None:
    call = {"functionCall": {"name": "f", "args": {}}}
    content = {"role": "model", "parts": [call]}
    said = decode_response({"candidates": [{"content": content, "finishReason": "STOP"}]}, "gemini")
    assert said.finish == "tool_calls"


def test_where_thinking_is_not_said_the_model_decides_what_it_wants_back() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "x"},
    ]
    tools = [ToolDefinition("f", "", {"type": "object"})]
    for model, placed in (("deepseek-reasoner", True), ("kimi-k2-thinking", True), ("gpt-4.1", False)):
        made = encode_request(history, tools, "openai", model=model, origin="openai")
        assert ("reasoning_content" in made.request["messages"][1]) is placed
        assert check({**made.request, "model": model}, "openai") == []


def test_a_history_of_another_host_has_its_signatures_replaced() -> None:
    part = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2ln"}
    history = [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [part]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": "x"}}}]},
    ]
    tools = [ToolDefinition("f", "", {"type": "object"})]
    model = "gemini-3-pro-preview"
    for moved in (False, True):
        made = encode_request(history, tools, "gemini", model=model, origin="gemini", moved=moved)
        signature = made.request["contents"][1]["parts"][0]["thoughtSignature"]
        assert (signature == "c2ln") is not moved
        assert made.remaining == ()


def test_a_response_that_the_limit_cut_in_its_thinking_gives_no_thinking_to_the_history() -> None:
    block = {"type": "thinking", "thinking": "half", "signature": "s"}
    response = {"content": [block], "stop_reason": "max_tokens"}
    assert decode_response(response, "anthropic").turn.blocks == ()
    assert decode_response({**response, "stop_reason": "end_turn"}, "anthropic").turn.blocks


@for_each(
    product(
        ["generationConfig", "generation_config", "config"],
        ["responseSchema", "responseJsonSchema", "response_schema", "response_json_schema"],
    )
)
def test_properties_of_the_answers_schema_keep_their_names(holder: str, key: str) -> None:
    request = {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        holder: {key: SCHEMA, "max_output_tokens": 5},
    }
    made = encode_request(request, None, "gemini", model="gemini-2.5-flash", origin="gemini").request
    (written,) = [value for name, value in made["generationConfig"].items() if name.startswith("response")]
    assert written == SCHEMA
    assert made["generationConfig"]["maxOutputTokens"] == 5
