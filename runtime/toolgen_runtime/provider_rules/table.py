"""Every rule by its number, and the rule behind a server's message.

Numbers, wordings and fixes are those of the rule list in docs/providers/rules.md.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from toolgen_runtime.provider_rules.history_rules import HistoryRules
from toolgen_runtime.provider_rules.rule import Rule
from toolgen_runtime.provider_rules.tool_rules import ToolRules


class Rules(HistoryRules, ToolRules):
    """Every rule by its name."""


BY_NUMBER: dict[int, Rule] = {
    rule.number: rule
    for family in (HistoryRules, ToolRules)
    for rule in vars(family).values()
    if isinstance(rule, Rule)
}
"""The rules by number; 0 is none of a server's, but what most clients refuse to send."""

RULES: tuple[Rule, ...] = tuple(BY_NUMBER[number] for number in sorted(BY_NUMBER) if number)
"""Every rule of a server, in the order of its number."""

_HOLE = re.compile(r"\\\{\w+\\\}")
_PLACE = re.compile(r"(?:messages|contents|input|toolConfig|tools|system)(?:[./]\w+|\[\d+\])+")
_IDS = re.compile(
    r"(?:(?:duplicate Ids|following Ids|response messages|immediately after|blocks|with id|must be unique): "
    r"|(?:call_id|tool_call_id|for (?:function|custom tool|tool) call|call id was) )([\w:.-]+(?:, [\w:.-]+)*)"
)
_FEWEST = 12
MAX_TEXT = 8_000
"""Characters of a server's message that are looked at."""


def _wording(message: str) -> str | None:
    """Return a pattern for a message's first sentence, which is what servers keep; None if it is nearly all holes."""
    sentence = message.removeprefix("{place}: ").split(". ")[0]
    fixed = len(re.sub(r"\{\w+\}", "", sentence))
    return _HOLE.sub(".{0,200}?", re.escape(sentence)) if fixed >= _FEWEST else None


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Rule], ...]:
    return tuple(
        (re.compile(pattern, re.IGNORECASE | re.DOTALL), rule)
        for rule in RULES
        for pattern in (*map(_wording, rule.messages.values()), *rule.also)
        if pattern is not None
    )


def _ids(text: str) -> tuple[str, ...]:
    found = _IDS.search(text)
    return tuple(id.rstrip(".") for id in found[1].split(", ")) if found else ()


def explain_provider_error(text: str) -> Rule | None:
    """Return the rule behind a server's message, with the `place` and `ids` that it names, or None.

    It knows every rule, including those that `check` cannot test.
    """
    text = text[:MAX_TEXT]
    for pattern, rule in _patterns():
        if pattern.search(text):
            place = _PLACE.search(text)
            return replace(rule, place=place[0] if place else "", ids=_ids(text))
    return None
