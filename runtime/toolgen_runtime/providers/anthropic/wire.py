"""What the Anthropic Messages API says on the wire."""

from __future__ import annotations

from toolgen_runtime.providers.shared.wire import MessageShape, Wire

WIRE = Wire(
    provider="anthropic",
    stop_key="stop_reason",
    # A paused turn (`pause_turn`) goes on in the next message, but this one is all there. Not whole: max_tokens
    # and model_context_window_exceeded cut the text; refusal stops the model in the middle of it.
    whole_stop_reasons=frozenset({"end_turn", "tool_use", "stop_sequence", "pause_turn"}),
    call_stop_reasons=frozenset({"tool_use"}),
    messages=MessageShape(
        roles=frozenset({"user", "assistant", "system"}),
        text_type={"": "text"},
        members={"type": str, "text": str, "thinking": str},
        required=("type",),
        result=("content",),
        result_type="tool_result",
    ),
)
"""https://docs.anthropic.com/en/api/handling-stop-reasons."""

ENVELOPE = ("id", "model", "usage")
"""What a response has and a message by itself has not."""
