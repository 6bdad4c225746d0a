"""What streams bring beside text and function calls: kept, and in the form in which it goes back."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from support import table

from toolgen_runtime.providers import anthropic, bedrock, gemini, openai, openai_responses
from toolgen_runtime.providers.shared.stream_result import Completed
from toolgen_runtime.transcript import Opaque, Reasoning, Text, ToolCall, ToolResult, Transcript, Turn

CASES = table("provider_streams.json")["stream_contents"]


def assembled(provider: Any, events: list[Any]) -> Completed:
    assembler = provider.StreamAssembler()
    for event in events:
        assembler.feed(event)
    done: Completed = assembler.finish()
    return done


def sent(provider: Any, done: Completed) -> Any:
    """The message as it goes into the next request."""
    encoded = provider.encode_messages(Transcript((done.turn(),)))
    assert encoded.diagnostics == ()
    return encoded.messages


# ---- Gemini's arguments in pieces ----


def gemini_parts(*calls: Any, finish: str | None = "STOP") -> list[Any]:
    events: list[Any] = [{"candidates": [{"content": {"parts": [{"functionCall": call}]}}]} for call in calls]
    return [*events, {"candidates": [{"content": {"parts": []}, "finishReason": finish}]}]


def piece(path: str, **value: Any) -> dict[str, Any]:
    return {"jsonPath": path, **value}


@pytest.mark.parametrize(("_", "calls", "payload"), CASES["pieces"])
def test_gemini_arguments_in_pieces_are_put_together(_: str, calls: list[Any], payload: Any) -> None:
    done = assembled(gemini, gemini_parts(*calls))
    (call,) = done.calls
    assert (call.ready, call.name, call.input) == (True, "f", payload)
    (message,) = sent(gemini, done)
    assert message["parts"][0]["functionCall"]["args"] == payload


@pytest.mark.parametrize(
    "calls",
    [
        [{"name": "f", "partialArgs": [piece("$.city", stringValue="Par")], "willContinue": True}],
        [{"name": "f", "willContinue": True}, {"name": "g", "args": {}}],
        [{"name": "f", "partialArgs": [piece("$..city", stringValue="x")], "willContinue": True}, {}],
        [{"name": "f", "partialArgs": [piece("$.a[3]", numberValue=1)], "willContinue": True}, {}],
        [
            {"name": "f", "partialArgs": [piece("$.a", stringValue="x", willContinue=True)], "willContinue": True},
            {},
        ],
        [
            {"name": "f", "partialArgs": [piece("$.a", numberValue=1), piece("$.a.b", numberValue=1)],
             "willContinue": True},
            {},
        ],
    ],
)  # fmt: skip
def test_gemini_arguments_that_are_not_all_there_are_not_run(calls: list[Any]) -> None:
    first = assembled(gemini, gemini_parts(*calls)).calls[0]
    assert (first.ready, first.truncated) == (False, True)


@pytest.mark.parametrize(("items", "ready"), [(10_000, True), (10_001, False)])
def test_gemini_arguments_in_pieces_are_bounded(items: int, ready: bool) -> None:
    pieces = [piece(f"$.rows[{index}]", numberValue=1) for index in range(items)]
    (call,) = assembled(gemini, gemini_parts({"name": "f", "partialArgs": pieces})).calls
    assert call.ready is ready


# ---- Anthropic ----


def claude(*blocks: tuple[Any, list[Any]], stop: str = "end_turn") -> list[Any]:
    events: list[Any] = [{"type": "message_start", "message": {"id": "m1", "model": "x", "usage": {}}}]
    for index, (start, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += [{"type": "content_block_delta", "index": index, "delta": d} for d in deltas]
        events.append({"type": "content_block_stop", "index": index})
    return [
        *events,
        {"type": "message_delta", "delta": {"stop_reason": stop, "container": {"id": "c"}}, "usage": {}},
        {"type": "message_stop"},
    ]


def test_anthropic_citations_and_server_tools_go_back() -> None:
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"title": "t"}]}
    cited = {"type": "web_search_result_location", "cited_text": "c"}
    events = claude(
        (
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
            [{"type": "input_json_delta", "partial_json": p} for p in ('{"query"', ': "x"}')],
        ),
        (found, []),
        (
            {"type": "text", "text": "", "citations": None},
            [{"type": "citations_delta", "citation": cited}, {"type": "text_delta", "text": "So."}],
        ),
    )
    done = assembled(anthropic, events)
    assert (done.text, done.calls) == ("So.", ())
    (message,) = sent(anthropic, done)
    assert message["content"] == [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
        found,
        {"type": "text", "text": "So.", "citations": [cited]},
    ]
    assert done.metadata == {"id": "m1", "model": "x", "container": {"id": "c"}}
    foreign = bedrock.encode_messages(Transcript((done.turn(),)))
    assert [d.code for d in foreign.diagnostics] == ["field-dropped", "opaque-dropped", "opaque-dropped"]


@pytest.mark.parametrize("text", ['{"a": ', '{"a": 1', '{"a": 1}}', '{"a": tru', "[", '{"a": 1,}'])
@pytest.mark.parametrize("stop", ["tool_use", "end_turn", "max_tokens"])
def test_eager_input_that_ends_as_no_json_is_never_run(text: str, stop: str) -> None:
    """With `eager_input_streaming` the input is streamed unchecked, and may end in the middle."""
    start = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
    deltas = [{"type": "input_json_delta", "partial_json": text}]
    (call,) = assembled(anthropic, claude((start, deltas), stop=stop)).calls
    assert not call.ready
    assert {issue.constraint for issue in call.issues} <= {"json", "truncated"}


# ---- Bedrock ----


def test_bedrock_citations_server_tools_and_metadata() -> None:
    def start(index: int, **value: Any) -> Any:
        return {"contentBlockStart": {"start": value, "contentBlockIndex": index}}

    def delta(index: int, **value: Any) -> Any:
        return {"contentBlockDelta": {"delta": value, "contentBlockIndex": index}}

    def stop(index: int) -> Any:
        return {"contentBlockStop": {"contentBlockIndex": index}}

    use = {"toolUseId": "s1", "name": "nova_code_interpreter", "type": "server_tool_use"}
    result = {"toolUseId": "s1", "type": "nova_code_interpreter_result", "status": "success"}
    done = assembled(
        bedrock,
        [
            {"messageStart": {"role": "assistant"}},
            {"brandNewEvent": {}},
            start(0, toolUse=use), delta(0, toolUse={"input": '{"q":'}), delta(0, toolUse={"input": " 1}"}), stop(0),
            start(1, toolResult=result), delta(1, toolResult=[{"text": "x"}]), stop(1),
            delta(2, text="So"), delta(2, citation={"title": "t"}), delta(2, text="."), stop(2),
            {"messageStop": {"stopReason": "end_turn", "additionalModelResponseFields": {"stop_sequence": "x"}}},
            {
                "metadata": {
                    "usage": {"inputTokens": 1},
                    "metrics": {"latencyMs": 5},
                    "trace": {"guardrail": {"actionReason": "r"}},
                    "serviceTier": {"type": "flex"},
                    "performanceConfig": {"latency": "standard"},
                }
            },
        ],
    )  # fmt: skip
    assert (done.text, done.calls, done.usage) == ("So.", (), {"inputTokens": 1})
    assert done.skipped == ("brandNewEvent", "server_tool_use", "toolResult")
    assert set(done.metadata) == {
        "additionalModelResponseFields", "metrics", "trace", "serviceTier", "performanceConfig",
    }  # fmt: skip
    assert sent(bedrock, done)[0]["content"] == [
        {"toolUse": {**use, "input": {"q": 1}}},
        {"toolResult": {**result, "content": [{"text": "x"}]}},
        {"citationsContent": {"content": [{"text": "So."}], "citations": [{"title": "t"}]}},
    ]


KEPT: dict[str, tuple[str, list[Any], Any]] = CASES["kept"]
"""The provider, the events, the message that the provider's own SDK makes of them."""


