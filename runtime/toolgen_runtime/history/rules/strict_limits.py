"""Rules 26 and 39: what the strict tools of a request may ask for in all."""

from __future__ import annotations

from toolgen_runtime.history.request import Request
from toolgen_runtime.provider_rules.ids import RuleId
from toolgen_runtime.providers.shared.models import is_claude
from toolgen_runtime.providers.shared.tools.strict import StrictUse

_RULES = {
    "unions": (RuleId.TOO_MANY_UNIONS, ""),
    "tools": (RuleId.TOO_MANY_STRICT, ""),
    "optional": (RuleId.TOO_MANY_STRICT, "optional"),
}


def strict_limits(request: Request, use: StrictUse) -> list[tuple[RuleId, str, int]]:
    """Return the rules that these tools break together: the rule, its wording, and how many there are."""
    subset = request.wire.tools.strict
    if subset is None:
        return []
    claude = request.model is None or is_claude(request.model)
    broken = [name for name in use.over(subset) if claude or name == "unions"]
    found = [(*_RULES[name], getattr(use, name)) for name in broken]
    return [each for each in found if request.tests(each[0])]
