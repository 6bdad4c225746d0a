"""OpenAI Chat Completions: tools, messages, responses and streams as plain dicts."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolgen_runtime.providers.openai.messages import (
        decode_messages as decode_messages,
        decode_tools as decode_tools,
        encode_messages as encode_messages,
        encode_results as encode_results,
        encode_tools as encode_tools,
        lower_tools as lower_tools,
        parse_tool_use as parse_tool_use,
        parse_tool_uses as parse_tool_uses,
        read_tool_uses as read_tool_uses,
        read_tools as read_tools,
    )
    from toolgen_runtime.providers.openai.stream import StreamAssembler as StreamAssembler
    from toolgen_runtime.providers.shared.errors import OpenAIResponseError as OpenAIResponseError
    from toolgen_runtime.providers.shared.received_call import ReceivedCall as ReceivedCall
    from toolgen_runtime.providers.shared.responses.native_calls import ToolUseBlock as ToolUseBlock
else:
    from toolgen_runtime.exports import lazy_exports

    __all__, __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "toolgen_runtime.providers.openai.messages": "decode_messages decode_tools encode_messages encode_results "
            "encode_tools lower_tools parse_tool_use parse_tool_uses read_tool_uses read_tools",
            "toolgen_runtime.providers.openai.stream": "StreamAssembler",
            "toolgen_runtime.providers.shared.errors": "OpenAIResponseError",
            "toolgen_runtime.providers.shared.received_call": "ReceivedCall",
            "toolgen_runtime.providers.shared.responses.native_calls": "ToolUseBlock",
        },
    )
