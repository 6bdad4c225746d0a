"""Every rule by its number. Numbers, wordings and fixes are those of the rule list in docs/providers.md."""

from __future__ import annotations

from toolgen_runtime.history import rules_of_calls, rules_of_messages, rules_of_reasoning, rules_of_tools
from toolgen_runtime.history.rules import Rule
from toolgen_runtime.history.rules_of_messages import MALFORMED

_FAMILIES = (rules_of_calls, rules_of_messages, rules_of_tools, rules_of_reasoning)

RULES: tuple[Rule, ...] = tuple(
    sorted((rule for family in _FAMILIES for rule in family.RULES), key=lambda rule: rule.number)
)
"""Every rule, in the order of its number."""

BY_NUMBER = {rule.number: rule for rule in (MALFORMED, *RULES)}
"""The rules by number."""
