"""Reading what a client asks of an MCP server: one call, in a `tools/call` request."""

from __future__ import annotations

from toolgen_runtime.providers.codec import Codec, codec_for
from toolgen_runtime.providers.errors import McpMessageError
from toolgen_runtime.providers.reading import Reader, UnnumberedToolUse


def parse_tool_use(request: object, *, codec: Codec | None = None) -> UnnumberedToolUse:
    """The call in a JSON-RPC `tools/call` request, or in its `params` alone. MCP's calls have no id.

    Raises:
        McpMessageError: anything is missing or malformed; `field` names the place.
    """
    codec = codec or codec_for("mcp")
    reader = Reader(request, McpMessageError)
    params, at = reader.root(), ""
    if "method" in params or "jsonrpc" in params:
        if reader.member(params, "method", str, at) != "tools/call":
            reader.fail("method", "not tools/call")
        params, at = reader.member(params, "params", dict, at), "params"
    name = reader.member(params, "name", str, at)
    payload = (
        reader.payload(params, "arguments", at) if params.get("arguments") is not None else {}
    )  # optional in the spec
    return UnnumberedToolUse(id=None, name=codec.decode_name(name), input=payload)


def parse_tool_uses(request: object, *, codec: Codec | None = None) -> list[UnnumberedToolUse]:
    """`parse_tool_use` in a list: a request holds one call.

    Raises:
        McpMessageError: anything is missing or malformed; `field` names the place.
    """
    return [parse_tool_use(request, codec=codec)]
