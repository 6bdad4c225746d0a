"""Reading the calls of a Chat Completions response."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.openai.wire import WIRE
from toolgen_runtime.providers.shared.errors import OpenAIResponseError
from toolgen_runtime.providers.shared.responses.native_calls import (
    Fault,
    Member,
    NativeCall,
    NativeMessage,
    Reader,
    ToolUseBlock,
)
from toolgen_runtime.providers.shared.responses.tool_uses import Responses
from toolgen_runtime.validation.issues import MISSING


def _call(call: dict[str, Any], at: str) -> NativeCall:
    faults = []
    kind = "custom" if call.get("type") == "custom" else "function"
    holder = Member(call, kind, at)
    if (call.get("type") or kind) != kind:
        faults.append(Fault(f"{at}.type", "not a function call"))
    elif wrong := holder.wrong_kind(dict):
        faults.append(wrong)
    inner = holder.value if isinstance(holder.value, dict) else {}
    return NativeCall(
        id=Member(call, "id", at),
        name=Member(inner, "name", holder.path),
        arguments=Member(inner, "input" if kind == "custom" else "arguments", holder.path),
        as_text=True,
        faults=tuple(faults),
        kind=kind,
        native=call,
    )


def _find(reader: Reader) -> NativeMessage:
    choices = list(reader.blocks(reader.root(), "choices", ""))
    if not choices:
        reader.fail(Fault("choices", "empty"))
    at, choice = choices[0]
    place = f"{at}.message"
    stop = choice.get(WIRE.stop_key, MISSING)
    message = reader.message(f"{place}.tool_calls", stop, f"{at}.{WIRE.stop_key}")
    if choice.get("message") is None and message.why:  # Azure's filter leaves the message out
        return message
    holder = reader.member(choice, "message", dict, at)
    if holder.get("tool_calls") is not None:
        blocks = reader.blocks(holder, "tool_calls", place)
        message.calls = [_call(call, here) for here, call in blocks]
    return message


RESPONSES = Responses[ToolUseBlock](WIRE, OpenAIResponseError, _find, "no call")
parse_tool_uses = RESPONSES.parse_tool_uses
parse_tool_use = RESPONSES.parse_tool_use
read_tool_uses = RESPONSES.read_tool_uses
"""Calls of the first choice. Errors are `OpenAIResponseError`."""
