"""The OpenAI Responses API: tools, messages, responses and streams as plain dicts."""

from __future__ import annotations

from toolgen_runtime.providers.shared.errors import OpenAIResponseError
from toolgen_runtime.providers.openai_responses.messages import (
    decode_messages,
    encode_messages,
    encode_results,
)
from toolgen_runtime.providers.openai_responses.messages import (
    parse_tool_use,
    parse_tool_uses,
    read_requests,
    read_tool_uses,
)
from toolgen_runtime.providers.openai_responses.stream import StreamAssembler
from toolgen_runtime.providers.openai_responses.messages import (
    decode_tools,
    encode_tools,
    lower_tools,
    read_tools,
)
from toolgen_runtime.providers.shared.responses.native_calls import ToolUseBlock
from toolgen_runtime.providers.shared.received_call import ReceivedCall

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
