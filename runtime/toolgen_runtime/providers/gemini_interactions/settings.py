"""Where interactions have what stands beside steps and tools."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.shared.models import gemini_thinking_form
from toolgen_runtime.providers.shared.settings import RequestSettings, ResponseSettings
from toolgen_runtime.providers.shared.thinking import EFFORTS, Thinking, ThinkingPlaces, effort_of, is_off

_LEVELS = ("minimal", "low", "medium", "high", "xhigh")  # google.genai.interactions.ThinkingLevel


def _think(thinking: Thinking, model: str) -> dict[str, Any] | None:
    """Return the members that say how much to think, which takes a level alone; Pro models have no `minimal`."""
    if gemini_thinking_form(model) == "none":
        return {} if is_off(thinking) else None
    if is_off(thinking):
        return {"generation_config": {"thinking_level": "low" if "pro" in model else "minimal"}}
    known = _LEVELS if isinstance(thinking, str) and thinking in EFFORTS else _LEVELS[1:4]
    level = effort_of(thinking, known)
    return {"generation_config": {"thinking_level": level, "thinking_summaries": "auto"}}


def _answer(schema: dict[str, Any]) -> dict[str, Any]:
    return {"response_format": {"type": "text", "mime_type": "application/json", "schema": schema}}


REQUEST = RequestSettings(
    paths={
        "max_tokens": ("generation_config", "max_output_tokens"),
        "temperature": ("generation_config", "temperature"),
        "top_p": ("generation_config", "top_p"),
        "stop": ("generation_config", "stop_sequences"),
        "seed": ("generation_config", "seed"),
        "service_tier": ("service_tier",),
    },
    think=_think,
    answer=_answer,
    thinking=ThinkingPlaces(effort=(("generation_config", "thinking_level"),)),
    choice=("generation_config", "tool_choice"),
    efforts=_LEVELS,
    service_tiers=("flex", "standard", "priority", "deferred"),
)


def _of_model(response: dict[str, Any]) -> dict[str, Any]:
    """Return a response without the steps that are the caller's own: a stored interaction may repeat its input."""
    steps = response.get("steps")
    if not isinstance(steps, list):
        return response
    own = ("user_input", "function_result")
    return {**response, "steps": [s for s in steps if not isinstance(s, dict) or s.get("type") not in own]}


RESPONSE = ResponseSettings(
    message=("steps",),
    stop=("status",),
    usage={
        "input_tokens": ("usage", "total_input_tokens"),
        "output_tokens": ("usage", "total_output_tokens"),
        "cache_read_tokens": ("usage", "total_cached_tokens"),
        "reasoning_tokens": ("usage", "total_thought_tokens"),
    },
    reasoning_apart=True,
    normalize=_of_model,
)
