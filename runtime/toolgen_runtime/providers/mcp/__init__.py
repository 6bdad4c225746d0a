"""The Model Context Protocol: tools, calls and results as plain dicts. It has no messages and no streams."""

from __future__ import annotations

from toolgen_runtime.providers.shared.errors import McpMessageError
from toolgen_runtime.providers.mcp.messages import parse_tool_use, parse_tool_uses, read_tool_uses
from toolgen_runtime.providers.mcp.messages import decode_result, encode_result
from toolgen_runtime.providers.mcp.messages import decode_tools, encode_tools, lower_tools, read_tools
from toolgen_runtime.providers.shared.responses.native_calls import UnnumberedToolUse
from toolgen_runtime.providers.shared.received_call import ReceivedCall

__all__ = [
    "McpMessageError",
    "ReceivedCall",
    "UnnumberedToolUse",
    "decode_result",
    "decode_tools",
    "encode_result",
    "encode_tools",
    "lower_tools",
    "parse_tool_use",
    "parse_tool_uses",
    "read_tool_uses",
    "read_tools",
]
