"""Reading what a client asks of an MCP server: one call, in a `tools/call` request."""

from __future__ import annotations

from toolgen_runtime.providers.mcp.wire import WIRE
from toolgen_runtime.providers.shared.errors import McpMessageError
from toolgen_runtime.providers.shared.responses.native_calls import (
    Fault,
    Member,
    NativeCall,
    NativeMessage,
    Reader,
    UnnumberedToolUse,
)
from toolgen_runtime.providers.shared.responses.tool_uses import Responses
from toolgen_runtime.validation.issues import MISSING


def _find(reader: Reader) -> NativeMessage:
    params, at = reader.root(), ""
    if "method" in params or "jsonrpc" in params:
        if reader.member(params, "method", str, at) != "tools/call":
            reader.fail(Fault("method", "not tools/call"))
        params, at = reader.member(params, "params", dict, at), "params"
    message = reader.message(at, MISSING, "")
    name, arguments = Member(params, "name", at), Member(params, "arguments", at)
    message.calls.append(NativeCall(None, name, arguments, optional=True))
    return message


_REQUESTS = Responses[UnnumberedToolUse](WIRE, McpMessageError, _find, "no call")
parse_tool_use = _REQUESTS.parse_tool_use
parse_tool_uses = _REQUESTS.parse_tool_uses
read_tool_uses = _REQUESTS.read_tool_uses
"""The one call in a JSON-RPC `tools/call` request, or in its `params` alone, which has no id."""
