"""Histories of every provider: there and back without a loss, across with every loss said."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest
from helpers.providers import MODULES as ALL, assert_botocore_takes
from helpers.support import JsonObject, for_each, for_each_at_once, table

from toolgen_transcripts import (
    Json,
    Media,
    Opaque,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    Transcript,
    Turn,
    bedrock,
    check,
    codec_for,
    mcp,
    openai,
    openai_responses,
)
from toolgen_transcripts.codec.media import from_base64, from_data_url
from toolgen_transcripts.codec.wrapped import WRAPPED

PNG = b"\x89PNG\r\n"


def user(*content: Any) -> JsonObject:
    return {"role": "user", "content": list(content)}


def assistant(*content: Any) -> JsonObject:
    return {"role": "assistant", "content": list(content)}


CASES = table("provider_histories.json")["provider_messages"]
CORPORA = {
    name: CASES[key]
    for name, key in zip(ALL, ("claude", "bedrock", "gemini", "steps", "chat", "responses"), strict=True)
}
HISTORIES = [
    pytest.param(provider, messages, id=f"{provider}-{name}")
    for provider, corpus in CORPORA.items()
    for name, messages in corpus.items()
]


def exact(value: Any) -> str:
    """A text that tells 1 from 1.0 and from true, whatever the order of keys."""
    return json.dumps(value, sort_keys=True, default=repr)


@for_each(HISTORIES)
def test_there_and_back_nothing_is_lost(provider: str, messages: list[Any]) -> None:
    before = copy.deepcopy(messages)
    transcript = ALL[provider].decode_messages(messages)
    encoded = ALL[provider].encode_messages(transcript)
    assert exact(encoded.messages) == exact(messages)
    assert encoded.diagnostics == ()
    assert messages == before
    for message in encoded.messages:  # what was given out is not what was taken in
        message.clear()
    assert messages == before
    assert exact(ALL[provider].encode_messages(transcript).messages) == exact(before)


@for_each(CASES["systems"])
def test_the_system_prompt_of_a_whole_request_comes_back(provider: str, request_: JsonObject) -> None:
    system = next(value for key, value in request_.items() if key not in ("messages", "contents", "input"))
    assert ALL[provider].encode_messages(ALL[provider].decode_messages(request_)).system == system


def calls_of(transcript: Transcript) -> list[tuple[str, str]]:
    return [(c.name, exact(c.input)) for t in transcript for c in t.calls]


def answers_of(transcript: Transcript) -> list[str | None]:
    """The name of the tool that each result answers, by its call's id."""
    names = {c.id: c.name for t in transcript for c in t.calls}
    return [names.get(r.id) for t in transcript for r in t.results]


SOUND = [p for p in HISTORIES if not p.id.endswith(("broken", "odd"))]


@for_each_at_once((target, *case.values) for target in ALL for case in SOUND)
def test_across_providers_calls_and_results_stay(target: Any, provider: Any, messages: Any) -> None:
    transcript = ALL[provider].decode_messages(messages)
    encoded = ALL[target].encode_messages(transcript)
    back = ALL[target].decode_messages(
        encoded.messages, **({} if target == "openai" else {"system": encoded.system})
    )
    assert calls_of(back) == calls_of(transcript)
    if target != provider:
        assert len([r for t in back for r in t.results]) == len([r for t in transcript for r in t.results])
        losses = " ".join(d.code for d in encoded.diagnostics)
        assert ("opaque-dropped" in losses) == any(
            isinstance(b, Opaque) for t in transcript for b in inside(t)
        )
        if any(isinstance(b, Reasoning) for t in transcript for b in t.blocks) and {
            provider,
            target,
        } != {
            "bedrock",
            "anthropic",
        }:
            assert "reasoning-dropped" in losses


@for_each_at_once(CASES["across"])
def test_a_history_of_another_provider_is_encoded_with_every_loss(
    source: Any, messages: Any, target: Any, wanted: Any
) -> None:
    encoded = ALL[target].encode_messages(ALL[source].decode_messages(messages))
    codes = [loss.code for loss in encoded.diagnostics]
    said = {"messages": encoded.messages, "system": encoded.system, "codes": codes}
    assert exact({key: value for key, value in said.items() if value}) == exact(wanted)


def test_a_call_that_is_made_up_has_its_namespace() -> None:
    turn = Turn("assistant", (ToolCall("c0", "crm.get", {}, namespace="crm"),))
    (call,) = openai_responses.encode_messages(Transcript((turn,))).messages
    assert (call["name"], call["namespace"]) == ("get", "crm")


def inside(turn: Turn) -> list[Any]:
    """The blocks of a turn and of its results."""
    return [*turn.blocks, *(b for r in turn.results for b in r.content)]


def test_media_go_across_as_bytes() -> None:
    image = user({"text": "See"}, {"image": {"format": "png", "source": {"bytes": PNG}}})
    transcript = bedrock.decode_messages([image])
    assert transcript.turns[0].blocks[1] == Media("image", "image/png", PNG)
    for target in ALL:
        encoded = ALL[target].encode_messages(transcript)
        (turn,) = ALL[target].decode_messages(encoded.messages)
        assert turn.blocks[1] == Media("image", "image/png", PNG), target
        assert encoded.diagnostics == ()


def test_media_that_a_provider_cannot_take_are_named_and_noted() -> None:
    turn = Turn(
        "user",
        (Media("image", uri="https://example.com/a.png"), Media("document", "text/x-odd", b"x", name="n")),
    )
    encoded = bedrock.encode_messages(Transcript((turn,)))
    assert encoded.messages == [user({"text": "[image omitted]"}, {"text": "[document omitted: n]"})]
    assert [(d.code, d.pointer) for d in encoded.diagnostics] == [
        ("media-dropped", "/turns/0/blocks/0"),
        ("media-dropped", "/turns/0/blocks/1"),
    ]


