"""Gemini's Interactions API: what is its own, beside the tables that all providers share.

The events and requests are those of its documentation (https://ai.google.dev/gemini-api/docs/interactions/streaming
and function-calling, 2026-06), with values of our own; google-genai's types are asked of what is written.
"""

from __future__ import annotations

from typing import Any

import pytest
from google.genai import interactions as types
from helpers.providers import assembled
from helpers.sdk_samples import variants
from helpers.support import for_each, table
from pydantic import TypeAdapter

from toolgen import compile_tools
from toolgen_adapters.loop import results
from toolgen_runtime import Conversation
from toolgen_transcripts import (
    Json,
    Settings,
    Text,
    Transcript,
    Turn,
    check,
    decode_response,
    encode_request,
    gemini_interactions as api,
    repair,
)
from toolgen_transcripts.codec.encoding import Encoded
from toolgen_transcripts.codec.errors import GeminiResponseError
from toolgen_transcripts.errors import classify_llm_error
from toolgen_transcripts.gemini_interactions.wire import WIRE
from toolgen_transcripts.streams.result import Completed, StreamError

Native = dict[str, Any]
NAME = "gemini_interactions"

CASES = table("provider_streams.json")["interactions"]
WHOLE: Native = CASES["whole"]
STREAM: list[Native] = CASES["stream"]
HI: Native = {"type": "user_input", "content": [{"type": "text", "text": "Hi"}]}
CREATED, USAGE = STREAM[0], WHOLE["usage"]
SEARCH, FOUND, THOUGHT, SAID, CALL = WHOLE["steps"]


def written(done: Completed) -> Any:
    return api.encode_messages(Transcript((done.turn(),))).messages


def test_a_stream_is_the_whole_message() -> None:
    done, whole = assembled(NAME, STREAM), decode_response(WHOLE, NAME)
    assert written(done) == WHOLE["steps"] == api.encode_messages(Transcript((whole.turn,))).messages
    assert done.turn().blocks == whole.turn.blocks
    assert [(c.id, c.name, c.input, c.ready) for c in done.calls] == [
        (c.id, c.name, c.input, c.ready) for c in whole.calls
    ]
    assert (done.stop_reason, done.usage, done.metadata["id"]) == ("requires_action", USAGE, "v1_x")


def test_the_sdk_takes_the_events_and_what_is_written() -> None:
    adapter = TypeAdapter(types.InteractionSSEEvent)
    objects = [adapter.validate_python(event) for event in STREAM]
    assert not [each for each in objects if type(each).__name__.startswith("Unknown")]
    assert written(assembled(NAME, objects)) == written(assembled(NAME, STREAM))
    response = types.Interaction.model_validate(WHOLE)
    assert decode_response(response, NAME).turn.blocks == decode_response(WHOLE, NAME).turn.blocks
    assert [c.input for c in api.read_tool_uses(response)] == [CALL["arguments"]]
    steps = [kind for kind in variants(types.Step) if not kind.__name__.startswith("Unknown")]
    assert {kind.model_fields["type"].default for kind in steps} == WIRE.messages.item_types


SPOILT: dict[str, tuple[list[Native], str]] = CASES["spoilt"]


@pytest.mark.parametrize("case", SPOILT)
def test_only_a_call_that_came_whole_is_ready(case: str) -> None:
    events, why = SPOILT[case]
    done = assembled(NAME, events)
    reasons = {done.why, *(str(issue.expected) for call in done.calls for issue in call.issues)} - {""}
    assert [call.ready for call in done.calls] == [not why] * len(done.calls)
    assert len(done.calls) or case == "a call after the end"
    assert (why in reasons) if why else not reasons


def test_a_failed_interaction_has_no_steps() -> None:
    for body in ({"id": "x", "status": "failed"}, {"id": "x", "status": "in_progress", "steps": None}):
        decoded = decode_response(body, NAME)
        assert (decoded.turn.blocks, decoded.calls) == ((), ())
    assert decode_response(body | {"status": "failed"}, NAME).finish == "error"
    with pytest.raises(GeminiResponseError) as caught:
        api.parse_tool_uses({"status": "requires_action", "steps": []})
    assert caught.value.path == "steps"


def test_a_response_without_what_the_caller_said() -> None:
    steps = [HI, SAID]
    decoded = decode_response({"status": "completed", "steps": steps, "usage": USAGE}, NAME)
    assert (decoded.text, decoded.finish) == ("It is high.See?", "stop")
    assert (decoded.usage.input_tokens, decoded.usage.output_tokens) == (8, 189)  # thoughts are counted apart


RESULT = {"type": "function_result", "call_id": "k", "result": "grey"}


@for_each(CASES["requests"])
def test_what_check_names_repair_puts_right(request_: Native, slugs: list[str]) -> None:
    found = check(request_, NAME)
    assert sorted(v.slug for v in found) == sorted(slugs)
    repaired = repair(request_, NAME)
    callers = {"duplicate-tool"}  # which of two tools was meant, only the caller can say
    assert bool(repaired.changes) == bool({*slugs} - callers)
    left = check({**request_, "input": repaired.messages} | (repaired.tools or {}), NAME)
    assert [v.slug for v in left] == [v.slug for v in repaired.remaining]


