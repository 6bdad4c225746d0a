"""One rule says which stop reasons leave a message whole: a response and a stream of it agree on every one."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any, get_args

import pytest

from toolgen_runtime.providers import (
    anthropic,
    bedrock,
    gemini,
    gemini_interactions,
    openai,
    openai_responses,
)
from toolgen_runtime.providers.shared.errors import ProviderResponseError
from toolgen_runtime.providers.shared.wire import Wire

ABSENT: Any = object()
Body = dict[str, Any]

USE = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
CHAT_CALL = {"id": "t1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ITEM = {"type": "function_call", "call_id": "t1", "name": "f", "arguments": "{}"}


def said(key: str, stop: Any) -> Body:
    return {} if stop is ABSENT else {key: stop}


def bedrock_response(stop: Any) -> Body:
    block = {"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}
    return {"output": {"message": {"role": "assistant", "content": [block]}}, **said("stopReason", stop)}


def bedrock_events(stop: Any) -> list[Body]:
    return [
        {"messageStart": {"role": "assistant"}},
        {
            "contentBlockStart": {
                "start": {"toolUse": {"toolUseId": "t1", "name": "f"}},
                "contentBlockIndex": 0,
            }
        },
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"messageStop": said("stopReason", stop)},
    ]


def anthropic_response(stop: Any) -> Body:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [USE],
        **said("stop_reason", stop),
    }


def anthropic_events(stop: Any) -> list[Body]:
    return [
        {"type": "message_start", "message": {}},
        {"type": "content_block_start", "index": 0, "content_block": USE},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": said("stop_reason", stop)},
        {"type": "message_stop"},
    ]


def openai_response(stop: Any) -> Body:
    return {"choices": [{"index": 0, "message": {"tool_calls": [CHAT_CALL]}, **said("finish_reason", stop)}]}


def openai_events(stop: Any) -> list[Body]:
    started = {"index": 0, "delta": {"tool_calls": [{"index": 0, **CHAT_CALL}]}}
    return [{"choices": [started]}, {"choices": [{"index": 0, "delta": {}, **said("finish_reason", stop)}]}]


def responses_response(stop: Any) -> Body:
    return {"output": [ITEM], **said("status", stop)}


def responses_events(stop: Any) -> list[Body]:
    return [
        {"type": "response.output_item.added", "output_index": 0, "item": ITEM},
        {"type": "response.output_item.done", "output_index": 0, "item": ITEM},
        {"type": "response.completed", "response": responses_response(stop)},
    ]


def gemini_response(stop: Any) -> Body:
    content = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}
    return {"candidates": [{"content": content, **said("finishReason", stop)}]}


STEP = {"type": "function_call", "id": "t1", "name": "f", "arguments": {}}


def interactions_response(stop: Any) -> Body:
    return {"steps": [STEP], **said("status", stop)}


def interactions_events(stop: Any) -> list[Body]:
    return [
        {"event_type": "step.start", "index": 0, "step": STEP},
        {"event_type": "step.delta", "index": 0, "delta": {"type": "arguments_delta", "arguments": "{}"}},
        {"event_type": "step.stop", "index": 0},
        {"event_type": "interaction.completed", "interaction": {"id": "i", **said("status", stop)}},
    ]


Made = Callable[[Any], Any]
PROVIDERS: dict[str, tuple[Any, Made, Made]] = {
    "bedrock": (bedrock, bedrock_response, bedrock_events),
    "anthropic": (anthropic, anthropic_response, anthropic_events),
    "openai": (openai, openai_response, openai_events),
    "openai_responses": (openai_responses, responses_response, responses_events),
    "gemini": (gemini, gemini_response, lambda stop: [gemini_response(stop)]),
    "gemini_interactions": (gemini_interactions, interactions_response, interactions_events),
}
WHOLE = {
    "bedrock": {"end_turn", "tool_use", "stop_sequence"},
    "anthropic": {"end_turn", "tool_use", "stop_sequence", "pause_turn", "compaction"},
    "openai": {"stop", "tool_calls"},
    "openai_responses": {"completed"},
    "gemini": {"STOP"},
    "gemini_interactions": {"completed", "requires_action"},
}
CUT = {
    "bedrock": """max_tokens guardrail_intervened content_filtered malformed_model_output malformed_tool_use
        model_context_window_exceeded""",
    "anthropic": "max_tokens refusal model_context_window_exceeded",
    "openai": "length content_filter function_call error",
    "openai_responses": "incomplete failed cancelled in_progress queued",
    "gemini": """FINISH_REASON_UNSPECIFIED MAX_TOKENS SAFETY RECITATION LANGUAGE OTHER BLOCKLIST PROHIBITED_CONTENT SPII
        MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS IMAGE_SAFETY""",
    "gemini_interactions": """in_progress failed cancelled incomplete budget_exceeded queued
        requires_continuation""",
}
ODD = ["not_yet_invented", "STOP ", "Tool_Use", "", None, 0, 7, True, ["tool_use"], {"stop": 1}, ABSENT]
TABLE = [
    (provider, stop)
    for provider in PROVIDERS
    for stop in (*sorted(WHOLE[provider]), *CUT[provider].split(), *ODD)
]


@pytest.mark.parametrize(("provider", "stop"), TABLE)
def test_a_response_and_a_stream_agree(provider: str, stop: Any) -> None:
    module, response, _ = PROVIDERS[provider]
    whole = stop is ABSENT or (isinstance(stop, str) and stop in WHOLE[provider])
    if stop is not ABSENT:
        agrees_with_stream(provider, stop, whole=whole)
    (call,) = module.read_tool_uses(response(stop))
    assert call.ready is whole
    assert call.truncated is not whole
    if whole:
        assert [use["id"] for use in module.parse_tool_uses(response(stop))] == [call.id]
        return
    with pytest.raises(ProviderResponseError) as caught:
        module.parse_tool_uses(response(stop))
    assert caught.value.field in ("stopReason", "stop_reason", "finish_reason", "status", "finishReason")


def agrees_with_stream(provider: str, stop: Any, *, whole: bool) -> None:
    module, response, events = PROVIDERS[provider]
    assembler = module.StreamAssembler()
    for event in events(stop):
        assembler.feed(event)
    done = assembler.finish()
    assert [call.ready for call in done.calls] == [whole]
    assert done.truncated is not whole
    (call,) = module.read_tool_uses(response(stop))
    if isinstance(stop, str):
        assert call.issues == done.calls[0].issues  # in the same words


@pytest.mark.parametrize("provider", ["bedrock", "anthropic", "openai", "gemini", "gemini_interactions"])
def test_a_stream_that_says_nothing_of_its_end_is_cut(provider: str) -> None:
    module, _, events = PROVIDERS[provider]
    assembler = module.StreamAssembler()
    for event in events(ABSENT):
        assembler.feed(event)
    done = assembler.finish()
    assert done.truncated
    assert not any(call.ready for call in done.calls)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_list_stands_with_the_provider(provider: str) -> None:
    wire: Wire = import_module(f"toolgen_runtime.providers.{provider}.wire").WIRE
    assert wire.provider == provider
    assert {reason for reason, stop in wire.stops.items() if stop.whole} == WHOLE[provider]
    assert set(CUT[provider].split()) <= {*wire.stops}


BARE = [
    (bedrock, {"role": "assistant", "content": bedrock_response(ABSENT)["output"]["message"]["content"]}),
    (bedrock, {"role": "assistant", "content": [USE]}),
    (anthropic, {"role": "assistant", "content": [USE]}),
    (openai_responses, {"output": [ITEM]}),
    (gemini_interactions, {"steps": [STEP]}),
]


@pytest.mark.parametrize(("module", "message"), BARE)
@pytest.mark.parametrize("more", [{}, {"id": "x", "model": "x", "usage": {}}])
def test_a_message_that_says_nothing_of_its_end_is_whole(module: Any, message: Body, more: Body) -> None:
    assert [use["id"] for use in module.parse_tool_uses({**message, **more})] == ["t1"]
    (call,) = module.read_tool_uses({**message, **more})
    assert call.ready


def test_a_bedrock_response_without_a_stop_reason_is_whole() -> None:
    use = {"type": "tool_use", "toolUseId": "abc123", "name": "query_tasks", "input": {"status": "open"}}
    response = {"output": {"message": {"content": [use]}}}
    assert bedrock.parse_tool_use(response) == {
        "id": "abc123",
        "name": "query_tasks",
        "input": {"status": "open"},
    }
    with pytest.raises(ProviderResponseError):
        bedrock.parse_tool_use({**response, "stopReason": "max_tokens"})


@pytest.mark.parametrize("status", ["completed", "incomplete", None])
@pytest.mark.parametrize("event", ["response.completed", "response.incomplete", "response.failed"])
@pytest.mark.parametrize("details", [None, {"reason": "max_output_tokens"}])
def test_a_responses_stream_is_whole_only_if_all_says_so(status: Any, event: str, details: Any) -> None:
    body = {"output": [ITEM], "status": status, "incomplete_details": details}
    assembler = openai_responses.StreamAssembler()
    for sent in [*responses_events("completed")[:-1], {"type": event, "response": body}]:
        assembler.feed(sent)
    whole = (status, details) == ("completed", None)
    assert bool(assembler.finish().ready_calls) is (whole and event == "response.completed")
    (call,) = openai_responses.read_tool_uses(body)
    assert call.ready is whole


@pytest.mark.parametrize("status", [None, ABSENT, "completed", "incomplete", "in_progress", "brand_new", 7])
def test_an_item_is_judged_alike(status: Any) -> None:
    item = {**ITEM, **said("status", status)}
    assembler = openai_responses.StreamAssembler()
    for sent in responses_events("completed"):
        assembler.feed(json.loads(json.dumps(sent)) | ({"item": item} if "item" in sent else {}))
    (call,) = openai_responses.read_tool_uses({"output": [item], "status": "completed"})
    (streamed,) = assembler.finish().calls
    assert call.ready is streamed.ready is (status in (None, "completed") or status is ABSENT)


def published() -> dict[str, set[str]]:
    """Return the stop reasons that the newest SDKs know, by provider."""
    types = pytest.importorskip("google.genai.types", reason="the SDK is not installed")
    steps = pytest.importorskip("google.genai.interactions", reason="the SDK is not installed")
    claude = pytest.importorskip("anthropic.types.beta", reason="the SDK is not installed")
    chat = pytest.importorskip("openai.types.chat.chat_completion", reason="the SDK is not installed")
    items = pytest.importorskip("openai.types.responses", reason="the SDK is not installed")
    loaders = pytest.importorskip("botocore.loaders", reason="the SDK is not installed")
    converse = loaders.create_loader().load_service_model("bedrock-runtime", "service-2")["shapes"]
    details = items.response.IncompleteDetails.model_fields["reason"].annotation
    return {
        "anthropic": {*get_args(claude.BetaStopReason)},
        "bedrock": {*converse["StopReason"]["enum"]},
        "gemini": {reason.value for reason in types.FinishReason},
        "gemini_interactions": {*get_args(get_args(steps.Interaction.model_fields["status"].annotation)[0])},
        "openai": {*get_args(chat.Choice.model_fields["finish_reason"].annotation)},
        "openai_responses": {
            *get_args(items.ResponseStatus),
            *(reason for each in get_args(details) for reason in get_args(each)),
        },
    }


def test_every_published_stop_reason_is_known() -> None:
    for provider, reasons in published().items():
        assert len(reasons) > 3
        assert reasons - {*import_module(f"toolgen_runtime.providers.{provider}.wire").WIRE.stops} == set()
    gemini_stops = import_module("toolgen_runtime.providers.gemini.wire").WIRE.stops
    assert "unknown" not in {stop.finish for stop in gemini_stops.values()}


def test_the_enum_of_an_sdk_counts_by_its_value() -> None:
    types = pytest.importorskip("google.genai.types", reason="the SDK is not installed")
    for reason in types.FinishReason:
        response = gemini_response(reason)
        (call,) = gemini.read_tool_uses(response)
        assembler = gemini.StreamAssembler()
        assembler.feed(response)
        assert call.ready is bool(assembler.finish().ready_calls) is (reason.value == "STOP")
