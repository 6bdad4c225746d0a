"""Where Responses API requests and responses have what stands beside items and tools."""

from __future__ import annotations

from functools import partial
from typing import Any

from toolgen_runtime.providers.openai.efforts import LEVELS, effort_members
from toolgen_runtime.providers.openai.wire import SERVICE_TIERS
from toolgen_runtime.providers.shared.settings import RequestSettings, ResponseSettings
from toolgen_runtime.providers.shared.thinking import ThinkingPlaces


def _answer(schema: dict[str, Any]) -> dict[str, Any]:
    return {"text": {"format": {"type": "json_schema", "name": "answer", "schema": schema}}}


REQUEST = RequestSettings(
    paths={
        "max_tokens": ("max_output_tokens",),
        "temperature": ("temperature",),
        "top_p": ("top_p",),
        "service_tier": ("service_tier",),
        "metadata": ("metadata",),
    },
    think=partial(effort_members, ("reasoning", "effort")),
    answer=_answer,
    thinking=ThinkingPlaces(effort=(("reasoning", "effort"),), budget=(("reasoning", "max_tokens"),)),
    choice=("tool_choice",),
    efforts=LEVELS,
    service_tiers=SERVICE_TIERS,
)
RESPONSE = ResponseSettings(
    message=("output",),
    stop=("status",),
    usage={
        "input_tokens": ("usage", "input_tokens"),
        "output_tokens": ("usage", "output_tokens"),
        "cache_read_tokens": ("usage", "input_tokens_details", "cached_tokens"),
        "cache_write_tokens": ("usage", "input_tokens_details", "cache_write_tokens"),
        "reasoning_tokens": ("usage", "output_tokens_details", "reasoning_tokens"),
    },
)
