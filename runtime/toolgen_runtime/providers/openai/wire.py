"""What OpenAI's Chat Completions say on the wire."""

from __future__ import annotations

from toolgen_runtime.providers.shared.wire import MessageShape, Wire

WIRE = Wire(
    provider="openai",
    stop_key="finish_reason",
    # Not whole: length, content_filter; function_call announces the deprecated form, which is not read.
    whole_stop_reasons=frozenset({"stop", "tool_calls"}),
    call_stop_reasons=frozenset({"tool_calls"}),
    messages=MessageShape(
        content_for=frozenset({"user", "system", "developer", "tool"}),
        text_type={"": "text"},
        members={"type": str, "text": str},
        required=("type",),
        calls_key="tool_calls",
    ),
)
"""https://platform.openai.com/docs/api-reference/chat/object, `finish_reason`."""
