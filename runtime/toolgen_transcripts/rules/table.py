"""The table of all rules and their steps, and a search for the rule behind a server's error message.

Numbers, wordings and fixes are those of the rule list in docs/providers/rules.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from toolgen_transcripts.rules import explained
from toolgen_transcripts.rules.history import (
    cache_points,
    calls_and_results,
    calls_without_tools,
    documents,
    inputs,
    item_ids,
    malformed,
    names_and_ids,
    other_provider,
    reasoning,
    results_for_model,
    roles,
    server_tools,
    texts,
    thinking,
)
from toolgen_transcripts.rules.rule import Rule, Step
from toolgen_transcripts.rules.tools import definitions, schemas, strict

FAMILIES = (
    malformed,
    cache_points,
    texts,
    definitions,
    schemas,
    strict,
    reasoning,
    thinking,
    server_tools,
    item_ids,
    calls_without_tools,
    names_and_ids,
    calls_and_results,
    roles,
    inputs,
    results_for_model,
    documents,
    other_provider,
    explained,
)
"""The modules with the rules; without other reasons, their steps run in this order."""

BY_NUMBER: dict[int, Rule] = {
    rule.number: rule for family in FAMILIES for rule in vars(family).values() if isinstance(rule, Rule)
}
"""The rules by number. `malformed` (0) is not a server's rule, but most clients refuse to send such requests."""

RULES: tuple[Rule, ...] = tuple(BY_NUMBER[number] for number in sorted(BY_NUMBER) if number)
"""The servers' rules, in the order of their numbers."""


def _in_order(steps: list[Step]) -> Iterator[Step]:
    """Yield the steps, each one after those that it names."""
    while steps:
        waiting = {rule.slug for step in steps for rule in step.rules}
        ready = next(step for step in steps if waiting.isdisjoint(step.after))
        steps = [step for step in steps if step is not ready]
        yield ready


STEPS: tuple[Step, ...] = tuple(
    _in_order([step for family in FAMILIES for step in vars(family).values() if isinstance(step, Step)])
)
"""The functions that find and fix violations, in the order in which `repair` makes its changes."""

_FIRST_HOLE = re.compile(r"^\{\w+\}")
_HOLE = re.compile(r"\\\{\w+\\\}")
_QUOTE = re.compile(r"['\"`]")
_ANY_QUOTE = "\\\\\\\\?['\"`]"
"""Matches any of the quotes that servers use, which are escaped in JSON."""
_PLACE = re.compile(r"(?:messages|contents|input|toolConfig|tools|system)(?:[./]\w+|\[\d+\])+")
_IDS = re.compile(
    r"(?:(?:duplicate Ids|following Ids|response messages|immediately after|blocks|with id|must be unique"
    r"|have an approval|passed as input): "
    r"|(?:call_id|tool_call_id|for (?:function|custom tool|tool) call(?! output)|call id was) )"
    r"([\w:.-]+(?:, [\w:.-]+)*)(?![\w\[])"
)
_FEWEST = 12
MAX_TEXT = 8_000
"""The number of characters of a server's message that are searched."""


@cache
def _patterns() -> list[tuple[re.Pattern[str], Rule]]:
    """Return patterns for the first sentence of each message, which servers seldom change, and for further wordings."""
    out: list[tuple[re.Pattern[str], Rule]] = []
    for rule in RULES:
        sentences = [text.removeprefix("{place}: ").split(". ")[0] for text in rule.messages.values()]
        told = [
            each for each in sentences if len(re.sub(r"\{\w+\}", "", each)) >= _FEWEST
        ]  # skip sentences with few words besides placeholders
        # No placeholder at the start: a search would go through 200 characters from each character of the text.
        searched = (_HOLE.sub(".{0,200}?", re.escape(_FIRST_HOLE.sub("", sentence))) for sentence in told)
        searched = (_QUOTE.sub(_ANY_QUOTE, sentence) for sentence in searched)
        wordings = (*searched, *rule.also)
        out += [(re.compile(wording, re.IGNORECASE | re.DOTALL), rule) for wording in wordings]
    return out


def explain_provider_error(text: str) -> Rule | None:
    """Return the rule that a server's error message is about; None if it is not known.

    The rule has the `place` and `ids` from the message.

    All rules are searched, including those that `check` cannot test.
    """
    text = text[:MAX_TEXT]
    for pattern, rule in _patterns():
        if pattern.search(text):
            place, ids = _PLACE.search(text), _IDS.search(text)
            if ids:
                rule = replace(rule, ids=tuple(id.rstrip(".") for id in ids[1].split(", ")))
            return replace(rule, place=place[0] if place else "")
    return None
