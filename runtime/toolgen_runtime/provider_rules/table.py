"""Every rule by its number. Numbers, wordings and fixes are those of the rule list in docs/providers/rules.md."""

from __future__ import annotations

from toolgen_runtime.provider_rules import calls, messages, tools
from toolgen_runtime.provider_rules.messages import MALFORMED
from toolgen_runtime.provider_rules.rule import Rule

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (rule for family in (calls, messages, tools) for rule in family.RULES), key=lambda rule: rule.number
    )
)
"""Every rule, in the order of its number."""

BY_NUMBER = {rule.number: rule for rule in (MALFORMED, *RULES)}
"""The rules by number."""
