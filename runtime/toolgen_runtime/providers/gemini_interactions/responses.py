"""Reading the calls of an interaction."""

from __future__ import annotations

from toolgen_runtime.providers.gemini_interactions.wire import WIRE
from toolgen_runtime.providers.shared.errors import GeminiResponseError
from toolgen_runtime.providers.shared.responses.native_calls import (
    NativeMessage,
    Reader,
    ToolUseBlock,
)
from toolgen_runtime.providers.shared.responses.tool_uses import Responses
from toolgen_runtime.validation.issues import MISSING


def _find(reader: Reader) -> NativeMessage:
    root = reader.root()
    message = reader.message("steps", root.get(WIRE.stop_key, MISSING), WIRE.stop_key)
    if root.get("steps") is None:  # an interaction that failed, or goes on in the background
        return message
    for at, step in reader.blocks(root, "steps", ""):
        if step.get("type") == "function_call":
            message.calls.append(reader.call(step, at))
    return message


RESPONSES = Responses[ToolUseBlock](WIRE, GeminiResponseError, _find, "no function call")
parse_tool_uses = RESPONSES.parse_tool_uses
parse_tool_use = RESPONSES.parse_tool_use
read_tool_uses = RESPONSES.read_tool_uses
"""Calls of functions. Errors are `GeminiResponseError`."""
