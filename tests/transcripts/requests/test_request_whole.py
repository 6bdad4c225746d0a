"""What a whole request says beside its messages counts when it is encoded: state and cache points."""

from __future__ import annotations

from itertools import product
from typing import Any

from helpers.support import JsonObject, for_each, for_each_at_once

from toolgen_transcripts import check, encode_request

SCHEMA = {"type": "object", "properties": {}}
POINT = {"cache_control": {"type": "ephemeral"}}


@for_each(
    [{"previous_response_id": "resp_1"}, {"conversation": "conv_1"}, {"conversation": {"id": "conv_1"}}]
)
def test_a_result_whose_call_the_server_has_stays(state: JsonObject) -> None:
    result = {"type": "function_call_output", "call_id": "t1", "output": "x"}
    request = {"model": "gpt-5", "input": [result], **state}
    made = encode_request(request, None, "openai_responses", model="gpt-5", origin="openai_responses")
    assert made.request == request
    assert made.changes == ()


def _text(text: str, *, marked: bool) -> JsonObject:
    return {"type": "text", "text": text, **(POINT if marked else {})}


def _claude(points: int, **beside: Any) -> JsonObject:
    """Return a request with a cache point in the prompt, one in the tools and some in the messages."""
    content = [_text(f"part {i}", marked=i < points) for i in range(6)]
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 10,
        "system": [_text("Be brief.", marked=True)],
        "tools": [{"name": "look", "input_schema": SCHEMA, **POINT}],
        "messages": [{"role": "user", "content": content}],
        **beside,
    }


MODELS = {"anthropic": "claude-sonnet-4-5", "bedrock": "anthropic.claude-sonnet-4-5-v1:0"}


@for_each_at_once(product([False, True, "1h"], [0, 1, 2, 3, 6], [{}, POINT], ["anthropic", "bedrock"]))
def test_a_request_has_at_most_four_cache_points(cache: Any, points: Any, beside: Any, target: Any) -> None:
    model = {
        "anthropic": "claude-sonnet-4-5",
        "bedrock": "anthropic.claude-sonnet-4-5-v1:0",
    }[target]
    given = _claude(points, **beside)
    made = encode_request(given, None, target, model=model, origin="anthropic", cache=cache)
    assert made.remaining == ()
    assert check(made.request, target, model=model) == []
    text = str(made.request)
    assert text.count("cache_control") + text.count("cachePoint") <= 4


def test_a_cache_point_stands_once_where_the_request_has_one_already() -> None:
    given = {
        "modelId": "m",
        "system": [{"text": "Be brief."}, {"cachePoint": {"type": "default"}}],
        "messages": [{"role": "user", "content": [{"text": "Hi"}, {"cachePoint": {"type": "default"}}]}],
    }
    made = encode_request(given, None, "bedrock", model="m", origin="bedrock", cache=True)
    assert made.request == given


def test_parallel_calls_are_left_out_without_tools() -> None:
    request = {"model": "gpt-5", "parallel_tool_calls": True, "messages": [{"role": "user", "content": "Hi"}]}
    encoded = encode_request(request, None, "openai", model="gpt-5", origin="openai")
    assert "parallel_tool_calls" not in encoded.request
    assert [note.pointer for note in encoded.diagnostics] == ["/parallel_tool_calls"]
    assert encoded.remaining == ()


@for_each(["messages", "input"])
def test_a_streamed_request_stays_streamed(key: str) -> None:
    provider = {"messages": "openai", "input": "openai_responses"}[key]
    request = {"model": "gpt-5", key: [{"role": "user", "content": "Hi"}], "stream": True}
    made = encode_request(request, None, provider, model="gpt-5", origin=provider)
    assert made.request == request
    other = encode_request(request, None, "bedrock", model=MODELS["bedrock"], origin=provider)
    assert "stream" not in other.request
    assert other.diagnostics == ()
