"""How OpenAI's models are told how much to think."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.shared.models import openai_efforts
from toolgen_runtime.providers.shared.thinking import Path, Thinking, effort_of, is_off
from toolgen_runtime.providers.shared.tools.shape import nested

LEVELS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""Efforts that the API knows: `openai.types.shared.ReasoningEffort`."""


def effort_members(place: Path, thinking: Thinking, model: str) -> dict[str, Any] | None:
    """Return the members that say the nearest effort that a model takes, None where it cannot be told.

    `place` is where the API has the effort.
    """
    known = openai_efforts(model)
    if not known:
        return {} if is_off(thinking) else None
    if is_off(thinking):
        if known[0] not in ("none", "minimal"):  # a server with models of others may not know the word
            return None
        effort = known[0]
    else:
        effort = effort_of(thinking, [each for each in known if each != "none"])
    return nested(place, effort)
