"""Classify failed requests to models.

The first of these facts decides: a code that is more specific than its status, the HTTP status, a general code, the
name of the exception's class, the same facts in the message, and last the wording of the message. Each step reads the
error first, and then the errors from which it was raised.
"""

from __future__ import annotations

from functools import partial

from toolgen_runtime.calls.error_decision import (
    Classified,
    Decision,
    by_code,
    by_name,
    by_number,
    by_words,
    decide,
)
from toolgen_runtime.calls.error_facts import Facts, ForeignError, facts_of
from toolgen_transcripts.errors import llm_tables
from toolgen_transcripts.errors.codes_in_text import in_text
from toolgen_transcripts.errors.llm_tables import LLMErrorKind
from toolgen_transcripts.rules.table import explain_provider_error

_4XX, _5XX = range(400, 500), range(500, 600)
_llm_code = partial(by_code, llm_tables.LLM_CODES)
_llm_name = partial(by_name, llm_tables.LLM_NAMES)
_llm_message = partial(by_words, llm_tables.LLM_WORDINGS)
_SAID_BY_STATUS = (((400,), llm_tables.LLM_REFUSALS), ((429,), llm_tables.LLM_USED_UP))
_llm_status = partial(by_number, "status", llm_tables.LLM_STATUS, _SAID_BY_STATUS)
_SAID_IN_TEXT = ((_4XX, llm_tables.LLM_BEHIND_4XX), (_5XX, llm_tables.LLM_BEHIND_5XX), *_SAID_BY_STATUS)
_llm_text_status = partial(by_number, "status", llm_tables.LLM_STATUS, _SAID_IN_TEXT)


def _llm_general_code(facts: Facts) -> Decision[LLMErrorKind] | None:
    used_up = by_words(llm_tables.LLM_USED_UP, facts) if facts.codes else None
    return used_up or by_code(llm_tables.LLM_GENERAL_CODES, facts)


def _llm_text_name(facts: Facts) -> Decision[LLMErrorKind] | None:
    """Return the kind for the name of an exception in a text.

    Two names are vague, so the wording is read before them: OpenAI raises `RateLimitError` also for used-up quotas, and
    LiteLLM raises `APIConnectionError` also for unknown errors.
    """
    named = _llm_name(facts)
    if named is not None and f"litellm.{named[2]}" in facts.text and named[2] == "APIConnectionError":
        return _llm_message(Facts(text=facts.text.replace(named[2], ""))) or named
    if named is None or named[0] is not LLMErrorKind.RATE_LIMIT:
        return named
    return by_words(llm_tables.LLM_BEHIND_4XX, facts) or named


def _llm_explained(facts: Facts) -> Decision[LLMErrorKind] | None:
    """Return `MODEL_ERROR` if the text is a provider's message about a rule that the request breaks."""
    rule = explain_provider_error(facts.text)
    if rule is None:
        return None
    return (LLMErrorKind.MODEL_ERROR, "message", rule.slug)


_MAY_BE_TOO_LONG = {LLMErrorKind.MODEL_ERROR, LLMErrorKind.SERVER_ERROR, LLMErrorKind.UNKNOWN}
"""The kinds under which a server reports a request that is too long, if it has no code for this."""

_LLM_TEXT = in_text(_llm_code, _llm_text_status, _llm_general_code, _llm_text_name)
_LLM_RULES = (
    (_llm_code, _llm_status, _llm_general_code, _llm_name),
    (_llm_explained, _LLM_TEXT, _llm_message),
)


def classify_llm_error(error: ForeignError) -> Classified[LLMErrorKind]:
    """Classify a failed request to a model, from an exception of any SDK, an error object or an error
    message.
    """
    kind, by, evidence = decide(error, _LLM_RULES) or (LLMErrorKind.UNKNOWN, "default", "")
    if kind in _MAY_BE_TOO_LONG:
        found = next(
            filter(None, (llm_tables.LLM_TOO_LONG.search(facts.text) for facts in facts_of(error))), None
        )
        if found is not None:
            kind, by, evidence = LLMErrorKind.CONTEXT_LENGTH_EXCEEDED, "message", found[0].lower()
    again = kind in llm_tables.LLM_RETRYABLE
    if kind is LLMErrorKind.MODEL_ERROR:  # an invalid call of the model may be valid the next time
        rules = (explain_provider_error(facts.text) for facts in facts_of(error))
        again = any(rule is not None and rule.where == "response" for rule in rules)
    return Classified(kind, by, again, evidence)
