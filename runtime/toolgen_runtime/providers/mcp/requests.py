"""Reading what a client asks of an MCP server: one call, in a `tools/call` request."""

from __future__ import annotations

from toolgen_runtime.providers.mcp.wire import WIRE
from toolgen_runtime.providers.shared.errors import McpMessageError
from toolgen_runtime.providers.shared.names import Codec
from toolgen_runtime.providers.shared.received_call import ReceivedCall
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
    message.calls.append(NativeCall(None, name, arguments, arguments_optional=True))
    return message


_REQUESTS = Responses[UnnumberedToolUse](WIRE, McpMessageError, _find, "no call")


def parse_tool_use(request: object, *, codec: Codec | None = None) -> UnnumberedToolUse:
    """Return the call in a JSON-RPC `tools/call` request, or in its `params` alone. MCP's calls have no id.

    Raises:
        McpMessageError: anything is missing or malformed; `path` names the place.
    """
    return _REQUESTS.parse_tool_use(request, codec=codec)


def parse_tool_uses(request: object, *, codec: Codec | None = None) -> list[UnnumberedToolUse]:
    """Return `parse_tool_use` in a list: a request holds one call.

    Raises:
        McpMessageError: anything is missing or malformed; `path` names the place.
    """
    return _REQUESTS.parse_tool_uses(request, codec=codec)


def read_tool_uses(request: object, *, codec: Codec | None = None) -> list[ReceivedCall]:
    """Return the call of a request in a list; it says whether it is `ready`, and why not.

    Raises:
        McpMessageError: the request is not one of `tools/call`.
    """
    return _REQUESTS.read_tool_uses(request, codec=codec)
