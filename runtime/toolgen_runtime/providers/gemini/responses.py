"""Reading the calls of a generateContent response."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.gemini.spelling import either, snake
from toolgen_runtime.providers.gemini.wire import WIRE
from toolgen_runtime.providers.shared.errors import GeminiResponseError
from toolgen_runtime.providers.shared.responses.native_calls import (
    Fault,
    NativeMessage,
    Reader,
    UnnumberedToolUse,
)
from toolgen_runtime.providers.shared.responses.tool_uses import Responses
from toolgen_runtime.providers.shared.wire import stop_reason
from toolgen_runtime.validation.issues import MISSING


def _blocked(reader: Reader, root: dict[str, Any]) -> NativeMessage | None:
    """Return the empty message of a prompt that was blocked, None for any other response."""
    feedback = either(root, "promptFeedback")
    reason = stop_reason(either(feedback, "blockReason")) if isinstance(feedback, dict) else None
    if reason is None or root.get("candidates"):
        return None
    place = "promptFeedback.blockReason"
    message = reader.message("candidates", reason, place)
    message.faults.append(Fault(place, f"the prompt was blocked ({reason[:60]})"))
    return message


def _find(reader: Reader) -> NativeMessage:
    root = reader.root()
    if blocked := _blocked(reader, root):
        return blocked
    candidates = list(reader.blocks(root, "candidates", ""))
    if not candidates:
        reader.fail(Fault("candidates", "empty"))
    at, candidate = candidates[0]
    said = {WIRE.stop_key, snake(WIRE.stop_key)} & candidate.keys()
    stop = either(candidate, WIRE.stop_key) if said else MISSING
    place = f"{at}.content"
    message = reader.message(f"{place}.parts", stop, f"{at}.{WIRE.stop_key}")
    content = candidate.get("content")
    if content is None:  # the model said nothing
        return message
    content = reader.as_kind(content, dict, place)
    if content.get("parts") is None:
        return message
    for here, part in reader.blocks(content, "parts", place):
        if either(part, "functionCall") is not None:
            key = WIRE.calls.call_key
            message.calls.append(reader.call(part, here, key if key in part else snake(key)))
    return message


RESPONSES = Responses[UnnumberedToolUse](WIRE, GeminiResponseError, _find, "no function call")
parse_tool_uses = RESPONSES.parse_tool_uses
parse_tool_use = RESPONSES.parse_tool_use
read_tool_uses = RESPONSES.read_tool_uses
"""Calls of the first candidate. Ids are optional and never made up. Errors are `GeminiResponseError`."""
