"""What Gemini's generateContent says on the wire."""

from __future__ import annotations

from toolgen_runtime.providers.shared.wire import MessageShape, Wire

WIRE = Wire(
    provider="gemini",
    stop_key="finishReason",
    # FINISH_REASON_UNSPECIFIED says nothing; every other reason stops the model early.
    whole_stop_reasons=frozenset({"STOP"}),
    malformed_stop_reasons=frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"}),
    messages=MessageShape(
        list_key="contents",
        content_key="parts",
        roles=frozenset({"user", "model", "function"}),
        role_optional=True,
        text_content=False,
        members={
            "text": str,
            **dict.fromkeys(("functionCall", "functionResponse", "inlineData", "fileData"), dict),
        },
    ),
)
"""https://ai.google.dev/api/generate-content#FinishReason."""
