"""Where generateContent requests and responses have what stands beside contents and tools."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.shared.settings import RequestSettings, ResponseSettings, Thinking, budget_of


def _think(thinking: Thinking, _model: str) -> dict[str, Any]:
    level = (
        {"thinkingLevel": thinking} if isinstance(thinking, str) else {"thinkingBudget": budget_of(thinking)}
    )
    return {"generationConfig": {"thinkingConfig": {**level, "includeThoughts": True}}}


def _answer(schema: dict[str, Any]) -> dict[str, Any]:
    return {"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": schema}}


REQUEST = RequestSettings(
    paths={
        "max_tokens": ("generationConfig", "maxOutputTokens"),
        "temperature": ("generationConfig", "temperature"),
        "top_p": ("generationConfig", "topP"),
        "top_k": ("generationConfig", "topK"),
        "stop": ("generationConfig", "stopSequences"),
        "presence_penalty": ("generationConfig", "presencePenalty"),
        "frequency_penalty": ("generationConfig", "frequencyPenalty"),
        "seed": ("generationConfig", "seed"),
    },
    think=_think,
    answer=_answer,
)
RESPONSE = ResponseSettings(
    message=("candidates", "content"),
    stop=("candidates", "finishReason"),
    finishes={
        "STOP": "stop",
        "MAX_TOKENS": "length",
        **dict.fromkeys(
            ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"),
            "content_filter",
        ),
        **dict.fromkeys(("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"), "error"),
    },
    usage={
        "input_tokens": ("usageMetadata", "promptTokenCount"),
        "output_tokens": ("usageMetadata", "candidatesTokenCount"),
        "cache_read_tokens": ("usageMetadata", "cachedContentTokenCount"),
        "reasoning_tokens": ("usageMetadata", "thoughtsTokenCount"),
    },
    reasoning_apart=True,
)
