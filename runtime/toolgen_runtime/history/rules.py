"""The rules that providers reject requests by: what they say, where it stands, how it is fixed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from toolgen_runtime.history.rule_ids import RuleId
from toolgen_runtime.providers.shared.wire import PROVIDERS, wire_of

Where = Literal["history", "tools", "response", "stream"]

_HOLE = re.compile(r"\\\{\w+\\\}")
_PLACE = re.compile(r"(?:messages|contents|input|toolConfig|tools|system)(?:[./]\w+|\[\d+\])+")
_IDS = re.compile(
    r"(?:(?:duplicate Ids|following Ids|response messages|immediately after|blocks|with id|must be unique): "
    r"|(?:call_id|tool_call_id|for (?:function|custom tool|tool) call|call id was) )([\w:.-]+(?:, [\w:.-]+)*)"
)
_FEWEST = 12
MAX_TEXT = 8_000
"""Characters of a server's message that are looked at."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    `messages` holds what the server says, by provider (`""`: the others; OpenAI's two APIs share), with holes
    `{place}`, `{ids}`, `{detail}`; `also` are further wordings, as regular expressions. `providers` are those
    that `check` tests it for. `where` says who deals with it: `check` and `repair` with `history` and `tools`;
    the reader of a `response` and the assembler of a `stream` with theirs. `place` and `ids` are set on the
    copy that `explain_provider_error` returns.
    """

    number: int
    title: str
    fix: str
    messages: Mapping[str, str]
    providers: frozenset[str] = frozenset({"bedrock"})
    where: Where = "history"
    also: tuple[str, ...] = ()
    place: str = ""
    ids: tuple[str, ...] = field(default=())

    @property
    def slug(self) -> str:
        """The rule's name: `orphan-result`."""
        return RuleId(self.number).slug

    def message(self, provider: str, *, place: str = "", ids: tuple[str, ...] = (), detail: str = "") -> str:
        """Return what the provider's server would have sent."""
        family = wire_of(provider).family if provider in PROVIDERS else ""
        text = self.messages.get(provider) or self.messages.get(family) or self.messages[""]
        return text.format(place=place, ids=", ".join(ids), detail=detail)


def _wording(message: str) -> str | None:
    """Return a pattern for a message's first sentence, which is what servers keep; None if it is nearly all holes."""
    sentence = message.removeprefix("{place}: ").split(". ")[0]
    fixed = len(re.sub(r"\{\w+\}", "", sentence))
    return _HOLE.sub(".{0,200}?", re.escape(sentence)) if fixed >= _FEWEST else None


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Rule], ...]:
    from toolgen_runtime.history.rule_table import RULES

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
    """Return the rule behind a server's message, with the `place` and `ids` that it names; None for no rule.

    Knows every rule, those that `check` cannot see before the request is sent among them.
    """
    text = text[:MAX_TEXT]
    for pattern, rule in _patterns():
        if pattern.search(text):
            place = _PLACE.search(text)
            return replace(rule, place=place[0] if place else "", ids=_ids(text))
    return None