@pytest.mark.parametrize(("provider", "events", "message"), KEPT.values(), ids=KEPT)
def test_what_is_streamed_goes_back_as_the_whole_message_would(
    provider: str, events: list[Any], message: Any
) -> None:
    module = import_module(f"toolgen_runtime.providers.{provider}")
    done = assembled(module, events)
    (*written,) = sent(module, done)
    if provider == "openai_responses":
        assert written == message
    elif provider == "openai":
        assert written == [{"role": "assistant", **message}]
    else:
        assert written[0]["parts" if provider == "gemini" else "content"] == message
    again = module.decode_messages(written).turns[0]
    assert again.blocks == done.turn().blocks
    assert not done.truncated


def test_a_signature_without_a_text_is_no_blank_text_for_others() -> None:
    _, events, _ = KEPT["a signature without a text"]
    turn = assembled(gemini, events).turn()
    for module in (anthropic, bedrock, openai):
        encoded = module.encode_messages(Transcript((turn,)))
        assert [d.code for d in encoded.diagnostics] == ["field-dropped"]
        (message,) = encoded.messages
        assert message["content"] in ("A", [{"type": "text", "text": "A"}], [{"text": "A"}])


def test_a_message_in_which_nothing_came_is_not_sent_back() -> None:
    for module in (anthropic, bedrock, gemini, openai, openai_responses):
        done = assembled(module, [])
        assert done.blocks == ()
        encoded = module.encode_messages(Transcript((done.turn(),)))
        assert (encoded.messages, [d.code for d in encoded.diagnostics]) == ([], ["turn-dropped"])


