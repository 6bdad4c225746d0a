"""What Gemini's generateContent says on the wire."""

from __future__ import annotations

from toolgen_runtime.providers.wire import Wire

WIRE = Wire(
    provider="gemini",
    stop_key="finishReason",
    # FINISH_REASON_UNSPECIFIED says nothing; every other reason stops the model early.
    whole_stop_reasons=frozenset({"STOP"}),
    malformed_stop_reasons=frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"}),
)
"""https://ai.google.dev/api/generate-content#FinishReason."""
