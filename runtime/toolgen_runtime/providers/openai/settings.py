"""Where Chat Completions requests and responses have what stands beside messages and tools."""

from __future__ import annotations

from functools import partial
from typing import Any

from toolgen_runtime.providers.openai.efforts import LEVELS, effort_members
from toolgen_runtime.providers.openai.functions import as_tools
from toolgen_runtime.providers.openai.wire import SERVICE_TIERS
from toolgen_runtime.providers.shared.settings import RequestSettings, ResponseSettings
from toolgen_runtime.providers.shared.thinking import ThinkingPlaces


def _answer(schema: dict[str, Any]) -> dict[str, Any]:
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}}


REQUEST = RequestSettings(
    paths={
        "max_tokens": ("max_completion_tokens",),
        "temperature": ("temperature",),
        "top_p": ("top_p",),
        "stop": ("stop",),
        "presence_penalty": ("presence_penalty",),
        "frequency_penalty": ("frequency_penalty",),
        "seed": ("seed",),
        "service_tier": ("service_tier",),
        "metadata": ("metadata",),
    },
    think=partial(effort_members, ("reasoning_effort",)),
    answer=_answer,
    # what other servers have that speak this API: OpenRouter, DeepSeek and GLM, Qwen, vLLM, LiteLLM, Gemini
    thinking=ThinkingPlaces(
        switch=(
            ("thinking", "type"),
            ("enable_thinking",),
            ("chat_template_kwargs", "enable_thinking"),
            ("reasoning", "enabled"),
        ),
        budget=(
            ("thinking", "budget_tokens"),
            ("thinking_budget",),
            ("reasoning", "max_tokens"),
            ("google", "thinking_config", "thinking_budget"),
        ),
        effort=(
            ("reasoning_effort",),
            ("reasoning", "effort"),
            ("google", "thinking_config", "thinking_level"),
        ),
    ),
    choice=("tool_choice",),
    efforts=LEVELS,
    normalize=as_tools,
    read_as={("max_tokens",): "max_tokens", ("top_k",): "top_k"},
    service_tiers=SERVICE_TIERS,
)
RESPONSE = ResponseSettings(
    message=("choices", "message"),
    stop=("choices", "finish_reason"),
    usage={
        "input_tokens": ("usage", "prompt_tokens"),
        "output_tokens": ("usage", "completion_tokens"),
        "cache_read_tokens": ("usage", "prompt_tokens_details", "cached_tokens"),
        "cache_write_tokens": ("usage", "prompt_tokens_details", "cache_write_tokens"),
        "reasoning_tokens": ("usage", "completion_tokens_details", "reasoning_tokens"),
    },
)
