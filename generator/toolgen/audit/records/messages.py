"""The calls in one message of a model, in the forms that providers and frameworks write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgen.audit.records.call import Call, Record, mappings


def calls_of_message(message: Record) -> Iterator[Call]:
    """Yield the calls of an assistant's message.

    - OpenAI: `tool_calls` with a `function`, or the older `function_call`;
    - LangChain: `tool_calls` with `args`, and `invalid_tool_calls`, whose `args` is the model's text;
    - Anthropic: `content` blocks `tool_use`; LangChain has such blocks beside its own list, so they come last.
    """
    listed = [*mappings(message.get("tool_calls")), *mappings(message.get("invalid_tool_calls"))]
    if not listed and isinstance(more := message.get("additional_kwargs"), dict):
        listed = list(mappings(more.get("tool_calls")))
    if not listed and isinstance(single := message.get("function_call"), dict):
        listed = [{"function": single}]
    found = [call for item in listed if (call := _listed(item)) is not None]
    yield from found or calls_of_blocks(message.get("content"))


def _listed(item: Record) -> Call | None:
    function = item.get("function")
    if isinstance(function, dict):
        return _named(function.get("name"), function.get("arguments"))
    return _named(item.get("name"), item.get("args", item.get("arguments")))


def calls_of_blocks(blocks: Any) -> Iterator[Call]:
    """Yield the calls of content blocks: `tool_use` (Anthropic), `function_call` (OpenAI's Responses)."""
    for block in mappings(blocks):
        kind = block.get("type")
        if kind in ("tool_use", "function_call", "tool_call"):
            arguments = next((block[key] for key in ("input", "arguments", "args") if key in block), None)
            call = _named(block.get("name"), arguments)
            if call is not None:
                yield call


def _named(name: Any, arguments: Any) -> Call | None:
    return Call(name, arguments) if isinstance(name, str) else None


def calls_of_messages(messages: Any) -> Iterator[Call]:
    """Yield the calls of every message of a conversation, each message once."""
    for message in mappings(messages):
        if message.get("role", "assistant") in ("assistant", "ai", "model"):
            yield from calls_of_message(message)
