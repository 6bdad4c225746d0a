"""Which efforts OpenAI's models take.

https://platform.openai.com/docs/guides/reasoning.
"""

from __future__ import annotations

import re
from typing import Any

from toolgen_runtime.providers.shared.thinking import EFFORTS, Path, Thinking, effort_of, is_off

LEVELS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""Efforts that the API knows: `openai.types.shared.ReasoningEffort`."""
_WITHOUT = re.compile(r"(?:openai/)?(?:gpt-(?:3|4)|chatgpt-4|ft:gpt-(?:3|4))")
_MODELS = (
    (re.compile(r"(?:openai/)?gpt-5-pro"), ("high",)),
    (re.compile(r"(?:openai/)?o\d"), ("low", "medium", "high")),
    (re.compile(r"(?:openai/)?gpt-5(?!\.)"), ("minimal", "low", "medium", "high")),
    (re.compile(r"(?:openai/)?gpt-5\.1"), ("none", "low", "medium", "high")),
    (re.compile(r"(?:openai/)?gpt-(?:5\.|[6-9])"), ("none", "low", "medium", "high", "xhigh")),
)


def effort_members(place: Path, thinking: Thinking, model: str) -> dict[str, Any] | None:
    """Return the members that say the nearest effort that a model takes, None where it cannot be told.

    `place` is where the API has the effort.
    """
    if _WITHOUT.match(model):
        return {} if is_off(thinking) else None
    known = next((efforts for pattern, efforts in _MODELS if pattern.match(model)), EFFORTS[2:5])
    if is_off(thinking):
        if known[0] not in ("none", "minimal"):  # a server with models of others may not know the word
            return None
        effort = known[0]
    else:
        effort = effort_of(thinking, [each for each in known if each != "none"])
    members: Any = effort
    for key in reversed(place):
        members = {key: members}
    return dict(members)
