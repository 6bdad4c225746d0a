"""The Model Context Protocol: tools, calls and results as plain dicts. MCP has no messages and no streams."""

from __future__ import annotations

from toolgen_transcripts.codec.errors import McpMessageError
from toolgen_transcripts.codec.received_call import (
    ReceivedCall,
    UnnumberedToolUse,
)
from toolgen_transcripts.mcp.messages import API, decode_result

__all__ = [
    "McpMessageError",
    "ReceivedCall",
    "UnnumberedToolUse",
    "decode_result",
    "decode_tools",
    "encode_tools",
    "lower_tools",
    "parse_tool_use",
    "parse_tool_uses",
    "read_tool_uses",
    "read_tools",
]

encode_tools, lower_tools = API.encode_tools, API.lower_tools
"""Return the result of `tools/list`; None if there are no tools. MCP has no tool choice, so any but `auto` gives a
diagnostic.
"""
decode_tools, read_tools = API.decode_tools, API.read_tools
"""Return the tools in a `tools/list` result."""
parse_tool_use, parse_tool_uses, read_tool_uses = API.parse_tool_use, API.parse_tool_uses, API.read_tool_uses
"""Return the call in a JSON-RPC `tools/call` request, or in its `params` alone. The call has no id."""
