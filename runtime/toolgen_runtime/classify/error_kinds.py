"""Classify foreign errors. Only this module decides their kinds.

The first of these decides: a code that is more specific than its status, the HTTP status, a general code, the name of
the exception's class, then the same facts in the message, and last its wording. Each of these steps reads the error
first, and then the errors that it was raised from.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Generic, Literal, TypeVar

from toolgen_runtime.calls.errors import TOOL_ERROR_KIND_MEANINGS, ToolErrorKind
from toolgen_runtime.classify import error_tables, mcp_tables
from toolgen_runtime.classify.error_tables import KindT, LLMErrorKind, Patterns
from toolgen_runtime.classify.evidence import Facts, ForeignError, facts_of
from toolgen_runtime.validation.redaction import fold_name
from toolgen_transcripts.rules.table import explain_provider_error

DecidedBy = Literal["code", "status", "name", "message", "default"]
"""The fact that decided a kind: `message` if it is in the text (`evidence` has the code or the words), `default` if no
rule applied."""

KindT_co = TypeVar("KindT_co", bound=StrEnum, covariant=True)


@dataclass(frozen=True, slots=True)
class Classified(Generic[KindT_co]):
    """A kind, the fact that decided it (`evidence`: a code, status, class name or words), and whether to try again."""

    kind: KindT_co
    decided_by: DecidedBy
    retryable: bool
    evidence: str = ""


_Verdict = tuple[KindT, DecidedBy, str]
_Rule = Callable[[Facts], _Verdict[KindT] | None]


def classify_llm_error(error: ForeignError) -> Classified[LLMErrorKind]:
    """Classify a failed model request: an exception of any SDK, an error object, or a message."""
    kind, by, evidence = _decide(error, _LLM_RULES) or (LLMErrorKind.UNKNOWN, "default", "")
    if kind in _MAY_BE_TOO_LONG:
        found = next(
            filter(None, (error_tables.LLM_TOO_LONG.search(facts.text) for facts in facts_of(error))), None
        )
        if found is not None:
            kind, by, evidence = LLMErrorKind.CONTEXT_LENGTH_EXCEEDED, "message", found[0].lower()
    return Classified(kind, by, kind in error_tables.LLM_RETRYABLE, evidence)


def classify_mcp_error(error: ForeignError) -> Classified[ToolErrorKind]:
    """Classify a failed MCP request: an exception, a JSON-RPC error object, or a message."""
    return _tool_verdict(_decide(error, _MCP_RULES))


def classify_handler_error(error: BaseException) -> Classified[ToolErrorKind]:
    """Classify an exception that a handler raised. The tool has run, even if the exception has an HTTP status."""
    return _tool_verdict(_decide(error, _HANDLER_RULES))


def _tool_verdict(verdict: _Verdict[ToolErrorKind] | None) -> Classified[ToolErrorKind]:
    kind, by, evidence = verdict or (ToolErrorKind.EXECUTION_ERROR, "default", "")
    return Classified(kind, by, TOOL_ERROR_KIND_MEANINGS[kind].recovery == "check_first", evidence)


def _decide(error: ForeignError, rules: tuple[tuple[_Rule[KindT], ...], ...]) -> _Verdict[KindT] | None:
    """Return the first verdict; each stage of rules reads the error and its causes before the next stage does."""
    links = facts_of(error)
    for stage in rules:
        for facts in links:
            for rule in stage:
                if verdict := rule(facts):
                    return verdict
    return None


def _worded(rows: Patterns[KindT], facts: Facts) -> _Verdict[KindT] | None:
    for kind, pattern in rows:
        if match := pattern.search(facts.text):
            return kind, "message", match[0].lower()
    return None


def _named(rows: Patterns[KindT], facts: Facts) -> _Verdict[KindT] | None:
    for name in facts.names:
        for kind, pattern in rows:
            if pattern.search(name):
                return kind, "name", name
    return None


def _coded(table: Mapping[str, KindT], facts: Facts) -> _Verdict[KindT] | None:
    for code in facts.codes:
        if kind := table.get(fold_name(code)):
            return kind, "code", code
    return None


def _numbered(
    by: Literal["status", "code"],
    table: Mapping[int, KindT],
    behind: tuple[tuple[Container[int], Patterns[KindT]], ...],
    facts: Facts,
) -> _Verdict[KindT] | None:
    """Return the kind for the status or JSON-RPC code, unless the wording gives the cause `behind` such a number."""
    number = facts.status if by == "status" else facts.rpc_code
    if number is None:
        return None
    for numbers, rows in behind:
        if number in numbers and (worded := _worded(rows, facts)):
            return worded
    kind = table.get(number)
    return None if kind is None else (kind, by, str(number))


def _in_text(*rules: _Rule[KindT]) -> _Rule[KindT]:
    """Return a rule that applies other rules to the facts in an error's text."""

    def read(facts: Facts) -> _Verdict[KindT] | None:
        from toolgen_runtime.classify.codes_in_text import facts_in  # its patterns take a while to compile

        stated = facts_in(facts.text)
        verdict = next((v for rule in rules if (v := rule(stated))), None)
        return verdict and (verdict[0], "message", verdict[2])

    return read


