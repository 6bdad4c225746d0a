"""Rules, which are reasons why providers reject requests, and the steps that check them.

`Step`: a function that finds and repairs violations of some rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

ALL = frozenset({"anthropic", "bedrock", "gemini", "gemini_interactions", "openai", "openai_responses"})
"""The providers that have messages."""
BEDROCK = frozenset({"bedrock"})
CLAUDE = BEDROCK | {"anthropic"}
"""The providers to which Claude's rules apply: Anthropic's own API and Bedrock."""
ANTHROPIC = frozenset({"anthropic"})
GEMINI = frozenset({"gemini"})
CHAT = frozenset({"openai"})
"""OpenAI's Chat Completions API, which many servers implement."""
RESPONSES = frozenset({"openai_responses"})
OPENAI = CHAT | RESPONSES
NOWHERE = frozenset[str]()
"""The providers of a rule that is never tested, only explained."""
Where = Literal["history", "tools", "response", "stream"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One reason why a provider rejects requests.

    `slug` (`orphan-result`) is the rule's name, and `number` is its public number (`Violation.rule`);
    docs/providers/rules.md lists both. `source` says where the rule was seen: a thread (`repository#number`) or a page
    of the provider. `messages` contains the server's message for each provider (`""` stands for the others; OpenAI's
    two APIs share one), with the placeholders `{place}`, `{ids}` and `{detail}`. `also` contains further wordings as
    regular expressions. `providers` are the providers for which `check` tests the rule. `where` is the part of a
    conversation that breaks the rule: `check` and `repair` handle `history` and `tools`, the decoder handles a
    `response`, and the assembler a `stream`. `place` and `ids` are set on the copy that `explain_provider_error`
    returns.
    """

    slug: str
    number: int
    title: str
    fix: str
    messages: Mapping[str, str]
    providers: frozenset[str] = BEDROCK
    where: Where = "history"
    also: tuple[str, ...] = ()
    place: str = ""
    ids: tuple[str, ...] = ()
    source: str = ""

    def message(self, provider: str, *, place: str = "", ids: tuple[str, ...] = (), detail: str = "") -> str:
        """Return the error message that the provider's server would send."""
        family = provider.partition("_")[0]
        text = self.messages.get(provider) or self.messages.get(family) or self.messages[""]
        return text.format(place=place, ids=", ".join(ids), detail=detail)


def rule(
    slug: str,
    number: int,
    title: str,
    fix: str,
    message: str,
    *also: str,
    of: frozenset[str] | None = None,
    where: Where = "history",
    source: str = "",
    **messages: str,
) -> Rule:
    """Create a rule.

    It has a message for all providers or one for each of them under its name, and further wordings (`also`).

    `of` lists the providers for which the rule is tested; by default, Bedrock and the providers that have a message.
    """
    if of is None:
        of = BEDROCK | {
            provider for provider in ALL if {provider, provider.partition("_")[0]} & messages.keys()
        }
    return Rule(
        slug, number, title, fix, {"": message, **messages}, of, where=where, also=also, source=source
    )


@dataclass(frozen=True, slots=True)
class Step:
    """A function that finds and repairs violations of some rules in a draft.

    It runs for the providers of any of its `rules`, for requests for which `when` is true, and `after` the steps of
    the rules with these slugs; `why` is the reason for this order. After a repair, the steps that found something run
    again, to see what remains. The order makes sure that no later step breaks the rules of an earlier one. A step for
    which this is not so has `again`, and always runs again.
    """

    run: Callable[[Any], None]
    rules: tuple[Rule, ...]
    after: tuple[str, ...] = ()
    why: str = ""
    when: Callable[[Any], bool] = bool
    again: bool = False


def step(*rules: Rule, **options: Any) -> Callable[[Callable[[Any], None]], Step]:
    """Return a decorator that turns a function into the step for some rules. `options` are fields of `Step`."""
    return lambda run: Step(run, rules, **options)
