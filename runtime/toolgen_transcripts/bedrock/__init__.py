"""Bedrock Converse: tools, messages, responses and streams as plain dicts."""

from __future__ import annotations

from toolgen_transcripts.bedrock.messages import API
from toolgen_transcripts.bedrock.stream import StreamAssembler
from toolgen_transcripts.codec.errors import BedrockResponseError
from toolgen_transcripts.codec.received_call import ReceivedCall, ToolUseBlock

__all__ = [
    "BedrockResponseError",
    "ReceivedCall",
    "StreamAssembler",
    "ToolUseBlock",
    "decode_messages",
    "decode_tools",
    "encode_messages",
    "encode_results",
    "encode_tools",
    "lower_tools",
    "parse_tool_use",
    "parse_tool_uses",
    "read_tool_uses",
    "read_tools",
]

encode_tools, lower_tools = API.encode_tools, API.lower_tools
"""Return the `toolConfig` of a Converse request; None if there are no tools, because Bedrock rejects an empty one."""
decode_tools, read_tools = API.decode_tools, API.read_tools
"""Return the tools that a `toolConfig` defines, except system tools."""
decode_messages, encode_messages = API.decode_messages, API.encode_messages
"""Convert Converse `messages` and `system`. System turns of other providers become part of `system`."""
encode_results = API.encode_results
parse_tool_use, parse_tool_uses, read_tool_uses = API.parse_tool_use, API.parse_tool_uses, API.read_tool_uses
"""Return the calls in a response, except those that the server runs. Errors are `BedrockResponseError`.

The response may be that of `converse`, a single message, or an InvokeModel body. Blocks may have either form:
`{"toolUse": {...}}` or `{"type": "tool_use", ...}`.
"""
