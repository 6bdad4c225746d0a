"""OpenAI Chat Completions: tools, messages, responses and streams as plain dicts."""

from __future__ import annotations

from toolgen_transcripts.codec.errors import OpenAIResponseError
from toolgen_transcripts.codec.received_call import ReceivedCall, ToolUseBlock
from toolgen_transcripts.openai.messages import API
from toolgen_transcripts.openai.stream import StreamAssembler

__all__ = [
    "OpenAIResponseError",
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
"""Return the tools that a tools block defines. A custom tool (`kind`) takes a string."""
decode_messages, encode_messages = API.decode_messages, API.encode_messages
"""Convert Chat Completions messages. The system prompt is the first message (`.system` is None)."""
encode_results = API.encode_results
parse_tool_use, parse_tool_uses, read_tool_uses = API.parse_tool_use, API.parse_tool_uses, API.read_tool_uses
"""Return the calls in the first choice. Errors are `OpenAIResponseError`."""
