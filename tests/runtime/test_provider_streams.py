"""Every provider's stream reader: the same message from each, cut at every byte; what is odd about each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import table

from toolgen_runtime.providers import anthropic, gemini, openai, openai_responses
from toolgen_runtime.providers.shared.names import encode_input
from toolgen_runtime.providers.shared.stream_reader import Assembler
from toolgen_runtime.providers.shared.stream_result import Completed
from toolgen_runtime.testing import call, stream_events, text
from toolgen_runtime.transcript import Opaque, Reasoning, Text, ToolCall, Transcript

Event = dict[str, Any]


def chat(delta: Event | None = None, finish: str | None = None, **more: Any) -> Event:
    return {"choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}], **more}


def fragment(
    index: int, arguments: str | None = None, id: str | None = None, name: str | None = None
) -> Event:
    function = {"name": name, "arguments": arguments}
    return {"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]}


def block(index: int, start: Event, *deltas: Event) -> list[Event]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def use(id: str, name: str) -> Event:
    return {"type": "tool_use", "id": id, "name": name, "input": {}}


def json_delta(part: str) -> Event:
    return {"type": "input_json_delta", "partial_json": part}


def claude(*blocks: list[Event], stop: str = "tool_use") -> list[Event]:
    return [
        {
            "type": "message_start",
            "message": {"role": "assistant", "usage": {"input_tokens": 3, "output_tokens": 1}},
        },
        {"type": "ping"},
        *(event for events in blocks for event in events),
        {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]


def item(index: int, call_id: str, name: str, *parts: str, status: str | None = "completed") -> list[Event]:
    made = {"type": "function_call", "id": f"fc_{index}", "call_id": call_id, "name": name}
    at = {"output_index": index, "item_id": f"fc_{index}"}
    whole = {**made, "arguments": "".join(parts), "status": status}
    added = {**made, "arguments": "", "status": "in_progress"}
    return [
        {"type": "response.output_item.added", "item": added, **at},
        *({"type": "response.function_call_arguments.delta", "delta": part, **at} for part in parts),
        {"type": "response.function_call_arguments.done", "arguments": "".join(parts), **at},
        {"type": "response.output_item.done", "item": whole, **at},
    ]


DONE: Event = {
    "type": "response.completed",
    "response": {"status": "completed", "usage": {"total_tokens": 4}},
}


@dataclass(frozen=True)
class Case:
    """A provider's stream of the same message: text, then two calls."""

    make: Callable[[], Assembler]
    events: list[Event]
    end: int  # the number of events from the one that ends the message on


TABLES = table("provider_streams.json")["provider_streams"]
BEDROCK = [text("Let me look."), call("t1", "weather", {"city": "Paris"}), call("t2", "ping", "")]
EVENTS: dict[str, list[Event]] = {"bedrock": stream_events(BEDROCK, "tool_use", 5), **TABLES["events"]}
CASES = {
    name: Case(
        import_module(f"toolgen_runtime.providers.{name}").StreamAssembler,
        events,
        2 if name in ("bedrock", "openai") else 1,
    )
    for name, events in EVENTS.items()
}


def assemble(make: Callable[[], Assembler], events: Iterable[Event]) -> Completed:
    assembler = make()
    for event in events:
        assembler.feed(event)
    return assembler.finish()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_same_message_from_every_provider(case: Case) -> None:
    done = assemble(case.make, case.events)
    assert done.turn().blocks == (
        Text("Let me look."),
        ToolCall("t1", "weather", {"city": "Paris"}),
        ToolCall("t2", "ping", {}),
    )
    assert [made.ready for made in done.calls] == [True, True]
    assert not done.truncated
    assert done.usage


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_deltas_add_up_to_the_message(case: Case) -> None:
    assembler = case.make()
    deltas = [delta for event in case.events for delta in assembler.feed(event)]
    done = assembler.finish()
    assert "".join(d.text for d in deltas if d.kind == "text") == done.text
    for made in done.calls:
        mine = [d for d in deltas if d.call_id == made.id]
        assert mine[0].kind == "call"
        assert {d.name for d in mine} == {made.name}
        assert "".join(d.text for d in mine) == made.arguments


def _spoilt(value: Any, random: Any) -> Any:
    """The value with a member here and there left out or put in another type."""
    if random.random() < 0.03:
        return random.choice([None, 7, -1.5, "x", "", [], {}, [None], {"type": 3}, True])
    if isinstance(value, dict):
        return {key: _spoilt(item, random) for key, item in value.items() if random.random() > 0.02}
    if isinstance(value, list):
        return [_spoilt(item, random) for item in value]
    return value


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(sorted(CASES)), st.randoms(use_true_random=False))
def test_no_event_raises(provider: str, random: Any) -> None:
    case = CASES[provider]
    events = [spoilt for event in case.events if isinstance(spoilt := _spoilt(event, random), dict)]
    random.shuffle(events) if random.random() < 0.2 else None
    done = assemble(case.make, events)
    for made in done.ready_calls:
        assert isinstance(made.input, dict)
        assert made.id or provider == "gemini"
        assert made.name
    done.turn()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_stream_cut_after_any_event_has_no_ready_call(case: Case) -> None:
    """SDKs drop a cut frame without a word: a cut within a frame is one before it."""
    ending = len(case.events) - case.end + 1
    for count in range(len(case.events) + 1):
        done = assemble(case.make, case.events[:count])
        assert done.truncated == (count < ending), count
        assert len(done.ready_calls) == (0 if count < ending else 2), count


