"""How Claude models are told to think, whoever serves them."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.shared.models import claude_thinking_form
from toolgen_runtime.providers.shared.thinking import Thinking, budget_of, effort_of, is_off

_EFFORTS = ("low", "medium", "high", "max")
_NEWER_EFFORTS = ("low", "medium", "high", "xhigh", "max")
LEAST_BUDGET = 1024


def claude_thinking(thinking: Thinking, model: str) -> dict[str, Any] | None:
    """Return the members of a request: an effort is for models that decide by themselves how long to think.

    None: the model does not think.
    """
    form = claude_thinking_form(model)
    if form == "none":
        return {} if is_off(thinking) else None
    if is_off(thinking):
        return {"thinking": {"type": "disabled"}}
    if form == "effort" or (isinstance(thinking, str) and form != "budget"):
        effort = effort_of(thinking, _NEWER_EFFORTS if form == "effort" else _EFFORTS)
        return {"thinking": {"type": "adaptive"}, "output_config": {"effort": effort}}
    return {"thinking": {"type": "enabled", "budget_tokens": max(budget_of(thinking), LEAST_BUDGET)}}
