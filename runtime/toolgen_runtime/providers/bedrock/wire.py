"""What Bedrock Converse says on the wire."""

from __future__ import annotations

from toolgen_runtime.providers.shared.wire import MessageShape, Wire

WIRE = Wire(
    provider="bedrock",
    stop_key="stopReason",
    # Not whole: max_tokens, model_context_window_exceeded, guardrail_intervened, content_filtered.
    whole_stop_reasons=frozenset({"end_turn", "tool_use", "stop_sequence"}),
    malformed_stop_reasons=frozenset({"malformed_model_output", "malformed_tool_use"}),
    call_stop_reasons=frozenset({"tool_use"}),
    messages=MessageShape(
        roles=frozenset({"user", "assistant", "system"}),
        text_content=False,
        members={
            "text": str,
            **dict.fromkeys(
                ("toolUse", "toolResult", "reasoningContent", "image", "document", "video"), dict
            ),
        },
        result=("toolResult", "content"),
    ),
)
"""https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, `stopReason`."""

UNKNOWN_MEMBER = "SDK_UNKNOWN_MEMBER"
"""What botocore puts in the place of a union's member that its service model does not know."""

SERVER_TOOL_USE = "server_tool_use"
"""The `type` of a tool use that the server runs itself."""

INVOKE_STOP_KEY = "stop_reason"
INVOKE_ENVELOPE = ("id", "model", "usage")
"""What the body of InvokeModel has, with a Claude model, and a message by itself has not."""