def test_a_sound_history_is_left_alone() -> None:
    steps = [{"type": "user_input", "content": "Hi"}, *WHOLE["steps"], RESULT]
    assert check(steps, NAME) == []
    repaired = repair(steps, NAME)
    assert (repaired.messages, repaired.changes) == (steps, ())


def look(city: str = "") -> str:
    return f"grey in {city}"


SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}, "n": {"type": "number"}}}
TOOLS = compile_tools([{"name": "f", "description": "Look.", "schema": SCHEMA}])


@for_each(
    [
        ("auto", None),
        ("required", "any"),
        ("none", "none"),
        ({"tool": "f"}, {"allowed_tools": {"mode": "any", "tools": ["f"]}}),
    ]
)
def test_tools_and_their_choice_go_there_and_back(choice: Any, said: Any) -> None:
    block = api.encode_tools(TOOLS, choice=choice)
    assert block.get("generation_config", {}).get("tool_choice") == said
    (tool,) = api.decode_tools(block)
    assert (tool.name, tool.description, tool.schema) == ("f", "Look.", SCHEMA)
    settings = Settings(max_tokens=9, temperature=0.5, stop=("x",))
    made = encode_request(
        [], TOOLS, NAME, origin=NAME, model="gemini-3-pro", choice=choice, settings=settings
    )
    again = encode_request({**made.request, "input": "Hi"}, None, NAME, origin=NAME, model="gemini-3-pro")
    assert again.request == {
        **made.request,
        "input": [HI],
    }
    chat = encode_request(again.request, None, "openai", origin=NAME, model="gpt-5").request
    assert chat["tool_choice"] == {"auto": "auto", "any": "required", "none": "none"}.get(
        said or "auto" if not isinstance(said, dict) else "", {"type": "function", "function": {"name": "f"}}
    )


def test_a_request_of_another_provider() -> None:
    request = {
        "model": "gpt-5",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
        "reasoning_effort": "high",
        "max_completion_tokens": 9,
        "response_format": {"type": "json_object"},
    }
    made = encode_request(request, None, NAME, origin="openai", model="gemini-3.5-flash")
    assert made.request == {
        "model": "gemini-3.5-flash",
        "system_instruction": "Be brief.",
        "input": [HI],
        "generation_config": {"max_output_tokens": 9},
    }
    assert [d.code for d in made.diagnostics] == ["setting-dropped", "setting-dropped", "system-moved"]


def test_the_answers_of_a_loop_are_steps_of_the_next_input() -> None:
    found = results(WHOLE, Conversation(TOOLS), {"f": lambda payload: look(payload["city"])}, provider=NAME)
    assert found == [
        {
            "type": "function_result",
            "call_id": "k",
            "name": "f",
            "is_error": False,
            "result": [{"type": "text", "text": "grey in Oslo"}],
        }
    ]
    assert check({"previous_interaction_id": "v1_x", "input": list(found)}, NAME) == []


# a text (one is of allenhutchison/gemini-cli-deep-research#73, 2026-06-12) or the code of an error in a stream
@for_each(CASES["errors"])
def test_its_errors_are_classified(error: Any, kind: str, retryable: bool) -> None:
    found = classify_llm_error(error if isinstance(error, str) else StreamError(error["code"]))
    assert (found.kind, found.retryable) == (kind, retryable)


def test_an_object_of_any_members_is_data() -> None:
    """The documentation shows `{"content": [...]}` and `{"response": ...}` alike, and says what neither means."""
    read = api.decode_messages([CALL, {**RESULT, "result": {"content": [{"type": "text", "text": "x"}]}}])
    assert read.turns[1].results[0].content == (Json({"content": [{"type": "text", "text": "x"}]}),)
    encoded: Encoded = api.encode_messages(Transcript((read.turns[0], read.turns[1])))
    assert encoded.messages[1]["result"] == {"content": [{"type": "text", "text": "x"}]}
    assert api.decode_messages([CALL, RESULT]).turns[1].results[0].content == (Text("grey"),)


def test_texts_of_another_provider_share_a_step() -> None:
    turn = Turn("assistant", (Text("a"), Text("b")))
    content = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert api.encode_messages(Transcript((turn,))).messages == [{"type": "model_output", "content": content}]


@for_each(
    [
        (NAME, {"type": "function_call", "call_id": "k", "name": "f", "arguments": "{}"}, "openai_responses"),
        ("openai_responses", CALL, NAME),
    ]
)
def test_a_call_alone_tells_the_two_apis_of_items_apart(provider: str, item: Native, other: str) -> None:
    (violation,) = check([item], provider)
    assert (violation.slug, violation.message.rpartition(" ")[2]) == ("other-provider", other)
