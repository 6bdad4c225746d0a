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
"""The `toolConfig` of a Converse request; None for no tools, since an empty one is refused (`empty-tools`)."""
decode_tools, read_tools = API.decode_tools, API.read_tools
"""The tools that a `toolConfig` defines, without system tools."""
decode_messages, encode_messages = API.decode_messages, API.encode_messages
"""Converse `messages` and `system`; system turns of other providers become part of `system`."""
encode_results = API.encode_results
parse_tool_use, parse_tool_uses, read_tool_uses = API.parse_tool_use, API.parse_tool_uses, API.read_tool_uses
"""Errors are `BedrockResponseError`.

Reads a response of `converse`, a single message, and an InvokeModel body, with blocks of the forms
`{"toolUse": {...}}` and `{"type": "tool_use", ...}`. Calls that the server runs are not read.
"""
