"""The Anthropic Messages API: tools, messages, responses and streams as plain dicts."""

from __future__ import annotations

from toolgen_transcripts.anthropic.messages import API
from toolgen_transcripts.anthropic.stream import StreamAssembler
from toolgen_transcripts.codec.errors import AnthropicResponseError
from toolgen_transcripts.codec.received_call import ReceivedCall, ToolUseBlock

__all__ = [
    "AnthropicResponseError",
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
"""Return the `tools` and `tool_choice` of a request, to be passed as keywords; None if there are no tools."""
decode_tools, read_tools = API.decode_tools, API.read_tools
"""Return the tools that a tools block defines, except server tools."""
decode_messages, encode_messages = API.decode_messages, API.encode_messages
"""Convert messages and `system` (a string or blocks). System turns of other providers become part of `system`."""
encode_results = API.encode_results
parse_tool_use, parse_tool_uses, read_tool_uses = API.parse_tool_use, API.parse_tool_uses, API.read_tool_uses
"""Return the calls in a response, except those that the server runs (`server_tool_use`). Errors are
`AnthropicResponseError`.
"""
