"""Reading the calls of a Messages API response."""

from __future__ import annotations

from toolgen_runtime.providers.anthropic.wire import WIRE
from toolgen_runtime.providers.shared.errors import AnthropicResponseError
from toolgen_runtime.providers.shared.responses.native_calls import (
    NativeMessage,
    Reader,
    ToolUseBlock,
)
from toolgen_runtime.providers.shared.responses.tool_uses import Responses
from toolgen_runtime.validation.issues import MISSING


def _find(reader: Reader) -> NativeMessage:
    root = reader.root()
    message = reader.message("content", root.get(WIRE.stop_key, MISSING), WIRE.stop_key)
    for at, block in reader.blocks(root, "content", ""):
        if reader.member(block, "type", str, at) == "tool_use":
            message.calls.append(reader.call(block, at))
    return message


RESPONSES = Responses[ToolUseBlock](WIRE, AnthropicResponseError, _find, "no tool_use block")
parse_tool_uses = RESPONSES.parse_tool_uses
parse_tool_use = RESPONSES.parse_tool_use
read_tool_uses = RESPONSES.read_tool_uses
"""Calls that the server runs (`server_tool_use`) are not read. Errors are `AnthropicResponseError`."""
