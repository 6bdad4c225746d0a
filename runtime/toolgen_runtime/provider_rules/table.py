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


@cache
def _patterns() -> list[tuple[re.Pattern[str], Rule]]:
    """Return a pattern for the first sentence of each message, which is what servers keep, and the other wordings."""
    out: list[tuple[re.Pattern[str], Rule]] = []
    for rule in RULES:
        sentences = [text.removeprefix("{place}: ").split(". ")[0] for text in rule.messages.values()]
        told = [
            each for each in sentences if len(re.sub(r"\{\w+\}", "", each)) >= _FEWEST
        ]  # not nearly all holes
        wordings = (*(_HOLE.sub(".{0,200}?", re.escape(sentence)) for sentence in told), *rule.also)
        out += [(re.compile(wording, re.IGNORECASE | re.DOTALL), rule) for wording in wordings]
    return out


def explain_provider_error(text: str) -> Rule | None:
    """Return the rule behind a server's message, with the `place` and `ids` that it names, or None.

    It knows every rule, including those that `check` cannot test.
    """
    text = text[:MAX_TEXT]
    for pattern, rule in _patterns():
        if pattern.search(text):
            place, ids = _PLACE.search(text), _IDS.search(text)
            found = tuple(id.rstrip(".") for id in ids[1].split(", ")) if ids else ()
            return replace(rule, place=place[0] if place else "", ids=found)
    return None
