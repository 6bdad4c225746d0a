"""Classify errors of other libraries. Rules look at the details of an error, and the first rule that
recognizes it decides.

`handler_errors` contains the rules for exceptions of handlers; other packages contain rules for other errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Literal, NamedTuple, TypeVar

from toolgen_runtime.calls.error_facts import Facts, ForeignError, facts_of
from toolgen_runtime.validation.redaction import fold_name

KindT = TypeVar("KindT", bound=StrEnum)
Patterns = tuple[tuple[KindT, re.Pattern[str]], ...]
"""Kinds and their patterns, tried in this order."""


DecidedBy = Literal["code", "status", "name", "message", "default"]
"""The fact that decided the kind. `message`: the text contains it, and `evidence` holds the code or words. `default`:
no rule applied.
"""

KindT_co = TypeVar("KindT_co", bound=StrEnum, covariant=True)


@dataclass(frozen=True, slots=True)
class Classified(Generic[KindT_co]):
    """The kind of an error, the `evidence` for it (a code, status, class name or phrase), and whether to try
    again.
    """

    kind: KindT_co
    decided_by: DecidedBy
    retryable: bool
    evidence: str = ""


Decision = tuple[KindT, DecidedBy, str]
Rule = Callable[[Facts], Decision[KindT] | None]


class Row(NamedTuple, Generic[KindT]):
    """The codes, exception class names and phrases by which one kind of error is recognized."""

    kind: KindT
    words: tuple[str, ...] = ()
    names: str = ""
    codes: str = ""
    """Codes that say more than their HTTP status. OpenAI sends `insufficient_quota` with a 429, Anthropic sends
    `overloaded_error` in a stream that began with a 200, and Bedrock sends `ServiceQuotaExceededException` with a
    400.
    """
    general: str = ""
    """Codes that say less than an HTTP status, and are only used without one."""


def worded(*rows: Row[KindT]) -> Patterns[KindT]:
    """Return a compiled pattern for each row that lists phrases."""
    return tuple((r.kind, re.compile("|".join(r.words), re.IGNORECASE)) for r in rows if r.words)


def named(*rows: Row[KindT]) -> Patterns[KindT]:
    """Return a compiled pattern for each row that lists exception class names."""
    return tuple((r.kind, re.compile(r.names, re.IGNORECASE)) for r in rows if r.names)


TIMEOUT = (
    # not the name of a setting, as in "timeout must be an integer"
    r"(?<!['\"`])time[- ]?out(?!['\"`]?(?:=| (?:parameter|argument|field|option|setting|value|must|should)))",
    r"\btimed[- ]out\b",
    r"\b(?:context )?deadline[ _](?:exceeded|expired)\b",
    r"\betimedout\b",
)
BROKEN_CONNECTION = (
    r"\bsocket hang up\b",
    r"\be(?:connreset|connrefused|pipe|ai_again|notfound)\b",
    r"\bconnection (?:was |has been |is )?(?:aborted|broken|closed|lost|refused|reset|terminated)\b",
    r"\bserver disconnected\b",
)
TIMEOUT_NAMES = r"time_?out|deadline_?exceeded"
NETWORK_NAMES = (
    r"connect|^(read|write|close|network|transport|proxy|httpclient|protocol|remoteprotocol)error$"
    r"|ssl|certificate|gaierror|unknownhost|payloaderror|disconnected|nameresolution|checksum|incompleteread|streamingerror|brokenpipe"
    r"|brokenresource|closedresource|clientoserror|maxretry"
)


def decide(error: ForeignError, rules: tuple[tuple[Rule[KindT], ...], ...]) -> Decision[KindT] | None:
    """Try the rules on an error and its causes, and return the first result.

    The rules run in stages. Each stage reads the error and all its causes before the next stage starts.
    """
    links = facts_of(error)
    for stage in rules:
        for facts in links:
            for rule in stage:
                if verdict := rule(facts):
                    return verdict
    return None


def by_words(rows: Patterns[KindT], facts: Facts) -> Decision[KindT] | None:
    """Return the kind of the first row that has a phrase from the error text."""
    for kind, pattern in rows:
        if match := pattern.search(facts.text):
            return kind, "message", match[0].lower()
    return None


def by_name(rows: Patterns[KindT], facts: Facts) -> Decision[KindT] | None:
    """Return the kind for the exception's class or, failing that, for its nearest base class that has one."""
    for name in facts.names:
        for kind, pattern in rows:
            if pattern.search(name):
                return kind, "name", name
    return None


def by_code(table: Mapping[str, KindT], facts: Facts) -> Decision[KindT] | None:
    """Return the kind for the error's most specific code that is in the table."""
    for code in facts.codes:
        if kind := table.get(fold_name(code)):
            return kind, "code", code
    return None


def by_number(
    by: Literal["status", "code"],
    table: Mapping[int, KindT],
    behind: tuple[tuple[Container[int], Patterns[KindT]], ...],
    facts: Facts,
) -> Decision[KindT] | None:
    """Return the kind for an error's HTTP status or JSON-RPC code, unless its text reveals a more precise
    cause.

    `behind` lists the precise causes that some numbers may hide.
    """
    number = facts.status if by == "status" else facts.rpc_code
    if number is None:
        return None
    for numbers, rows in behind:
        if number in numbers and (worded := by_words(rows, facts)):
            return worded
    kind = table.get(number)
    if kind is None:
        return None
    return (kind, by, str(number))
