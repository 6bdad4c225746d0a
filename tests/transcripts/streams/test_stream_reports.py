"""Streams of public bug reports: an empty id repeated, a call that comes whole, a call in two parts, cut thinking."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.providers import MODULES, assembled

from toolgen_transcripts import Transcript, decode_response, encode_request
from toolgen_transcripts.gemini import StreamAssembler

Event = dict[str, Any]


def chat(*fragments: Event, end: str | None = "tool_calls") -> list[Event]:
    deltas = [{"tool_calls": [{"index": 0, "type": "function", **fragment}]} for fragment in fragments]
    ending = [{"choices": [{"index": 0, "delta": {}, "finish_reason": end}]}]
    return [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas] + ending


def gemini(*parts: Event) -> list[Event]:
    chunks: list[Event] = [
        {"candidates": [{"content": {"role": "model", "parts": [part]}}]} for part in parts
    ]
    return [*chunks, {"candidates": [{"finishReason": "STOP"}]}]


def called(**members: Any) -> Event:
    return {"functionCall": members}


START = {"id": "c1", "function": {"name": "weather", "arguments": '{"city": '}}
OSLO = {"city": "Oslo"}
MORE = '"Oslo"}'

READY = [
    pytest.param(
        "openai", chat(START, {"id": "", "function": {"name": "", "arguments": MORE}}), id="DashScope"
    ),
    pytest.param("openai", chat(START, {"function": {"name": "", "arguments": MORE}}), id="Mistral"),
    pytest.param("openai", chat(START, {"id": None, "function": {"arguments": MORE}}), id="null id"),
    pytest.param(
        "gemini", gemini(called(id="c1", name="weather", args={}), called(args=OSLO)), id="arguments apart"
    ),
    pytest.param(
        "gemini",
        gemini(called(id="c1", name="weather"), called(id="c1", name="", args=OSLO)),
        id="the same with an id and an empty name",
    ),
    pytest.param(
        "anthropic",
        [
            {
                "type": "message_start",
                "message": {
                    "id": "m1",
                    "usage": {},
                    "content": [{"type": "tool_use", "id": "c1", "name": "weather", "input": OSLO}],
                    "stop_reason": "tool_use",
                },
            },
            {"type": "message_stop"},
        ],
        id="a call of code that the server runs",
    ),
]


@pytest.mark.parametrize(("provider", "events"), READY)
def test_the_call_is_ready(provider: str, events: list[Event]) -> None:
    done = assembled(provider, events)
    assert [(c.id, c.name, c.input, c.ready) for c in done.calls] == [("c1", "weather", OSLO, True)]
    assert not done.truncated
    (message,) = MODULES[provider].encode_messages(Transcript((done.turn(),))).messages
    assert MODULES[provider].decode_messages([message]).turns[0].calls == done.turn().calls


def test_an_id_that_is_always_empty_is_still_none() -> None:
    events = chat({"id": "", "function": {"name": "weather", "arguments": "{}"}})
    (made,) = assembled("openai", events).calls
    assert (made.id, made.problems) == (None, ("id: empty",))


NOT_TOGETHER = [
    pytest.param((called(name="list", args={"a": 1}), called(args={"b": 2})), id="both have arguments"),
    pytest.param((called(name="list", args={}), {"text": "So"}, called(args={"b": 2})), id="a text between"),
    pytest.param((called(id="c1", name="list"), called(id="c2", args={"b": 2})), id="another id"),
    pytest.param(
        (called(name="list", args={}), called(args={"a": 1}), called(args={"b": 2})), id="three parts"
    ),
]


@pytest.mark.parametrize("parts", NOT_TOGETHER)
def test_a_nameless_part_that_does_not_fit_leaves_no_call_ready(parts: tuple[Event, ...]) -> None:
    done = assembled("gemini", gemini(*parts))
    assert done.ready_calls == ()
    assert len(done.calls) == 2


def test_a_signature_of_the_second_part_stays_with_the_call() -> None:
    signed = {**called(args=OSLO), "thoughtSignature": "s"}
    assembler = StreamAssembler()
    for event in gemini(called(name="weather", args={}), signed):
        assembler.feed(event)
    (message,) = MODULES["gemini"].encode_messages(Transcript((assembler.finish().turn(),))).messages
    assert message["parts"] == [{**called(name="weather", args=OSLO), "thoughtSignature": "s"}]


STARTED: Event = {"type": "message_start", "message": {"id": "m1", "content": [], "usage": {}}}
TEXT: list[Event] = [
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Hi"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
    {"type": "message_stop"},
]


def test_a_start_that_is_sent_twice_is_one_start() -> None:
    assert not assembled("anthropic", [STARTED, STARTED, *TEXT]).truncated
    assert assembled("anthropic", [STARTED, *TEXT[:2], STARTED, *TEXT[2:]]).truncated
    other = {"type": "message_start", "message": {"id": "m2", "content": [], "usage": {}}}
    assert assembled("anthropic", [STARTED, other, *TEXT]).truncated


def thinking(index: int, *, signed: bool) -> list[Event]:
    place = {"index": index}
    delta = {"type": "content_block_delta", **place}
    begun = {"type": "thinking", "thinking": "", "signature": ""}
    half = [
        {"type": "content_block_start", **place, "content_block": begun},
        {**delta, "delta": {"type": "thinking_delta", "thinking": "half"}},
    ]
    if not signed:
        return half
    signature = {**delta, "delta": {"type": "signature_delta", "signature": "s"}}
    return [*half, signature, {"type": "content_block_stop", **place}]


CALL: list[Event] = [
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "id": "c1", "name": "f", "input": {}},
    },
    {"type": "content_block_stop", "index": 1},
]
REASONED: Event = {"choices": [{"index": 0, "delta": {"reasoning_content": "half"}}]}
OVER: Event = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    ("provider", "events", "kinds"),
    [
        ("anthropic", [STARTED, *thinking(0, signed=False)], []),
        ("anthropic", [STARTED, *thinking(0, signed=True)], []),
        (
            "anthropic",
            [STARTED, *thinking(0, signed=True), *CALL, *thinking(2, signed=False)],
            ["thinking", "tool_use"],
        ),
        ("openai", [REASONED], []),
    ],
)
def test_reasoning_at_the_end_of_a_cut_message_is_not_sent_back(
    provider: str, events: list[Event], kinds: list[str]
) -> None:
    done = assembled(provider, events)
    assert done.reasoning[-1].text == "half"
    sent = MODULES[provider].encode_messages(Transcript((done.turn(),))).messages
    assert [block["type"] for message in sent for block in message["content"]] == kinds


def test_reasoning_at_the_end_of_a_whole_message_stays() -> None:
    ended = [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]
    turn = assembled("anthropic", [STARTED, *thinking(0, signed=True), *ended]).turn()
    assert turn.blocks
    assert assembled("openai", [REASONED, OVER]).turn().blocks


def test_a_response_that_the_limit_cut_in_its_thinking_gives_no_thinking_to_the_history() -> None:
    block = {"type": "thinking", "thinking": "half", "signature": "s"}
    response = {"content": [block], "stop_reason": "max_tokens"}
    assert decode_response(response, "anthropic").turn.blocks == ()
    assert decode_response({**response, "stop_reason": "end_turn"}, "anthropic").turn.blocks


SCHEMA = {"type": "object", "properties": {"first_name": {"type": "string"}}, "required": ["first_name"]}


@pytest.mark.parametrize(
    "key", ["responseSchema", "responseJsonSchema", "response_schema", "response_json_schema"]
)
@pytest.mark.parametrize("holder", ["generationConfig", "generation_config", "config"])
def test_properties_of_the_answers_schema_keep_their_names(holder: str, key: str) -> None:
    request = {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        holder: {key: SCHEMA, "max_output_tokens": 5},
    }
    made = encode_request(request, None, "gemini", model="gemini-2.5-flash", origin="gemini").request
    (written,) = [value for name, value in made["generationConfig"].items() if name.startswith("response")]
    assert written == SCHEMA
    assert made["generationConfig"]["maxOutputTokens"] == 5
