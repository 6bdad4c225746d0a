"""Gemini generateContent: tools, messages, responses and streams as plain dicts."""

from __future__ import annotations

from toolgen_transcripts.codec.errors import GeminiResponseError
from toolgen_transcripts.codec.received_call import (
    ReceivedCall,
    UnnumberedToolUse,
)
from toolgen_transcripts.gemini.messages import API
from toolgen_transcripts.gemini.stream import StreamAssembler

__all__ = [
    "GeminiResponseError",
    "ReceivedCall",
    "StreamAssembler",
    "UnnumberedToolUse",
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
"""Return the `tools` and `toolConfig` of a request; None if there are no tools."""
decode_tools, read_tools = API.decode_tools, API.read_tools
"""Return the functions that a tools block declares with `parameters` or `parametersJsonSchema`, without built-in tools.
"""
decode_messages, encode_messages = API.decode_messages, API.encode_messages
"""Convert `contents`. `.system` is the `systemInstruction`, which includes system turns of other providers."""
encode_results = API.encode_results
parse_tool_use, parse_tool_uses, read_tool_uses = API.parse_tool_use, API.parse_tool_uses, API.read_tool_uses
"""Return the calls in the first candidate. Ids are optional and never invented. Errors are `GeminiResponseError`."""
