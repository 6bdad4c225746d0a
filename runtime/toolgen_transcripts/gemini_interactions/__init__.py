"""Gemini's Interactions API: tools, messages, responses and streams as plain dicts."""

from __future__ import annotations

from toolgen_transcripts.codec.errors import GeminiResponseError
from toolgen_transcripts.codec.received_call import ReceivedCall, ToolUseBlock
from toolgen_transcripts.gemini_interactions.messages import API
from toolgen_transcripts.gemini_interactions.stream import StreamAssembler

__all__ = [
    "GeminiResponseError",
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
"""Return the `tools` of a request, and `generation_config` if the choice is not `auto`; None if there are no tools."""
decode_tools, read_tools = API.decode_tools, API.read_tools
"""Return the functions that a tools block defines, without tools that the server runs."""
decode_messages, encode_messages = API.decode_messages, API.encode_messages
"""Convert `input` steps. `.system` is the `system_instruction`, which includes system turns of other providers."""
encode_results = API.encode_results
parse_tool_use, parse_tool_uses, read_tool_uses = API.parse_tool_use, API.parse_tool_uses, API.read_tool_uses
"""Return the calls of functions in a response. Errors are `GeminiResponseError`."""
