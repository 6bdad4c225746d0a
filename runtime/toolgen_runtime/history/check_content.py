"""Rules 8 to 11, 13 to 19, 30, 31, 35: what stands in the messages, and how they begin and end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgen_runtime.history.capabilities import (
    lacks_result_images,
    lacks_status,
    parts_results,
    takes_prefill,
)
from toolgen_runtime.history.request import Request, Violation
from toolgen_runtime.transcript.messages import Block, Json, Media, Opaque, Text, ToolCall, ToolResult

_INNER = {"bedrock": ("toolUse", "toolResult"), "gemini": ("functionCall", "functionResponse")}

_ID_KEYS = {
    "bedrock": ("toolUseId", "toolUseId"),
    "anthropic": ("id", "tool_use_id"),
    "openai": ("id", "tool_call_id"),
    "openai_responses": ("call_id", "call_id"),
    "gemini": ("id", "id"),
}
"""Where calls and results have their id."""


def says_nothing(result: ToolResult) -> bool:
    """Whether a result has no content but blank text."""
    return all(isinstance(b, Text) and not b.text.strip() for b in result.content)


def _blank(request: Request, block: Block, place: str) -> Iterator[Violation]:
    """Rules 8 and 9."""
    if isinstance(block, Text) and request.tests(8) and not block.text.strip():
        yield request.broken(9 if block.text else 8, place)


def raw_part(part: ToolCall | ToolResult, provider: str) -> dict[str, Any]:
    """The native object with the part's own members, for what the neutral form does not tell."""
    value = part.source.value if part.source is not None else {}
    inner = {"bedrock": "toolUse", "gemini": "functionCall", "openai": "function"}.get(provider)
    if isinstance(part, ToolResult):
        inner = {"bedrock": "toolResult", "gemini": "functionResponse"}.get(provider)
    found = value.get(inner) if inner and isinstance(value, dict) else value
    return found if isinstance(found, dict) else {}


def bad_input(call: ToolCall, provider: str) -> bool:
    """Rule 17: an input that is no object; with OpenAI, arguments that are no text."""
    if provider in ("openai", "openai_responses"):
        return call.source is not None and not isinstance(raw_part(call, provider).get("arguments"), str)
    return not isinstance(call.input, dict)


def bad_json(result: ToolResult, provider: str) -> list[int]:
    """Rule 18: the places in a result of JSON that is no object."""
    if provider == "bedrock":
        return [
            i for i, b in enumerate(result.content) if isinstance(b, Json) and not isinstance(b.value, dict)
        ]
    response = raw_part(result, provider).get("response", {})
    return [0] if provider == "gemini" and not isinstance(response, dict) else []


def _labels(request: Request, part: ToolCall | ToolResult, place: str) -> Iterator[Violation]:
    """Rules 19 and 35."""
    id_key = _ID_KEYS[request.provider][isinstance(part, ToolResult)]
    if part.id is None:
        if request.provider != "gemini":
            yield request.broken(19, f"{place}.{id_key}")
    elif not request.id_rule.legal(part.id):
        rule = 35 if request.id_rule.exact else 19
        yield request.broken(rule, f"{place}.{id_key}", (part.id,), part.id)
    if isinstance(part, ToolCall) or part.name is not None:
        name = part.name or ""
        if not request.name_rule.legal(name):
            yield request.broken(19, f"{place}.name", (part.id,), name)


def _call(request: Request, call: ToolCall, place: str) -> Iterator[Violation]:
    inner = _INNER.get(request.provider)
    yield from _labels(request, call, f"{place}.{inner[0]}" if inner else place)
    if bad_input(call, request.provider):
        yield request.broken(17, place, (call.id,))


def _result(request: Request, result: ToolResult, place: str) -> Iterator[Violation]:
    inner = _INNER.get(request.provider)
    below = f"{place}.{inner[1]}" if inner else place
    yield from _labels(request, result, below)
    for index, block in enumerate(result.content):
        yield from _blank(request, block, f"{below}.content.{index}")
    if result.is_error and request.tests(11) and says_nothing(result):
        yield request.broken(11, place, (result.id,))
    for index in bad_json(result, request.provider):
        yield request.broken(
            18, f"{below}.content.{index}" if request.provider == "bedrock" else place, (result.id,)
        )
    if request.provider == "bedrock":
        yield from _for_model(request, result, place)


def _for_model(request: Request, result: ToolResult, place: str) -> Iterator[Violation]:
    """Rules 29 and 30, which depend on the model."""
    if lacks_result_images(request.model) and any(isinstance(b, Media) for b in result.content):
        yield request.broken(30, place, (result.id,))
    if result.is_error is not None and lacks_status(request.model):
        yield request.broken(29, f"{place}.toolResult.status", (result.id,), wording="status")


def shapes(request: Request) -> Iterator[Violation]:
    """Rule 0: what is not of the API's types."""
    for fault in request.malformed:
        yield request.broken(0, request.place_in(fault.index, fault.path), (), fault.expected)


def blocks(request: Request) -> Iterator[Violation]:
    """What can be seen in a block by itself."""
    for index, turn in enumerate(request.turns):
        for ordinal, block in enumerate(turn.blocks):
            place = request.place(index, ordinal)
            yield from _blank(request, block, place)
            if isinstance(block, ToolCall):
                yield from _call(request, block, place)
            elif isinstance(block, ToolResult):
                yield from _result(request, block, place)


def has_document(block: Block) -> bool:
    """Whether a block is a document, one in a form of its own included."""
    if isinstance(block, Opaque):
        return isinstance(block.value, dict) and "document" in block.value
    return isinstance(block, Media) and block.kind == "document"


def turns(request: Request) -> Iterator[Violation]:
    """What can be seen in a message by itself: rules 10, 16, 31."""
    for index, turn in enumerate(request.turns):
        place = request.place(index)
        last = index == len(request.turns) - 1
        free = request.provider == "anthropic" and last and turn.role == "assistant"
        if not turn.blocks and request.tests(10) and not free:
            yield request.broken(10, place)
        others = len(turn.blocks) - len(turn.results)
        if request.tests(16) and parts_results(request.model) and turn.results and others:
            yield request.broken(16, place, tuple(r.id for r in turn.results))
        texts = any(isinstance(b, Text) for b in turn.blocks)
        if request.tests(31) and any(map(has_document, turn.blocks)) and not texts:
            yield request.broken(31, place)


def ends(request: Request) -> Iterator[Violation]:
    """How the conversation begins and ends: rules 13, 14, 15."""
    if not request.turns:
        return
    if request.tests(13) and request.turns[0].role == "assistant":
        yield request.broken(13, request.place(0))
    last = request.turns[-1]
    if last.role != "assistant":
        return
    place = request.place(len(request.turns) - 1)
    if request.tests(14) and not takes_prefill(request.model):
        yield request.broken(14, place)
    final = last.blocks[-1] if last.blocks else None
    if (
        request.tests(15)
        and isinstance(final, Text)
        and final.text.strip()
        and final.text != final.text.rstrip()
    ):
        yield request.broken(15, place)
