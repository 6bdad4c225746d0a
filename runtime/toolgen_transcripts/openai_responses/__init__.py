"""The OpenAI Responses API: tools, messages, responses and streams as plain dicts."""

from __future__ import annotations

from toolgen_transcripts.codec.errors import OpenAIResponseError
from toolgen_transcripts.codec.received_call import ReceivedCall, ToolUseBlock
from toolgen_transcripts.openai_responses.messages import API
from toolgen_transcripts.openai_responses.stream import StreamAssembler

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
    "read_requests",
    "read_tool_uses",
    "read_tools",
]

encode_tools, lower_tools = API.encode_tools, API.lower_tools
"""Return the `tools` and `tool_choice` of a request, to be passed as keywords; None if there are no tools."""
decode_tools, read_tools = API.decode_tools, API.read_tools
"""Return the functions and custom tools that a tools block defines; tools in a namespace are named
`<namespace>.<name>`.
"""
decode_messages, encode_messages = API.decode_messages, API.encode_messages
"""Convert `input` items. `.system` is the `instructions` string."""
encode_results, read_requests = API.encode_results, API.read_requests
parse_tool_use, parse_tool_uses, read_tool_uses = API.parse_tool_use, API.parse_tool_uses, API.read_tool_uses
"""Return the calls in a response. A call's `id` is its `call_id`, not the id of its item. Errors are
`OpenAIResponseError`.

Calls to custom tools, and to tools that the API defines and the caller runs (a shell, patches, a computer), are read
too, each with its `kind`.
"""
