"""The rules that providers reject requests by: what they say, where it stands, how it is fixed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal


class RuleId(IntEnum):
    """A rule: its number, which is public (`Violation.rule`), and its name.

    The numbers are those of the rule list in docs/providers/rules.md; 0 is not a rule of a server's.
    """

    MALFORMED = 0
    ORPHAN_RESULT = 1
    MISSING_RESULT = 2
    MISSING_RESULT_CLAUDE = 3
    RESULTS_NOT_FIRST = 4
    DUPLICATE_RESULT = 5
    DUPLICATE_CALL_ID = 6
    CALLS_WITHOUT_TOOLS = 7
    EMPTY_TEXT = 8
    BLANK_TEXT = 9
    EMPTY_MESSAGE = 10
    EMPTY_ERROR = 11
    REPEATED_ROLE = 12
    ASSISTANT_FIRST = 13
    ASSISTANT_LAST = 14
    TRAILING_SPACE = 15
    MIXED_RESULTS = 16
    INPUT_NOT_OBJECT = 17
    JSON_NOT_OBJECT = 18
    INVALID_LABEL = 19
    EMPTY_DESCRIPTION = 20
    EMPTY_TOOLS = 21
    ROOT_NOT_OBJECT = 22
    ROOT_UNION = 23
    INVALID_SCHEMA = 24
    NOT_STRICT = 25
    TOO_MANY_UNIONS = 26
    UNSUPPORTED_CHOICE = 27
    FORCED_WHILE_THINKING = 28
    UNSUPPORTED_FEATURE = 29
    RESULT_MEDIA = 30
    DOCUMENT_WITHOUT_TEXT = 31
    CACHE_POINT = 32
    MALFORMED_TOOL_USE = 33
    TRUNCATED_CALL = 34
    MISTRAL_ID = 35
    UNSUPPORTED_MEDIA = 36
    DOCUMENT_NAME = 37
    TOO_MANY_CACHE_POINTS = 38
    TOO_MANY_STRICT = 39
    TOO_MANY_TOOLS = 40
    LONG_DESCRIPTION = 41
    MISSING_THINKING = 42
    MISSING_REASONING = 43
    MISSING_SIGNATURE = 44
    FOREIGN_SIGNATURE = 45
    TORN_REASONING = 46
    OTHER_PROVIDER = 47
    DUPLICATE_TOOL = 48
    UNSTORED_REASONING = 49

    def __repr__(self) -> str:
        return int.__repr__(self)

    @property
    def slug(self) -> str:
        """The name as texts write it: `orphan-result`."""
        return self.name.lower().replace("_", "-")


ALL = frozenset({"anthropic", "bedrock", "gemini", "gemini_interactions", "openai", "openai_responses"})
"""The providers that have messages."""
BEDROCK = frozenset({"bedrock"})
CLAUDE = BEDROCK | {"anthropic"}
"""Where rules of Claude's hold: its own API and Bedrock."""
OPENAI = frozenset({"openai", "openai_responses"})
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
    providers: frozenset[str] = BEDROCK
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


def rule(
    number: RuleId,
    title: str,
    fix: str,
    message: str,
    *also: str,
    of: frozenset[str] = BEDROCK,
    where: Where = "history",
    **messages: str,
) -> Rule:
    """Return the rule with this message, that of some providers under their names, and `also` as its wordings."""
    return Rule(number, title, fix, {"": message, **messages}, of, where, also)
