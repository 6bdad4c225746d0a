"""The tables by which errors of models' servers are classified: codes, class names and phrases for each kind.

If names or wordings of several rows match, the first row decides:

1. Quota before rate limit, unless the text says when to try again: texts about a quota often contain "rate limit"
   or 429, but waiting does not help.
2. Rate limit before authorization: "403 Forbidden: rate limit exceeded" passes by itself.
3. Authorization before model, timeout and network: it is the cause, and the others are often mentioned with it
   ("Unauthorized: session timeout"). "authentication handshake failed" and "authentication timed out" do not
   mean that access was refused, so later rows decide.
4. A model by name before timeout and network; the vague "not available" and "invalid request" after them,
   since "not available: connection refused" is a network error.
5. Timeout before network: most timeouts mention what they waited for. In "certificate verify timed out" the
   certificate is not wrong; an `APITimeoutError` is also an `APIConnectionError`.
6. Network before a failure of the server, which gateways report for a connection that they lost.

A bare substring can mislead, hence the word boundaries and contexts: "credits" of a film, `get_credits`,
429 in an id, "separate limit", a parameter called timeout.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from toolgen_runtime.calls.error_decision import (
    BROKEN_CONNECTION,
    NETWORK_NAMES,
    TIMEOUT,
    TIMEOUT_NAMES,
    Row,
    named,
    worded,
)
from toolgen_runtime.validation.redaction import fold_name


class LLMErrorKind(StrEnum):
    """The kinds of failed requests to a model, by what the caller should do."""

    RATE_LIMIT = "rate_limit"
    AUTH_ERROR = "auth_error"
    QUOTA_EXCEEDED = "quota_exceeded"
    CONTEXT_LENGTH_EXCEEDED = "context_length_exceeded"
    MODEL_ERROR = "model_error"
    TIMEOUT = "timeout"
    NETWORK_ERROR = "network_error"
    SERVER_ERROR = "server_error"
    UNKNOWN = "unknown"


LLM_RETRYABLE: Final = frozenset(
    {LLMErrorKind.RATE_LIMIT, LLMErrorKind.TIMEOUT, LLMErrorKind.NETWORK_ERROR, LLMErrorKind.SERVER_ERROR}
)
"""The kinds for which the same request may succeed later."""


_WAIT = Row(
    # a limit whose text gives its end or its period is not a used-up quota
    LLMErrorKind.RATE_LIMIT,
    (
        r"\b(?:retry|try again) (?:in|after) \d",
        r"\bretryDelay\b",
        r"(?:\b|_)per[-_ ](?:minute|second)(?:\b|_)",
    ),
)
_QUOTA = Row(
    LLMErrorKind.QUOTA_EXCEEDED,
    (
        r"\binsufficient[ _](?:quota|balance)",
        r"\bquota[ _](?:has been |was |is )?exceeded",
        r"\bexceeded (?:your |the )?(?:\w+ )?quota\b",
        r"\bpayment[ _]required",
        r"\bbilling(?! address)",
        r"\b(?:reached|exceeded|hit) (?:your |the )?(?:\w+ )?(?:\w+ )?(?:usage|spending|spend) limits?\b",
        r"\b(?:insufficient|enough) (?:\w+ )?credits\b",
        r"\b(?:account|add|additional|api|buy|free|more|no|of|on|prepaid|purchase|remaining|your) credits\b",
        r"^\W*credits\W*$",
        r"\bcredit balance\b",
    ),
    names=r"quota|paymentrequired|budgetexceeded",
    codes="""insufficient_quota quota_exceeded billing_error billing_not_active billing_hard_limit_reached
        payment_required insufficient_credits ServiceQuotaExceededException exceeded_current_quota_error
        insufficient_balance Arrearage""",
)
_RATE = Row(
    LLMErrorKind.RATE_LIMIT,
    (
        r"(?<![a-z])rate[ _-]?limit",
        r"\btoo[ _]many[ _]requests",
        r"\brequest rate is too high",
        r"\bresources? (?:has been )?exhausted\b",
        r"\blimited to \d+ \w+ ?\w* ?(?:/|per|a|each) ?(?:second|minute|hour|day|month)\b",
    ),
    names=r"ratelimit|throttl|toomanyrequests|overloaded|resourceexhausted",
    codes="""rate_limit_exceeded rate_limit_error rate_limited too_many_requests overloaded overloaded_error
        engine_overloaded slow_down Throttling ThrottledException ThrottlingException TooManyRequestsException
        RequestThrottled RequestLimitExceeded ModelNotReadyException rate_limit_reached_error RateLimitReached
        engine_overloaded_error model_overloaded service_tier_capacity_exceeded""",
    general="RESOURCE_EXHAUSTED",
)
_LLM_ROWS = (
    Row(
        LLMErrorKind.CONTEXT_LENGTH_EXCEEDED,
        names=r"^contextwindowexceeded",
        codes="""context_length_exceeded context_window_exceeded exceed_context_size_error
            model_max_prompt_tokens_exceeded""",
    ),
    _WAIT,
    _QUOTA,
    _RATE,
    Row(
        LLMErrorKind.RATE_LIMIT,
        (
            r"\boverload(?:ed|ing|_|\b)",
            r"\bexperiencing high demand\b",  # Gemini
            r"\btier capacity exceeded\b",  # Mistral
            r"\brequest was throttled\b",
        ),
    ),
    Row(
        LLMErrorKind.AUTH_ERROR,
        (
            r"\b(?:invalid|incorrect)[ _](?:x-)?api[ _-]?key",
            r"\bapi[ _-]?key\b.{0,40}\b(?:must be set|is missing|not (?:found|set|valid|provided)|is required|expired)",
            r"\b(?:locate|load|resolve|find)(?: \w+){0,2} credentials\b",
            r"\bsecurity token\b.{0,40}\b(?:expired|invalid)",
            r"\bnot authori[sz]ed to\b",
            r"\bdo(?:es)?(?:n't| not) have access to (?:the |this )?model",
            r"\bunauthori[sz]ed",
            r"\bunauthenticated",
            r"\breauthenticat(?:e|ion)\b",
            r"\bauthentication(?! (?:handshake|timed out|timeout))",
            r"\baccess[ _]?denied",
            r"\bforbidden",
            r"\bpermission",
        ),
        names=r"authenticat|unauthori[sz]ed|permissiondenied|accessdenied|forbidden|credentials?|noauthtoken|oauth",
        codes="""invalid_api_key API_KEY_INVALID authentication_error permission_error permission_denied unauthorized
            unauthenticated forbidden access_denied invalid_organization account_deactivated AccessDeniedException
            UnrecognizedClientException InvalidClientTokenId InvalidSignatureException SignatureDoesNotMatch
            IncompleteSignature MissingAuthenticationToken ExpiredToken ExpiredTokenException
            invalid_authentication_error account_suspended UnauthorizedException NotAuthorizedException""",
    ),
    Row(
        LLMErrorKind.MODEL_ERROR,
        (
            r"\bmodel(?:_|\b.{0,80}?\b)(?:not[ _]found|does not exist|is not supported)",
            r"\b(?:unknown|invalid|unsupported)[ _]model",
            r"\bmodel identifier is invalid",
            r"\bparameter validation failed",
            r"\bmissing required parameter",
            r"\bdoes not support (?:the )?(?:parameter|tool|function)s?\b",
        ),
        names=r"^(badrequest|notfound|unprocessableentity|invalidrequest|paramvalidation|content)",
        codes="""model_not_found invalid_model unsupported_model DeploymentNotFound string_above_max_length
            request_too_large content_filter content_policy_violation unsupported_parameter unsupported_value
            invalid_prompt ValidationException ResourceNotFoundException ModelErrorException
            missing_required_parameter model_decommissioned tool_use_failed json_validate_failed
            DataInspectionFailed""",
        general="invalid_request_error not_found_error INVALID_ARGUMENT NOT_FOUND",
    ),
    Row(
        LLMErrorKind.TIMEOUT,
        (*TIMEOUT, r"\beconnaborted\b"),
        names=TIMEOUT_NAMES,
        codes="""timeout timeout_error request_timeout RequestTimeoutException deadline_exceeded
            ModelTimeoutException ETIMEDOUT ESOCKETTIMEDOUT ECONNABORTED""",
    ),
    Row(
        LLMErrorKind.NETWORK_ERROR,
        (
            *BROKEN_CONNECTION,
            r"\b(?:fetch failed|failed to fetch)\b",
            r"\b(?:cannot|could not|couldn't|failed to|unable to) connect\b",
            r"\b(?:name or service not known|name resolution|nodename nor servname|no such host|getaddrinfo)",
            r"\b(?:payload is not completed|incomplete (?:chunked )?read|premature close|no route to host)",
            r"\bconnection",
            r"\bnetwork",
            r"\b(?:dns|tls|ssl)(?:v?\d|error|_|\b)",
            r"\bcertificate",
        ),
        names=NETWORK_NAMES,
        codes="""ECONNRESET ECONNREFUSED EPIPE EAI_AGAIN ENOTFOUND ENETDOWN ENETUNREACH EHOSTDOWN
            EHOSTUNREACH""",
    ),
    Row(
        LLMErrorKind.SERVER_ERROR,
        (
            r"\binternal[ _]server[ _]error",
            r"\bserver had an error\b",
            r"\bunable to process your request\b",  # Bedrock
            r"\berror occurred while processing your request\b",  # OpenAI
            r"\bprovider returned error\b",  # OpenRouter
            r"\binternal error\b",
            r"\bservice[ _](?:is )?(?:temporarily )?unavailable",
            r"\bbad[ _]gateway",
        ),
        names=r"internalserver|serviceunavailable|badgateway",
        codes="""InternalServerException InternalFailure ServiceUnavailable ServiceUnavailableException
            ModelStreamErrorException UNAVAILABLE""",
        general="api_error server_error internal_server_error INTERNAL",
    ),
    Row(LLMErrorKind.MODEL_ERROR, (r"\bnot available\b", r"\binvalid[ _]request")),
)
LLM_WORDINGS: Final = worded(*_LLM_ROWS)
LLM_NAMES: Final = named(*_LLM_ROWS)
LLM_CODES: Final = {fold_name(code): row.kind for row in _LLM_ROWS for code in row.codes.split()}
LLM_GENERAL_CODES: Final = {fold_name(code): row.kind for row in _LLM_ROWS for code in row.general.split()}
LLM_STATUS: Final = {
    **dict.fromkeys(range(400, 500), LLMErrorKind.MODEL_ERROR),
    **dict.fromkeys(range(500, 600), LLMErrorKind.SERVER_ERROR),
    401: LLMErrorKind.AUTH_ERROR,
    402: LLMErrorKind.QUOTA_EXCEEDED,
    403: LLMErrorKind.AUTH_ERROR,
    407: LLMErrorKind.AUTH_ERROR,
    408: LLMErrorKind.TIMEOUT,
    429: LLMErrorKind.RATE_LIMIT,
    504: LLMErrorKind.TIMEOUT,
    529: LLMErrorKind.RATE_LIMIT,  # Anthropic: overloaded
}
LLM_BEHIND_4XX: Final = worded(
    Row(LLMErrorKind.NETWORK_ERROR, (r"\bpayload is not completed\b",)),  # aiohttp adds the 400
    _WAIT,
    _QUOTA,
    _RATE,
)
"""The causes that may be behind a 4xx in a text: providers send 400, 403 and 429 both for a limit and for a used-up
quota.
"""
LLM_USED_UP: Final = worded(_WAIT, _QUOTA)
"""The causes that may be behind a 429 or a code for it: Google also sends it for a used-up quota."""
LLM_BEHIND_5XX: Final = worded(Row(LLMErrorKind.NETWORK_ERROR, BROKEN_CONNECTION))
"""The causes that may be behind a 5xx in a text: gateways report lost connections this way."""
LLM_REFUSALS: Final = worded(
    Row(LLMErrorKind.QUOTA_EXCEEDED, (r"\bcredit balance is too low\b",)),  # Anthropic
    Row(
        LLMErrorKind.AUTH_ERROR, (r"\bapi key not valid\b", r"\bincorrect api key provided\b")
    ),  # Gemini, xAI
)
"""The causes of a 400 that is not an error in the request."""
LLM_TOO_LONG: Final = re.compile(
    "|".join((
        r"\bmaximum (?:context|prompt|model) length\b",  # OpenAI, DeepSeek, OpenRouter, xAI, vLLM, Mistral
        r"\bcontext (?:window|limit|size)\b",  # OpenAI's Responses, Anthropic with max_tokens, llama.cpp, MiniMax
        r"\b(?:prompt|input|request|conversation) is too (?:long|large)\b",  # Anthropic, Bedrock
        r"\b(?:input|prompt) tokens? ?(?:count)?\b.{0,60}\bexceeds?\b",  # Gemini, Bedrock, Copilot
        r"\binput token count is \d+ but model only supports\b",  # Vertex
        r"\btoo many (?:input )?tokens(?:\. Max|: total)",  # Titan, Cohere
        r"\btokens in the (?:prompt|input|messages) (?:cannot|must not) exceed\b",  # Cohere
        r"\btoo large for model with \d+",  # Mistral
        r"\bexceeded model token limit\b",  # Kimi
        r"\bprompt exceeds max length\b",  # Z.ai
        r"\brange of input length should be\b|\binput length .{0,80}\bexceeds?\b",  # Qwen
        r"\binputs`? (?:tokens \+ `?max_new_tokens`? must be <=|must have less than)",  # TGI
        r"\blength of prompt_tokens .{0,40}\bmax_seq_len\b",  # SiliconFlow
        r"\breduce the length of the (?:messages|prompt|input)\b",  # Groq
        r"\bexceeds (?:the |this )?model's maximum\b",
        r"\bcontext length of only\b",  # LM Studio
    )),
    re.IGNORECASE,
)  # fmt: skip
"""Wordings for a request that is too long for the model; `fit` shortens it."""
