"""Where Converse requests and responses have what stands beside messages and tools."""

from __future__ import annotations

import json
from typing import Any

from toolgen_runtime.providers.shared.claude_thinking import claude_thinking
from toolgen_runtime.providers.shared.models import is_claude, lacks_thinking_on_bedrock
from toolgen_runtime.providers.shared.settings import RequestSettings, ResponseSettings
from toolgen_runtime.providers.shared.thinking import Thinking, ThinkingPlaces, effort_of, is_off


def _think(thinking: Thinking, model: str) -> dict[str, Any] | None:
    """Return the members that say how much to think: each family of models has its own; Converse hands them on."""
    if is_claude(model):
        fields = claude_thinking(thinking, model)
    elif lacks_thinking_on_bedrock(model):
        fields = {} if is_off(thinking) else None
    elif "nova" in model:
        effort = {} if is_off(thinking) else {"maxReasoningEffort": effort_of(thinking)}
        fields = {"reasoningConfig": {"type": "enabled" if effort else "disabled", **effort}}
    else:
        fields = None if is_off(thinking) else {"reasoning_effort": effort_of(thinking)}
    return {"additionalModelRequestFields": fields} if fields else fields


def _answer(schema: dict[str, Any]) -> dict[str, Any]:
    structure = {"jsonSchema": {"schema": json.dumps(schema), "name": "answer"}}
    return {"outputConfig": {"textFormat": {"type": "json_schema", "structure": structure}}}


_FIELDS = "additionalModelRequestFields"

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
    thinking=ThinkingPlaces(
        switch=tuple((_FIELDS, key, "type") for key in ("thinking", "reasoning_config", "reasoningConfig")),
        budget=tuple((_FIELDS, key, "budget_tokens") for key in ("thinking", "reasoning_config")),
        effort=((_FIELDS, "reasoningConfig", "maxReasoningEffort"), (_FIELDS, "reasoning_effort")),
        adaptive_effort=((_FIELDS, "output_config", "effort"),),
    ),
    choice=("toolConfig", "toolChoice"),
    budget_within=True,
    not_while_thinking=frozenset({"temperature", "top_k"}),
    model_key="modelId",
    service_tiers=("priority", "default", "flex", "reserved"),
)
RESPONSE = ResponseSettings(
    message=("output", "message"),
    stop=("stopReason",),
    usage={
        "input_tokens": ("usage", "inputTokens"),
        "output_tokens": ("usage", "outputTokens"),
        "cache_read_tokens": ("usage", "cacheReadInputTokens"),
        "cache_write_tokens": ("usage", "cacheWriteInputTokens"),
    },
    cached_apart=True,
)
