"""Where Converse requests and responses have what stands beside messages and tools."""

from __future__ import annotations

import json
from typing import Any

from toolgen_runtime.providers.shared.settings import (
    RequestSettings,
    ResponseSettings,
    Thinking,
    budget_of,
    effort_of,
)


def _think(thinking: Thinking, model: str) -> dict[str, Any]:
    """Return each family of models has a form of its own; Converse hands it on."""
    if "claude" in model:
        if isinstance(thinking, str):
            fields: dict[str, Any] = {"thinking": {"type": "adaptive"}, "output_config": {"effort": thinking}}
        else:
            fields = {"thinking": {"type": "enabled", "budget_tokens": budget_of(thinking)}}
    elif "nova" in model:
        fields = {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": effort_of(thinking)}}
    else:
        fields = {"reasoning_effort": effort_of(thinking)}
    return {"additionalModelRequestFields": fields}


def _answer(schema: dict[str, Any]) -> dict[str, Any]:
    structure = {"jsonSchema": {"schema": json.dumps(schema), "name": "answer"}}
    return {"outputConfig": {"textFormat": {"type": "json_schema", "structure": structure}}}


REQUEST = RequestSettings(
    paths={
        "max_tokens": ("inferenceConfig", "maxTokens"),
        "temperature": ("inferenceConfig", "temperature"),
        "top_p": ("inferenceConfig", "topP"),
        "stop": ("inferenceConfig", "stopSequences"),
        "top_k": ("additionalModelRequestFields", "top_k"),
        "service_tier": ("serviceTier", "type"),
        "metadata": ("requestMetadata",),
    },
    think=_think,
    answer=_answer,
    model_key="modelId",
)
RESPONSE = ResponseSettings(
    message=("output", "message"),
    stop=("stopReason",),
    finishes={
        "end_turn": "stop",
        "stop_sequence": "stop",
        "tool_use": "tool_calls",
        "max_tokens": "length",
        "model_context_window_exceeded": "length",
        "guardrail_intervened": "content_filter",
        "content_filtered": "content_filter",
        "malformed_model_output": "error",
        "malformed_tool_use": "error",
    },
    usage={
        "input_tokens": ("usage", "inputTokens"),
        "output_tokens": ("usage", "outputTokens"),
        "cache_read_tokens": ("usage", "cacheReadInputTokens"),
        "cache_write_tokens": ("usage", "cacheWriteInputTokens"),
    },
    cached_apart=True,
)
