"""What OpenAI's Chat Completions say on the wire."""

from __future__ import annotations

from toolgen_runtime.providers.wire import Wire

WIRE = Wire(
    provider="openai",
    stop_key="finish_reason",
    # Not whole: length, content_filter; function_call announces the deprecated form, which is not read.
    whole_stop_reasons=frozenset({"stop", "tool_calls"}),
    call_stop_reasons=frozenset({"tool_calls"}),
)
"""https://platform.openai.com/docs/api-reference/chat/object, `finish_reason`."""
