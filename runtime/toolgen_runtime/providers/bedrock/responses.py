"""Reading the calls of a Converse response, and of an InvokeModel response of a Claude model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toolgen_runtime.providers.bedrock.wire import (
    INVOKE_STOP_KEY,
    SERVER_TOOL_USE,
    UNKNOWN_MEMBER,
    WIRE,
)
from toolgen_runtime.providers.shared.errors import BedrockResponseError
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


def _message(reader: Reader) -> tuple[str, dict[str, Any], NativeMessage]:
    """Return the object that holds `content`, its place, and the message as far as its stop reason tells."""
    root = reader.root()
    stop_key = WIRE.stop_key if WIRE.stop_key in root or "output" in root else INVOKE_STOP_KEY
    stop = root.get(stop_key, MISSING)
    if "output" not in root and "content" in root:
        return "", root, reader.message("content", stop, stop_key)
    output = reader.member(root, "output", dict, "")
    holder = reader.member(output, "message", dict, "output")
    place = "output.message"
    return place, holder, reader.message(f"{place}.content", stop, stop_key)


def _call(reader: Reader, block: dict[str, Any], at: str, own_id: str) -> NativeCall | None:
    """Return the call in a block, None where it is not ours to run."""
    if "toolUse" in block:
        use = block["toolUse"]
        is_ours = not isinstance(use, dict) or use.get("type") != SERVER_TOOL_USE
        return reader.call(block, at, "toolUse") if is_ours else None
    key = next((k for k in ("toolUseId", "id") if k in block), own_id)
    call = replace(reader.call(block, at), id=Member(block, key, at, "toolUseId"))
    return call if block.get("type") == "tool_use" else None


def _find(reader: Reader) -> NativeMessage:
    at, holder, message = _message(reader)
    for here, block in reader.blocks(holder, "content", at):
        if UNKNOWN_MEMBER in block:
            what = "a kind of block that this version of the SDK does not know"
            message.faults.append(Fault(f"{here}.{UNKNOWN_MEMBER}", what))
        elif call := _call(reader, block, here, "toolUseId" if at else "id"):
            message.calls.append(call)
    return message


RESPONSES = Responses[ToolUseBlock](WIRE, BedrockResponseError, _find, "no tool use block")
parse_tool_uses = RESPONSES.parse_tool_uses
parse_tool_use = RESPONSES.parse_tool_use
read_tool_uses = RESPONSES.read_tool_uses
"""Errors are `BedrockResponseError`.

Reads what `converse` returns, a message by itself, and an InvokeModel body; blocks as `{"toolUse": {...}}` and as
`{"type": "tool_use", ...}`. A call that the server runs is not read.
"""