def test_the_text_of_the_final_event_is_shown() -> None:
    *_, (_, events, _) = KEPT.values()
    deltas = openai_responses.StreamAssembler().feed(events[0])
    assert [(delta.kind, delta.text) for delta in deltas] == [
        ("text", "Hi"),
        ("call", ""),
        ("arguments", "{}"),
    ]


def test_an_item_that_the_final_event_changes_is_not_run() -> None:
    done = {"type": "response.output_item.done", "output_index": 0, "item": FINAL_CALL}
    for changed, ready in ({}, True), ({"arguments": '{"a": 1}'}, False), ({"type": "message"}, False):
        output = [{**FINAL_CALL, **changed}]
        end = {"type": "response.completed", "response": {"status": "completed", "output": output}}
        (call,) = assembled(openai_responses, [done, end]).calls
        assert call.ready is ready


def test_an_event_that_is_nested_too_deeply_spoils_the_message() -> None:
    deep: Any = "x"
    for _ in range(400):
        deep = {"a": deep}
    for module in (anthropic, bedrock, gemini, openai, openai_responses):
        done = assembled(module, [{"odd": deep}])
        assert "deeper than 200 levels" in done.why


# ---- OpenAI ----


def items(*done: dict[str, Any]) -> list[Any]:
    events: list[Any] = []
    for index, item in enumerate(done):
        started = {key: value for key, value in item.items() if key not in ("input", "action", "content")}
        events.append({"type": "response.output_item.added", "output_index": index, "item": started})
        if isinstance(item.get("input"), str):
            delta = {"type": "response.custom_tool_call_input.delta", "output_index": index}
            events += [{**delta, "delta": letter} for letter in item["input"]]
        for part, given in enumerate(item.get("content", ())):
            text = {"type": "response.output_text.delta", "output_index": index, "content_index": part}
            events.append({**text, "delta": given["text"]})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    response = {"status": "completed", "service_tier": "flex", "metadata": {"k": "v"}}
    return [*events, {"type": "response.completed", "response": response}]


RESPONSE_ITEMS: list[dict[str, Any]] = CASES["response_items"]
*_, FINAL_CALL = KEPT["items of the final event alone"][2]


def test_responses_calls_of_every_kind_are_seen_and_go_back() -> None:
    done = assembled(openai_responses, items(*RESPONSE_ITEMS))
    assert done.truncated is False
    assert [[c.id, c.name, c.kind, c.namespace, c.input] for c in done.ready_calls] == CASES["calls"]
    assert sent(openai_responses, done) == RESPONSE_ITEMS
    assert done.metadata == {"status": "completed", "service_tier": "flex", "metadata": {"k": "v"}}


