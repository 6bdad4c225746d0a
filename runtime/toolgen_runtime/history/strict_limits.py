"""How much the strict tools of a request may ask for (rules 26 and 39).

Claude compiles all strict tools of a request into one grammar, and refuses more than 20 tools, 16 parameters of
union type or 24 optional parameters in them (https://docs.claude.com/en/docs/build-with-claude/structured-outputs).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolgen_runtime.history.capabilities import is_claude
from toolgen_runtime.history.request import Request
from toolgen_runtime.history.rule_ids import RuleId
from toolgen_runtime.providers.shared.strict import optional_parameters, union_parameters


def _over(count: int, limit: int | None) -> bool:
    return limit is not None and count > limit


@dataclass(slots=True)
class StrictCount:
    """What the strict tools so far have: how many they are, their union and their optional parameters."""

    request: Request
    tools: int = 0
    unions: int = 0
    optional: int = 0

    def with_tool(self, schema: dict[str, Any]) -> StrictCount:
        """Return the count with one more strict tool of this schema."""
        return StrictCount(
            self.request,
            self.tools + 1,
            self.unions + union_parameters(schema),
            self.optional + optional_parameters(schema),
        )

    def broken(self) -> list[tuple[RuleId, str, int]]:
        """Return the rules that these tools break together: the rule, its wording, and how many there are."""
        shape, model = self.request.wire.tools, self.request.model
        claude = model is None or is_claude(model)
        found = []
        if _over(self.unions, shape.max_unions):
            found.append((RuleId.TOO_MANY_UNIONS, "", self.unions))
        if claude and _over(self.tools, shape.max_strict):
            found.append((RuleId.TOO_MANY_STRICT, "", self.tools))
        if claude and _over(self.optional, shape.max_optional):
            found.append((RuleId.TOO_MANY_STRICT, "optional", self.optional))
        return [each for each in found if self.request.tests(each[0])]