@pytest.mark.parametrize(("provider", "ending", "why"), TABLES["unfinished"])
def test_any_other_end_leaves_no_call_ready(provider: str, ending: Event, why: str) -> None:
    case = CASES[provider]
    done = assemble(case.make, [*case.events[: -case.end], ending])
    assert done.truncated
    assert why in done.why
    assert "secret" not in done.why
    assert len(done.calls) == 2
    assert all(made.truncated for made in done.calls)


def test_anthropic_usage_in_a_delta_of_its_own_keeps_the_stop_reason() -> None:
    events = claude(block(0, use("t1", "a")))
    events.insert(
        -1, {"type": "message_delta", "delta": {"stop_reason": None}, "usage": {"output_tokens": 10}}
    )
    done = assemble(anthropic.StreamAssembler, events)
    assert (done.stop_reason, done.usage) == ("tool_use", {"input_tokens": 3, "output_tokens": 10})


def test_anthropic_arguments_in_the_start_are_read() -> None:
    given = {"type": "tool_use", "id": "t1", "name": "a", "input": {"x": 1}}
    done = assemble(anthropic.StreamAssembler, claude(block(0, given)))
    assert [made.input for made in done.ready_calls] == [{"x": 1}]


def test_anthropic_passes_over_server_tools_and_sdk_events() -> None:
    server = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    events = claude(block(0, server, json_delta('{"q": 1}')), block(1, use("t1", "a"), json_delta("{}")))
    events.insert(5, {"type": "input_json", "partial_json": "{}", "snapshot": {}})
    done = assemble(anthropic.StreamAssembler, events)
    assert [made.id for made in done.calls] == ["t1"]
    assert done.skipped == ("server_tool_use",)


def test_openai_servers_that_give_every_call_the_index_0() -> None:
    events = [
        chat(fragment(0, '{"a": 1}', "t1", "weather")),
        chat(fragment(0, '{"a": 2}', "t2", "weather")),
        chat(fragment(0, "{}", "t3", "ping")),
        chat(finish="stop"),
    ]
    done = assemble(openai.StreamAssembler, events)
    assert [(made.id, made.input) for made in done.ready_calls] == [
        ("t1", {"a": 1}),
        ("t2", {"a": 2}),
        ("t3", {}),
    ]


def test_openai_servers_that_repeat_the_id() -> None:
    events = [
        chat(fragment(0, '{"a"', "t1", "weather")),
        chat(fragment(0, ": 1", "t1", "weather")),
        chat(fragment(0, "}", "other")),
        chat(finish="stop"),
    ]
    assert [made.input for made in assemble(openai.StreamAssembler, events).ready_calls] == [{"a": 1}]


def test_openai_reads_the_choice_that_was_asked_for() -> None:
    second = {"choices": [{"index": 1, "delta": {"content": "B"}, "finish_reason": "stop"}]}
    events = [chat({"content": "A"}), second, chat(finish="length")]
    assert assemble(openai.StreamAssembler, events).stop_reason == "length"
    done = assemble(lambda: openai.StreamAssembler(choice=1), events)
    assert (done.text, done.truncated) == ("B", False)


def test_openai_content_may_be_parts() -> None:
    """Mistral sends its reasoning so, and goes back and forth between parts and a text."""
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "H"}]}
    events = [
        chat({"content": "A"}),
        chat({"content": [thought]}),
        chat({"content": [{**thought, "thinking": [{"type": "text", "text": "m"}]}]}),
        chat({"content": [{"type": "text", "text": "So"}, {"type": "reference", "reference_ids": [1]}]}),
        chat({"content": [{"type": "reference", "reference_ids": [2]}]}),
        chat({"content": "."}),
        chat(finish="stop"),
    ]
    done = assemble(openai.StreamAssembler, events)
    (sent,) = openai.encode_messages(Transcript((done.turn(),))).messages
    assert done.text == "ASo."
    assert sent["content"] == [
        {"type": "text", "text": "A"},
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]},
        {"type": "text", "text": "So"},
        {"type": "reference", "reference_ids": [1]},
        {"type": "reference", "reference_ids": [2]},
        {"type": "text", "text": "."},
    ]


