"""Where Messages API requests and responses have what stands beside messages and tools."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.shared.claude_thinking import claude_thinking
from toolgen_runtime.providers.shared.settings import RequestSettings, ResponseSettings
from toolgen_runtime.providers.shared.thinking import ThinkingPlaces


def _answer(schema: dict[str, Any]) -> dict[str, Any]:
    return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}


REQUEST = RequestSettings(
    paths={
        "max_tokens": ("max_tokens",),
        "temperature": ("temperature",),
        "top_p": ("top_p",),
        "top_k": ("top_k",),
        "stop": ("stop_sequences",),
        "service_tier": ("service_tier",),
        "metadata": ("metadata",),
    },
    think=claude_thinking,
    answer=_answer,
    thinking=ThinkingPlaces(
        switch=(("thinking", "type"),),
        budget=(("thinking", "budget_tokens"),),
        adaptive_effort=(("output_config", "effort"),),
    ),
    choice=("tool_choice",),
    efforts=("low", "medium", "high", "xhigh", "max"),  # anthropic.types.OutputConfigParam
    tokens_required=True,
    budget_within=True,
    not_while_thinking=frozenset({"temperature", "top_k"}),
    service_tiers=("auto", "standard_only"),
)
RESPONSE = ResponseSettings(
    message=(),
    stop=("stop_reason",),
    usage={
        "input_tokens": ("usage", "input_tokens"),
        "output_tokens": ("usage", "output_tokens"),
        "cache_read_tokens": ("usage", "cache_read_input_tokens"),
        "cache_write_tokens": ("usage", "cache_creation_input_tokens"),
    },
    cached_apart=True,
)