_4XX, _5XX = range(400, 500), range(500, 600)
_llm_code = partial(_coded, error_tables.LLM_CODES)
_llm_name = partial(_named, error_tables.LLM_NAMES)
_llm_message = partial(_worded, error_tables.LLM_WORDINGS)
_SAID_BY_STATUS = (((400,), error_tables.LLM_REFUSALS), ((429,), error_tables.LLM_USED_UP))
_llm_status = partial(_numbered, "status", error_tables.LLM_STATUS, _SAID_BY_STATUS)
_SAID_IN_TEXT = ((_4XX, error_tables.LLM_BEHIND_4XX), (_5XX, error_tables.LLM_BEHIND_5XX), *_SAID_BY_STATUS)
_llm_text_status = partial(_numbered, "status", error_tables.LLM_STATUS, _SAID_IN_TEXT)


def _llm_general_code(facts: Facts) -> _Verdict[LLMErrorKind] | None:
    used_up = _worded(error_tables.LLM_USED_UP, facts) if facts.codes else None
    return used_up or _coded(error_tables.LLM_GENERAL_CODES, facts)


def _llm_text_name(facts: Facts) -> _Verdict[LLMErrorKind] | None:
    """Return the kind for an exception's name in a text. Two names are vague, so the wording is read before them:
    OpenAI raises `RateLimitError` also for used-up quotas, LiteLLM `APIConnectionError` also for unknown errors.
    """
    named = _llm_name(facts)
    if named is not None and f"litellm.{named[2]}" in facts.text and named[2] == "APIConnectionError":
        return _llm_message(Facts(text=facts.text.replace(named[2], ""))) or named
    if named is None or named[0] is not LLMErrorKind.RATE_LIMIT:
        return named
    return _worded(error_tables.LLM_BEHIND_4XX, facts) or named


def _llm_explained(facts: Facts) -> _Verdict[LLMErrorKind] | None:
    """Return `MODEL_ERROR` if the text is a provider's message for a rule that the request breaks."""
    rule = explain_provider_error(facts.text)
    return None if rule is None else (LLMErrorKind.MODEL_ERROR, "message", rule.slug)


_LOST_SESSION = (mcp_tables.MCP_SESSION_CODES, mcp_tables.MCP_SESSION)
_SAID_BY_CODE = (_LOST_SESSION, (mcp_tables.MCP_WORDED_CODES, mcp_tables.MCP_BEHIND))
_mcp_code = partial(_numbered, "code", mcp_tables.MCP_CODES, _SAID_BY_CODE)
_mcp_other_code = partial(_numbered, "code", mcp_tables.MCP_OTHER_CODES, ())
_mcp_status = partial(_numbered, "status", mcp_tables.MCP_STATUS, (((400, 404), mcp_tables.MCP_SESSION),))
_mcp_name = partial(_named, mcp_tables.MCP_NAMES)
_handler_status = partial(_numbered, "status", mcp_tables.HANDLER_STATUS, ())


def _mcp_text_status(facts: Facts) -> _Verdict[ToolErrorKind] | None:
    """Return the kind for a status in a text; in a text that is not about the transport, a service sent the 404."""
    sure = facts.status in mcp_tables.MCP_TEXT_STATUS or facts.status in _5XX
    return _mcp_status(facts) if sure or mcp_tables.MCP_TRANSPORT.search(facts.text) else None


def _handler_bug(facts: Facts) -> _Verdict[ToolErrorKind] | None:
    is_bug = any(map(mcp_tables.HANDLER_BUGS.fullmatch, facts.names))
    return (ToolErrorKind.INTERNAL_ERROR, "name", facts.names[0]) if is_bug else None


_MAY_BE_TOO_LONG = {LLMErrorKind.MODEL_ERROR, LLMErrorKind.SERVER_ERROR, LLMErrorKind.UNKNOWN}
"""The kinds of a request that is too long, if the server has no code for that."""

_LLM_TEXT = _in_text(_llm_code, _llm_text_status, _llm_general_code, _llm_text_name)
_LLM_RULES = (
    (_llm_code, _llm_status, _llm_general_code, _llm_name),
    (_llm_explained, _LLM_TEXT, _llm_message),
)
_MCP_TEXT = _in_text(_mcp_code, _mcp_text_status, _mcp_name)
_MCP_RULES = (
    (_mcp_code, _mcp_status, _mcp_name),
    (_MCP_TEXT, partial(_worded, mcp_tables.MCP_WORDINGS)),
    (_mcp_other_code,),
)
_HANDLER_RULES = (
    (_mcp_code, _handler_status, _mcp_name, _handler_bug),
    (partial(_worded, mcp_tables.HANDLER_WORDINGS),),
    (_mcp_other_code,),
)