def test_openai_calls_without_an_index_are_told_apart_by_their_ids() -> None:
    def unnumbered(id: str | None, name: str | None, arguments: str) -> Event:
        return chat({"tool_calls": [{"id": id, "function": {"name": name, "arguments": arguments}}]})

    events = [
        chat(fragment(0, "{}", "t1", "a")),
        unnumbered("t2", "b", '{"x"'),
        unnumbered("t3", "b", "{}"),
        unnumbered("t2", None, ": 1}"),
    ]
    done = assemble(openai.StreamAssembler, [*events, chat(finish="tool_calls")])
    assert [(made.id, made.input) for made in done.ready_calls] == [("t1", {}), ("t2", {"x": 1}), ("t3", {})]
    for stray in (unnumbered(None, "a", "{}"), unnumbered("t9", None, "{}")):
        done = assemble(openai.StreamAssembler, [*events, stray, chat(finish="tool_calls")])
        assert done.truncated
        assert not done.ready_calls


def test_responses_lost_delta_is_noticed() -> None:
    events = item(0, "t1", "a", '{"x": 1', ', "y": 2', "}")
    del events[2]
    done = assemble(openai_responses.StreamAssembler, [*events, *item(1, "t2", "a", "{}"), DONE])
    assert [made.ready for made in done.calls] == [False, True]
    assert "missing" in done.calls[0].issues[0].expected


def test_responses_without_deltas_take_the_arguments_of_the_item() -> None:
    events = [event for event in item(0, "t1", "a", '{"x": 1}') if "delta" not in event]
    for start in (0, 1, 2):  # and without the start, the item's end says it all
        done = assemble(openai_responses.StreamAssembler, [*events[start:], DONE])
        assert [(made.id, made.input) for made in done.ready_calls] == [("t1", {"x": 1})]


@pytest.mark.parametrize(("status", "ready"), [("completed", True), (None, True), ("incomplete", False)])
def test_responses_incomplete_item_is_not_ready(status: str | None, ready: bool) -> None:
    events = item(0, "t1", "a", "{}", status=status)
    (made,) = assemble(openai_responses.StreamAssembler, [*events, DONE]).calls
    assert (made.ready, made.truncated) == (ready, not ready)


def test_responses_reasoning_parts_and_server_tools() -> None:
    at = {"output_index": 0}
    summary = {"type": "response.reasoning_summary_text.delta", **at}
    encrypted = {"type": "reasoning", "encrypted_content": "gAAA"}
    events = [
        {"type": "response.output_item.added", **at, "item": {"type": "reasoning"}},
        {**summary, "summary_index": 0, "delta": "One"},
        {**summary, "summary_index": 1, "delta": "Two"},
        {"type": "response.output_item.done", **at, "item": encrypted},
        {"type": "response.output_item.added", "output_index": 1, "item": {"type": "web_search_call"}},
        DONE,
    ]
    done = assemble(openai_responses.StreamAssembler, events)
    assert done.reasoning == (Reasoning("One\n\nTwo", "gAAA"),)
    assert done.skipped == ("web_search_call",)


def test_gemini_sdk_names_thoughts_and_calls_without_an_id() -> None:
    content = {
        "parts": [
            {"text": "Hm", "thought": True, "thought_signature": b"\x01"},
            {"function_call": {"name": "weather", "args": {"city": "Paris"}}},
            {"text": "and"},
            {"executable_code": {"code": "1"}, "text": None},
        ]
    }
    event = {"candidates": [{"content": content, "finish_reason": "STOP"}], "usage_metadata": {"total": 1}}
    done = assemble(gemini.StreamAssembler, [event])
    assert done.turn().blocks == (
        Reasoning("Hm", "AQ=="),
        ToolCall(None, "weather", {"city": "Paris"}),
        Text("and"),
        Opaque("gemini", {"executable_code": {"code": "1"}}),
    )
    assert done.calls[0].ready
    assert done.skipped == ("executable_code",)


def test_responses_items_go_back_as_they_came() -> None:
    """With `store` a reasoning item is known by its id alone, and a call must come with it."""
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": None}
    events = [
        {"type": "response.output_item.done", "output_index": 0, "item": thought},
        *item(1, "t1", "a", "{}"),
        DONE,
    ]
    turn = assemble(openai_responses.StreamAssembler, events).turn()
    sent = openai_responses.encode_messages(Transcript((turn,))).messages
    assert sent[0] == {"type": "reasoning", "id": "rs_1", "summary": []}
    assert sent[1]["id"] == "fc_1"


def test_a_payload_that_is_no_object_comes_out_of_its_wrapping() -> None:
    wrapped = chat(fragment(0, json.dumps(encode_input([1, 2])), "t1", "a"))
    (made,) = assemble(openai.StreamAssembler, [wrapped, chat(finish="stop")]).ready_calls
    assert made.input == [1, 2]
