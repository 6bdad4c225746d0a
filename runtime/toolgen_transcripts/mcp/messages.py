"""The tools, calls and results of the Model Context Protocol."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from toolgen_runtime.mcp_result import read_fields, recognize
from toolgen_runtime.validation.issues import MISSING
from toolgen_transcripts.codec.decoding import Decoding
from toolgen_transcripts.codec.errors import McpMessageError
from toolgen_transcripts.codec.received_call import Fault, Member, NativeCall, UnnumberedToolUse
from toolgen_transcripts.codec.responses import NativeMessage, Reader, Responses
from toolgen_transcripts.mcp.wire import WIRE
from toolgen_transcripts.messages import Json, Part, Source, Text, ToolResult
from toolgen_transcripts.tools.tool_codec import ToolCodec


class _Mcp(ToolCodec, Responses[UnnumberedToolUse]):
    wire = WIRE
    error = McpMessageError
    no_call = "no call"

    def find(self, reader: Reader) -> NativeMessage:
        params, at = reader.root(), ""
        if "method" in params or "jsonrpc" in params:
            if reader.member(params, "method", str, at) != "tools/call":
                reader.fail(Fault("method", "not tools/call"))
            params, at = reader.member(params, "params", dict, at), "params"
        message = reader.message(at, {})
        name, arguments = Member(params, "name", at), Member(params, "arguments", at)
        message.calls.append(NativeCall(None, name, arguments, optional=True))
        return message


API = _Mcp()


def decode_result(native: Mapping[str, Any]) -> ToolResult:
    """Convert an MCP result to a neutral one, which has no call id.

    Its content blocks come first, followed by `structuredContent` as JSON.
    """
    kept = deepcopy(dict(native))
    read = read_fields(kept)
    content: tuple[Part, ...] = tuple(map(Decoding(WIRE).known_or_opaque, read.content))
    if (unfinished := recognize(kept)) is not None and unfinished.state != "done":
        content = (Text(unfinished.text()),)
    if read.structured is not MISSING:
        content += (Json(read.structured),)
    return ToolResult(None, content, read.is_error, source=Source(WIRE.provider, kept))
