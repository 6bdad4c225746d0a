"""`Rule`: a rule by which providers reject requests, with its messages, its place and its fix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

ALL = frozenset({"anthropic", "bedrock", "gemini", "gemini_interactions", "openai", "openai_responses"})
"""The providers that have messages."""
BEDROCK = frozenset({"bedrock"})
CLAUDE = BEDROCK | {"anthropic"}
"""The providers to which Claude's rules apply: its own API and Bedrock."""
OPENAI = frozenset({"openai", "openai_responses"})
Where = Literal["history", "tools", "response", "stream"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    `number` and `slug` (`orphan-result`) are public (`Violation.rule`); they are those of docs/providers/rules.md.
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
    providers: frozenset[str] = BEDROCK
    where: Where = "history"
    also: tuple[str, ...] = ()
    place: str = ""
    ids: tuple[str, ...] = field(default=())
    slug: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        object.__setattr__(self, "slug", name.lower().replace("_", "-"))

    def message(self, provider: str, *, place: str = "", ids: tuple[str, ...] = (), detail: str = "") -> str:
        """Return the message that the provider's server would send."""
        family = provider.partition("_")[0]
        text = self.messages.get(provider) or self.messages.get(family) or self.messages[""]
        return text.format(place=place, ids=", ".join(ids), detail=detail)


def rule(
    number: int,
    title: str,
    fix: str,
    message: str,
    *also: str,
    of: frozenset[str] | None = None,
    where: Where = "history",
    **messages: str,
) -> Rule:
    """Return a rule with a message, messages of single providers under their names, and further wordings (`also`).

    `of` are the providers for which it is tested; by default Bedrock and the providers that have a message.
    """
    if of is None:
        of = BEDROCK | {
            provider for provider in ALL if {provider, provider.partition("_")[0]} & messages.keys()
        }
    return Rule(number, title, fix, {"": message, **messages}, of, where, also)
