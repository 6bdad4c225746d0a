"""The rules that providers reject requests by: what they say, where it stands, how it is fixed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from toolgen_runtime.provider_rules.ids import RuleId

ALL = frozenset({"anthropic", "bedrock", "gemini", "gemini_interactions", "openai", "openai_responses"})
"""The providers that have messages."""
Where = Literal["history", "tools", "response", "stream"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    `messages` contains the server's message for each provider (`""`: the others; OpenAI's two APIs share one), with
    placeholders `{place}`, `{ids}`, `{detail}`; `also` are further wordings, as regular expressions. `providers` are
    the providers for which `check` tests the rule. `where` is the part that breaks the rule: `check` and `repair`
    handle `history` and `tools`, the decoder handles a `response`, and the assembler a `stream`. `place` and `ids`
    are set on the copy that `explain_provider_error` returns.
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
        """Return the message that the provider's server would send."""
        family = provider.partition("_")[0]
        text = self.messages.get(provider) or self.messages.get(family) or self.messages[""]
        return text.format(place=place, ids=", ".join(ids), detail=detail)