def test_responses_that_come_whole_have_the_same_calls() -> None:
    response = {"status": "completed", "output": RESPONSE_ITEMS}
    found = openai_responses.read_tool_uses(response)
    assert [[c.id, c.name, c.kind, c.namespace, c.input] for c in found] == CASES["calls"]
    assert all(c.ready and c.source is not None for c in found)
    assert [u.get("kind") for u in openai_responses.parse_tool_uses(response)] == [
        "custom", "custom", "shell", "apply_patch", "computer", None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "item",
    [
        {"type": "shell_call", "call_id": "c", "action": {}, "environment": {"type": "container_reference"}},
        {"type": "custom_tool_call", "call_id": "xs_call_1", "name": "x_keyword_search", "input": "{}"},
        {"type": "tool_search_call", "call_id": "c", "execution": "server", "arguments": {}},
        {"type": "code_interpreter_call", "id": "c", "code": "1"},
    ],
)
def test_what_the_server_runs_is_no_call_of_ours(item: dict[str, Any]) -> None:
    assert openai_responses.read_tool_uses({"status": "completed", "output": [item]}) == []
    done = assembled(openai_responses, items(item))
    assert (done.calls, done.blocks) == ((), (Opaque("openai_responses", item),))


@pytest.mark.parametrize(("kind", "item"), CASES["results"])
def test_a_result_is_of_the_kind_of_its_call(kind: str, item: dict[str, Any]) -> None:
    turn = Turn("tool", (ToolResult("c", (Text("done"),), kind=kind),))
    assert openai_responses.encode_messages(Transcript((turn,))).messages == [item]


def test_chat_custom_calls_and_what_servers_add() -> None:
    def chunk(delta: Any, finish: str | None = None) -> Any:
        return {
            "id": "x",
            "service_tier": "flex",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }

    start = {"index": 0, "id": "c1", "type": "custom", "custom": {"name": "sql", "input": ""}}
    events = [
        chunk({"role": "assistant", "reasoning": "Hm."}),
        chunk({"annotations": [{"type": "url_citation"}]}),
        chunk({"tool_calls": [start]}),
        chunk({"tool_calls": [{"index": 0, "custom": {"input": "SELECT"}}]}),
        chunk({"tool_calls": [{"index": 0, "custom": {"input": " 1"}}]}),
        chunk({}, "tool_calls"),
    ]
    done = assembled(openai, events)
    assert done.turn().blocks == (Reasoning("Hm."), ToolCall("c1", "sql", "SELECT 1", kind="custom"))
    assert done.metadata == {"id": "x", "service_tier": "flex", "annotations": [{"type": "url_citation"}]}
    call = {"type": "custom", "id": "c1", "custom": {"name": "sql", "input": "SELECT 1"}}
    assert sent(openai, done) == [
        {
            "role": "assistant",
            "content": None,
            "reasoning": "Hm.",
            "annotations": [{"type": "url_citation"}],
            "tool_calls": [call],
        }
    ]


def test_a_custom_call_goes_to_others_as_a_function_call() -> None:
    calls = [{"type": "custom_tool_call", "call_id": "c1", "name": "sql", "input": "SELECT 1"}]
    history = [*calls, {"type": "custom_tool_call_output", "call_id": "c1", "output": "1"}]
    transcript = openai_responses.decode_messages(history)
    for target in ("bedrock", "anthropic", "gemini"):
        module = import_module(f"toolgen_runtime.providers.{target}")
        encoded = module.encode_messages(transcript)
        assert any("kind of call" in d.message for d in encoded.diagnostics)
        (call,) = module.decode_messages(encoded.messages).turns[0].calls
        assert (call.name, call.input) == ("sql", "SELECT 1")
    chat = openai.encode_messages(transcript)
    assert chat.diagnostics == ()
    assert chat.messages[0]["tool_calls"][0]["custom"] == {"input": "SELECT 1", "name": "sql"}


def test_namespaces_keep_tools_of_one_name_apart() -> None:
    calls = [
        {
            "type": "function_call",
            "call_id": f"c{n}",
            "name": "get",
            "namespace": namespace,
            "arguments": "{}",
        }
        for n, namespace in enumerate(("crm", "hr"))
    ]
    transcript = openai_responses.decode_messages(calls)
    assert [c.name for c in transcript.turns[0].calls] == ["crm.get", "hr.get"]
    assert openai_responses.encode_messages(transcript).messages == calls
    fresh = Transcript((Turn("assistant", (ToolCall("c0", "crm.get", {}, namespace="crm"),)),))
    assert openai_responses.encode_messages(fresh).messages == calls[:1]
    foreign = bedrock.encode_messages(transcript)
    assert [c.name for c in bedrock.decode_messages(foreign.messages).turns[0].calls] == ["crm.get", "hr.get"]
