"""How Claude models are told to think, whoever serves them.

https://docs.claude.com/en/docs/build-with-claude/extended-thinking and /adaptive-thinking.
"""

from __future__ import annotations

import re
from typing import Any

from toolgen_runtime.providers.shared.thinking import Thinking, budget_of, effort_of, is_off

_WITHOUT = re.compile(r"claude-(?:instant|v?2|3-(?:opus|sonnet|haiku|5))")
_BUDGET_ONLY = re.compile(r"claude-(?:3-7|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8}|@|:|$))")
_EFFORT_ONLY = re.compile(r"claude-(?:opus|sonnet|haiku)-(?:4-[7-9]|[5-9])")
_EFFORTS = ("low", "medium", "high", "max")
_NEWER_EFFORTS = ("low", "medium", "high", "xhigh", "max")
LEAST_BUDGET = 1024


def claude_thinking(thinking: Thinking, model: str) -> dict[str, Any] | None:
    """Return the members of a request: an effort is for models that decide by themselves how long to think.

    None: the model does not think.
    """
    if _WITHOUT.search(model):
        return {} if is_off(thinking) else None
    if is_off(thinking):
        return {"thinking": {"type": "disabled"}}
    newer = _EFFORT_ONLY.search(model) is not None
    if newer or (isinstance(thinking, str) and _BUDGET_ONLY.search(model) is None):
        effort = effort_of(thinking, _NEWER_EFFORTS if newer else _EFFORTS)
        return {"thinking": {"type": "adaptive"}, "output_config": {"effort": effort}}
    return {"thinking": {"type": "enabled", "budget_tokens": max(budget_of(thinking), LEAST_BUDGET)}}
