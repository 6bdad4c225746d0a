"""One rule says which stop reasons leave a message whole: a response and a stream of it agree on every one."""

from __future__ import annotations

from importlib import import_module
from itertools import product
from typing import Any, get_args

import pytest
from anthropic.types import beta as claude
from botocore.loaders import create_loader
from google.genai import interactions as steps, types
from helpers.providers import MODULES, assembled
from helpers.support import for_each, for_each_at_once, table
from openai.types import responses as items
from openai.types.chat import chat_completion as chat

from toolgen_transcripts import (
    decode_response,
    gemini,
    openai_responses,
)
from toolgen_transcripts.codec.errors import ProviderResponseError
from toolgen_transcripts.codec.wire import Wire
from toolgen_transcripts.streams.result import Completed

ABSENT: Any = object()
MADE = table("provider_streams.json")["stop_reasons"]
"""By provider a response with one call, and its events; `<stop>` is in the place of the stop reason."""
ITEM = MADE["openai_responses"]["response"]["output"][0]


def stopped(value: Any, stop: Any) -> Any:
    """Return a value with its stop reason; without the member if it is absent."""
    if isinstance(value, dict):
        return {k: stopped(v, stop) for k, v in value.items() if v != "<stop>" or stop is not ABSENT}
    if isinstance(value, list):
        return [stopped(each, stop) for each in value]
    return stop if value == "<stop>" else value


def response(provider: str, stop: Any) -> Any:
    return stopped(MADE[provider]["response"], stop)


def streamed(provider: str, stop: Any) -> Completed:
    return assembled(provider, stopped(MADE[provider]["events"], stop))


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
        idle requires_continuation""",
}
ODD = ["not_yet_invented", "STOP ", "Tool_Use", "", None, 0, 7, True, ["tool_use"], {"stop": 1}, ABSENT]
TABLE = [
    (provider, stop) for provider in MADE for stop in (*sorted(WHOLE[provider]), *CUT[provider].split(), *ODD)
]


@for_each_at_once(TABLE)
def test_a_response_and_a_stream_agree(provider: Any, stop: Any) -> None:
    module, body = MODULES[provider], response(provider, stop)
    whole = stop is ABSENT or (isinstance(stop, str) and stop in WHOLE[provider])
    (call,) = module.read_tool_uses(body)
    assert (call.ready, call.truncated) == (whole, not whole)
    if stop is not ABSENT:
        done = streamed(provider, stop)
        assert [each.ready for each in done.calls] == [whole]
        assert done.truncated is not whole
        assert call.issues == done.calls[0].issues or not isinstance(stop, str)  # in the same words
    if whole:
        assert [use["id"] for use in module.parse_tool_uses(body)] == [call.id]
        return
    with pytest.raises(ProviderResponseError) as caught:
        module.parse_tool_uses(body)
    assert caught.value.field in (
        "stopReason",
        "stop_reason",
        "finish_reason",
        "status",
        "finishReason",
    )


@for_each(["bedrock", "anthropic", "openai", "gemini", "gemini_interactions"])
def test_a_stream_that_says_nothing_of_its_end_is_cut(provider: str) -> None:
    done = streamed(provider, ABSENT)
    assert done.truncated
    assert not any(call.ready for call in done.calls)


@pytest.mark.parametrize("provider", MADE)
def test_the_list_stands_with_the_provider(provider: str) -> None:
    wire: Wire = import_module(f"toolgen_transcripts.{provider}.wire").WIRE
    assert wire.provider == provider
    assert {reason for reason, stop in wire.stops.items() if stop.whole} == WHOLE[provider]
    assert set(CUT[provider].split()) <= {*wire.stops}


NUMBERS = ["FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"]


@for_each([*enumerate(NUMBERS), (6, None), (10, None), (-1, None)])
def test_a_number_of_gemini_is_its_name(number: int, name: str | None) -> None:
    """Protobuf dumps have numbers; from 6 on, the enums of the Gemini API and of Vertex AI differ."""
    assert decode_response(response("gemini", number), "gemini").stop_reason == name
    assert streamed("gemini", number).stop_reason == name
    (call,) = gemini.read_tool_uses(response("gemini", number))
    assert call.ready is (name == "STOP")


@for_each(
    product(
        [None, {"reason": "max_output_tokens"}],
        ["response.completed", "response.incomplete", "response.failed"],
        ["completed", "incomplete", None],
    )
)
def test_a_responses_stream_is_whole_only_if_all_says_so(details: Any, event: str, status: Any) -> None:
    body = {"output": [ITEM], "status": status, "incomplete_details": details}
    events = stopped(MADE["openai_responses"]["events"], "completed")
    done = assembled("openai_responses", [*events[:-1], {"type": event, "response": body}])
    whole = (status, details) == ("completed", None)
    assert bool(done.ready_calls) is (whole and event == "response.completed")
    (call,) = openai_responses.read_tool_uses(body)
    assert call.ready is whole


@for_each([None, ABSENT, "completed", "incomplete", "in_progress", "brand_new", 7])
def test_an_item_is_judged_alike(status: Any) -> None:
    item = stopped({**ITEM, "status": "<stop>"}, status)
    events = stopped(MADE["openai_responses"]["events"], "completed")
    done = assembled("openai_responses", [{**e, "item": item} if "item" in e else e for e in events])
    (call,) = openai_responses.read_tool_uses({"output": [item], "status": "completed"})
    assert call.ready is done.calls[0].ready is (status in (None, "completed") or status is ABSENT)


def published() -> dict[str, set[str]]:
    """Return the stop reasons that the newest SDKs know, by provider."""
    converse = create_loader().load_service_model("bedrock-runtime", "service-2")["shapes"]
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
        assert reasons - {*import_module(f"toolgen_transcripts.{provider}.wire").WIRE.stops} == set()
    gemini_stops = import_module("toolgen_transcripts.gemini.wire").WIRE.stops
    assert "unknown" not in {stop.finish for stop in gemini_stops.values()}


def test_the_enum_of_an_sdk_counts_by_its_value() -> None:
    for reason in types.FinishReason:
        (call,) = gemini.read_tool_uses(response("gemini", reason))
        assert call.ready is bool(streamed("gemini", reason).ready_calls) is (reason.value == "STOP")
