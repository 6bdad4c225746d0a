"""Where Chat Completions requests and responses have what stands beside messages and tools."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.shared.settings import RequestSettings, ResponseSettings, Thinking, effort_of


def _think(thinking: Thinking, _model: str) -> dict[str, Any]:
    return {"reasoning_effort": effort_of(thinking)}


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
    think=_think,
    answer=_answer,
    read_as={("max_tokens",): "max_tokens", ("top_k",): "top_k"},
)
RESPONSE = ResponseSettings(
    message=("choices", "message"),
    stop=("choices", "finish_reason"),
    finishes={
        "stop": "stop",
        "tool_calls": "tool_calls",
        "function_call": "tool_calls",
        "length": "length",
        "content_filter": "content_filter",
    },
    usage={
        "input_tokens": ("usage", "prompt_tokens"),
        "output_tokens": ("usage", "completion_tokens"),
        "cache_read_tokens": ("usage", "prompt_tokens_details", "cached_tokens"),
        "reasoning_tokens": ("usage", "completion_tokens_details", "reasoning_tokens"),
    },
)
