"""Streams of tiny deltas, native to each provider: one call in very many pieces, very many calls at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Event = dict[str, Any]


def _bedrock(deltas: int, calls: int) -> list[Event]:
    def block(kind: str, index: int, **members: Any) -> Event:
        return {kind: {"contentBlockIndex": index, **members}}

    begun = [
        block("contentBlockStart", i, start={"toolUse": {"toolUseId": f"c{i}", "name": "t"}})
        for i in range(calls)
    ]
    said = [block("contentBlockDelta", i % calls, delta={"toolUse": {"input": "1"}}) for i in range(deltas)]
    ended = [block("contentBlockStop", i) for i in range(calls)]
    first, last = {"messageStart": {"role": "assistant"}}, {"messageStop": {"stopReason": "tool_use"}}
    return [first, *begun, *said, *ended, last]


def _anthropic(deltas: int, calls: int) -> list[Event]:
    def block(kind: str, index: int, **members: Any) -> Event:
        return {"type": f"content_block_{kind}", "index": index, **members}

    begun = [
        block("start", i, content_block={"type": "tool_use", "id": f"c{i}", "name": "t", "input": {}})
        for i in range(calls)
    ]
    said = [
        block("delta", i % calls, delta={"type": "input_json_delta", "partial_json": "1"})
        for i in range(deltas)
    ]
    first = {"type": "message_start", "message": {"role": "assistant", "content": []}}
    last = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}
    return [first, *begun, *said, *(block("stop", i) for i in range(calls)), last, {"type": "message_stop"}]


def _openai(deltas: int, calls: int) -> list[Event]:
    def chunk(index: int, **members: Any) -> Event:
        return {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": index, **members}]}}]}

    begun = [
        chunk(i, id=f"c{i}", type="function", function={"name": "t", "arguments": ""}) for i in range(calls)
    ]
    said = [chunk(i % calls, function={"arguments": "1"}) for i in range(deltas)]
    return [*begun, *said, {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}]


def _openai_responses(deltas: int, calls: int) -> list[Event]:
    def item(kind: str, index: int, arguments: str) -> Event:
        made = {"type": "function_call", "id": f"f{index}", "call_id": f"c{index}", "name": "t"}
        kind = f"response.output_item.{kind}"
        return {"type": kind, "output_index": index, "item": {**made, "arguments": arguments}}

    said = [
        {
            "type": "response.function_call_arguments.delta",
            "output_index": i % calls,
            "item_id": f"f{i % calls}",
            "delta": "1",
        }
        for i in range(deltas)
    ]
    ended = [item("done", i, "1" * (deltas // calls)) for i in range(calls)]
    whole = [event["item"] for event in ended]
    last = {"type": "response.completed", "response": {"status": "completed", "output": whole}}
    return [*(item("added", i, "") for i in range(calls)), *said, *ended, last]


def _gemini(deltas: int, calls: int) -> list[Event]:
    def said(part: dict[str, Any]) -> Event:
        return {"candidates": [{"content": {"role": "model", "parts": [part]}}]}

    each = [*[said({"text": "1"})] * (deltas // calls), said({"functionCall": {"name": "t", "args": {}}})]
    return [*each * calls, {"candidates": [{"finishReason": "STOP", "content": {"parts": []}}]}]


def _gemini_interactions(deltas: int, calls: int) -> list[Event]:
    def step(kind: str, index: int, **members: Any) -> Event:
        return {"event_type": f"step.{kind}", "index": index, **members}

    begun = [
        step("start", i, step={"type": "function_call", "id": f"c{i}", "name": "t", "arguments": {}})
        for i in range(calls)
    ]
    piece = {"type": "arguments_delta", "arguments": "1"}
    said = [step("delta", i % calls, delta=piece) for i in range(deltas)]
    last = {"event_type": "interaction.completed", "interaction": {"status": "requires_action"}}
    return [*begun, *said, *(step("stop", i) for i in range(calls)), last]


STREAMS: dict[str, Callable[[int, int], list[Event]]] = {
    "bedrock": _bedrock,
    "anthropic": _anthropic,
    "openai": _openai,
    "openai_responses": _openai_responses,
    "gemini": _gemini,
    "gemini_interactions": _gemini_interactions,
}
"""By provider, the events of some deltas of some calls, the calls in turn."""