def test_a_hand_written_transcript_is_encoded_for_all() -> None:
    transcript = Transcript(
        (
            Turn("user", (Text("Weather?"),)),
            Turn("assistant", (Text("Hm."), ToolCall("c 1", "a.b", {"x": 1}), ToolCall("c2", "rows", [1]))),
            Turn("tool", (ToolResult("c 1", (Text("no"),), True), ToolResult("c2", (Json([1, 2]),)))),
            Turn("user", (Text("Go on."),)),
        ),
        (Text("Be brief."),),
    )
    for target in ALL:
        codec = codec_for(target)
        encoded = ALL[target].encode_messages(transcript, codec=codec)
        assert check(encoded.messages, target) == []
        back = ALL[target].decode_messages(encoded.messages, codec=codec)
        assert calls_of(back) == calls_of(transcript)
        assert answers_of(back) == ["a.b", "rows"]
        assert target == "openai" or encoded.system


def test_the_same_names_and_inputs_on_the_wire_as_in_the_tools() -> None:
    transcript = Transcript((Turn("assistant", (ToolCall("c1", "a.b", [1, 2]),)),))
    (block,) = bedrock.encode_messages(transcript).messages[0]["content"]
    assert block["toolUse"]["name"] == codec_for("bedrock").encode_name("a.b")
    assert block["toolUse"]["input"] == {WRAPPED: [1, 2]}
    assert calls_of(bedrock.decode_messages(bedrock.encode_messages(transcript).messages)) == calls_of(
        transcript
    )


def test_an_edited_block_is_written_afresh_and_the_others_stay() -> None:
    messages = [assistant({"text": "a", "more": 1}, {"text": "b", "more": 2})]
    transcript = bedrock.decode_messages(messages)
    turn = transcript.turns[0]
    edited = replace(turn, blocks=(replace(turn.blocks[0], text="new"), turn.blocks[1]))
    encoded = bedrock.encode_messages(Transcript((edited,)))
    assert encoded.messages == [assistant({"text": "new"}, {"text": "b", "more": 2})]


@for_each([(1, True), (1, 1.0), (0, False)])
def test_an_edit_that_python_calls_equal_is_an_edit(old: Any, new: Any) -> None:
    transcript = openai.decode_messages(
        [
            {
                "role": "assistant",
                "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": json.dumps({"a": old})}}],
            }
        ]
    )
    call = transcript.turns[0].calls[0]
    edited = replace(transcript.turns[0], blocks=(replace(call, input={"a": new}),))
    (message,) = openai.encode_messages(Transcript((edited,))).messages
    assert message["tool_calls"][0]["function"]["arguments"] == json.dumps({"a": new}, separators=(",", ":"))


# ---- against the real SDKs' own types --------------------------------------------------------------------


def neutral() -> list[tuple[str, Transcript]]:
    return [(p.id, ALL[p.values[0]].decode_messages(p.values[1])) for p in SOUND]


@for_each([pytest.param(t, id=name) for name, t in neutral() if name != "bedrock-unknown blocks"])
def test_botocore_takes_the_messages(transcript: Transcript) -> None:
    encoded = bedrock.encode_messages(transcript)
    system = {"system": encoded.system} if encoded.system else {}
    assert_botocore_takes({"modelId": "m", "messages": encoded.messages, **system})


@for_each(
    [
        ("openai", "openai.types.chat", "ChatCompletionMessageParam"),
        ("openai_responses", "openai.types.responses", "ResponseInputParam"),
        ("anthropic", "anthropic.types", "MessageParam"),
        ("gemini_interactions", "google.genai.interactions", "Step"),
    ]
)
def test_the_sdks_types_take_the_messages(target: str, module: str, param: str) -> None:
    from pydantic import TypeAdapter

    types = pytest.importorskip(module, reason="the SDK is not installed")
    each = getattr(types, param)
    adapter = TypeAdapter(each if target == "openai_responses" else list[each])
    for name, transcript in neutral():
        if name.startswith(target):
            continue  # its own history, with members of our own on purpose
        adapter.validate_python(ALL[target].encode_messages(transcript).messages)


def test_reasoning_is_read_from_summary_and_content() -> None:
    item = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "In short."}],
        "content": [{"type": "reasoning_text", "text": "At length."}],
    }
    (turn,) = openai_responses.decode_messages([item]).turns
    assert turn.blocks == (Reasoning("In short.\n\nAt length."),)


@for_each(["image", "audio"])
def test_media_of_an_mcp_result_are_read(kind: Any) -> None:
    block = {"type": kind, "data": "eA==", "mimeType": f"{kind}/x"}
    assert mcp.decode_result({"content": [block]}).content == (Media(kind, f"{kind}/x", b"x"),)


@for_each(table("provider_streams.json")["provider_messages"]["results"])
def test_a_result_is_of_the_kind_of_its_call(kind: str, item: JsonObject) -> None:
    turn = Turn("tool", (ToolResult("c", (Text("done"),), kind=kind),))
    assert openai_responses.encode_messages(Transcript((turn,))).messages == [item]


@for_each([("_w==", b"\xff"), ("-w==", b"\xfb"), ("/w==", b"\xff"), ("x", None)])
def test_base64_is_read_in_both_alphabets(text: str, data: bytes | None) -> None:
    assert from_base64(text) == data
    assert from_data_url(f"data:text/plain;base64,{text}") == (data and ("text/plain", data))
    assert from_data_url(f"data:text/plain,{text}") is None
