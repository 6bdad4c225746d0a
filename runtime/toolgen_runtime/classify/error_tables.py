"""How foreign errors are classified, as data: codes, statuses, class names, and last the wordings.

Rows are tried in their order and the first that fits decides. `wordings` holds the texts; no other module
of the runtime knows how other people's errors are worded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypeVar

from toolgen_runtime.calls.errors import ToolErrorKind

KindT = TypeVar("KindT", bound=StrEnum)


class LLMErrorKind(StrEnum):
    """What a failed request to a model means for its caller."""

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
"""Kinds for which the same request may succeed later."""


def folded(code: str) -> str:
    """Return a code without case and separators: `rate_limit_error` and `RateLimitError` are one."""
    return "".join(c for c in code.lower() if c.isalnum())


def _codes(rows: Mapping[KindT, str]) -> dict[str, KindT]:
    return {folded(code): kind for kind, codes in rows.items() for code in codes.split()}


# Codes that say more than the status beside them: OpenAI sends `insufficient_quota` with a 429, Anthropic
# `overloaded_error` in a stream that began with a 200, Bedrock `ServiceQuotaExceededException` with a 400.
LLM_CODES: Final = _codes(
    {
        LLMErrorKind.QUOTA_EXCEEDED: """insufficient_quota quota_exceeded billing_error billing_not_active
            billing_hard_limit_reached payment_required insufficient_credits ServiceQuotaExceededException
            exceeded_current_quota_error insufficient_balance Arrearage""",
        LLMErrorKind.RATE_LIMIT: """rate_limit_exceeded rate_limit_error rate_limited too_many_requests
            overloaded overloaded_error engine_overloaded slow_down
            Throttling ThrottledException ThrottlingException TooManyRequestsException RequestThrottled
            RequestLimitExceeded ModelNotReadyException rate_limit_reached_error RateLimitReached
            engine_overloaded_error model_overloaded service_tier_capacity_exceeded""",
        LLMErrorKind.AUTH_ERROR: """invalid_api_key API_KEY_INVALID authentication_error permission_error
            permission_denied unauthorized unauthenticated forbidden access_denied invalid_organization
            account_deactivated AccessDeniedException UnrecognizedClientException InvalidClientTokenId
            InvalidSignatureException SignatureDoesNotMatch IncompleteSignature MissingAuthenticationToken
            ExpiredToken ExpiredTokenException invalid_authentication_error account_suspended
            UnauthorizedException NotAuthorizedException""",
        LLMErrorKind.CONTEXT_LENGTH_EXCEEDED: """context_length_exceeded context_window_exceeded
            exceed_context_size_error model_max_prompt_tokens_exceeded""",
        LLMErrorKind.MODEL_ERROR: """model_not_found invalid_model unsupported_model DeploymentNotFound
            string_above_max_length request_too_large content_filter
            content_policy_violation unsupported_parameter unsupported_value invalid_prompt
            ValidationException ResourceNotFoundException ModelErrorException missing_required_parameter
            model_decommissioned tool_use_failed json_validate_failed DataInspectionFailed""",
        LLMErrorKind.TIMEOUT: """timeout timeout_error request_timeout RequestTimeoutException
            deadline_exceeded ModelTimeoutException ETIMEDOUT ESOCKETTIMEDOUT ECONNABORTED""",
        LLMErrorKind.NETWORK_ERROR: """ECONNRESET ECONNREFUSED EPIPE EAI_AGAIN ENOTFOUND ENETDOWN ENETUNREACH
            EHOSTDOWN EHOSTUNREACH""",
        LLMErrorKind.SERVER_ERROR: """InternalServerException InternalFailure ServiceUnavailable
            ServiceUnavailableException ModelStreamErrorException UNAVAILABLE""",
    }
)

# Codes that say less than a status: consulted only where there is none.
LLM_GENERAL_CODES: Final = _codes(
    {
        LLMErrorKind.RATE_LIMIT: "RESOURCE_EXHAUSTED",
        LLMErrorKind.MODEL_ERROR: "invalid_request_error not_found_error INVALID_ARGUMENT NOT_FOUND",
        LLMErrorKind.SERVER_ERROR: "api_error server_error internal_server_error INTERNAL",
    }
)

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


def _names(*rows: tuple[KindT, str]) -> tuple[tuple[KindT, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in rows)


_TIMEOUT_NAMES = r"time_?out|deadline_?exceeded"
_NETWORK_NAMES = (
    r"connect|^(read|write|close|network|transport|proxy|httpclient|protocol|remoteprotocol)error$"
    r"|ssl|certificate|gaierror|unknownhost|payloaderror|disconnected|nameresolution|checksum|incompleteread|streamingerror|brokenpipe"
    r"|brokenresource|closedresource|clientoserror|maxretry"
)

# Names of exception classes. A name is tried from the class itself to its bases, so that an
# `APITimeoutError` is a timeout although it is an `APIConnectionError` too.
LLM_NAMES: Final = _names(
    (LLMErrorKind.CONTEXT_LENGTH_EXCEEDED, r"^contextwindowexceeded"),
    (LLMErrorKind.TIMEOUT, _TIMEOUT_NAMES),
    (LLMErrorKind.QUOTA_EXCEEDED, r"quota|paymentrequired|budgetexceeded"),
    (LLMErrorKind.RATE_LIMIT, r"ratelimit|throttl|toomanyrequests|overloaded|resourceexhausted"),
    (
        LLMErrorKind.AUTH_ERROR,
        r"authenticat|unauthori[sz]ed|permissiondenied|accessdenied|forbidden|credentials?|noauthtoken|oauth",
    ),
    (
        LLMErrorKind.MODEL_ERROR,
        r"^(badrequest|notfound|unprocessableentity|invalidrequest|paramvalidation|content)",
    ),
    (LLMErrorKind.SERVER_ERROR, r"internalserver|serviceunavailable|badgateway"),
    (LLMErrorKind.NETWORK_ERROR, _NETWORK_NAMES),
)

# JSON-RPC codes: those of JSON-RPC 2.0, those that the MCP specification and its SDKs add.
MCP_CODES: Final = {
    -32700: ToolErrorKind.INTERNAL_ERROR,  # parse error: one side does not speak JSON-RPC
    -32600: ToolErrorKind.INTERNAL_ERROR,  # invalid request
    -32601: ToolErrorKind.UNKNOWN_TOOL,  # method not found: the server has no such thing to call
    -32602: ToolErrorKind.INVALID_PARAMETERS,
    -32603: ToolErrorKind.INTERNAL_ERROR,
    -32800: ToolErrorKind.CANCELED,
    -32001: ToolErrorKind.TIMEOUT,
    -32002: ToolErrorKind.EXECUTION_ERROR,  # resource not found; -32602 since 2026
    -32020: ToolErrorKind.INTERNAL_ERROR,  # header mismatch
    -32021: ToolErrorKind.NOT_PERMITTED,  # missing required client capability
    -32022: ToolErrorKind.INTERNAL_ERROR,  # unsupported protocol version
    -32042: ToolErrorKind.NOT_PERMITTED,  # the user has to agree at a URL first
}
MCP_OTHER_CODES: Final = dict.fromkeys(range(-32_899, -31_999), ToolErrorKind.EXECUTION_ERROR)
"""Codes of the server's own; SDKs send -32000 for a closed connection, servers for all."""
MCP_SESSION_CODES: Final = frozenset((-32600, -32000, -32001, -32002, -32003, -32004))
"""Codes that SDKs send for a session that is gone, beside what they mean otherwise."""
MCP_WORDED_CODES: Final = frozenset((-32600, -32602, -32603))
"""Codes that SDKs send for several things, which only the words tell apart."""

MCP_STATUS: Final = {
    **dict.fromkeys(range(400, 600), ToolErrorKind.TRANSPORT_ERROR),
    400: ToolErrorKind.INTERNAL_ERROR,
    401: ToolErrorKind.NOT_PERMITTED,
    403: ToolErrorKind.NOT_PERMITTED,
    408: ToolErrorKind.TIMEOUT,
    429: ToolErrorKind.LIMIT_EXCEEDED,
    500: ToolErrorKind.INTERNAL_ERROR,
    504: ToolErrorKind.TIMEOUT,
}
MCP_TEXT_STATUS: Final = frozenset((400, 401, 403, 407, 408, 429))
"""Of the statuses below 500 those that mean the same whoever sent them."""

MCP_NAMES: Final = _names(
    (ToolErrorKind.TIMEOUT, _TIMEOUT_NAMES),
    (ToolErrorKind.TRANSPORT_ERROR, _NETWORK_NAMES),
)

# What a tool's own handler raises. The tool ran, so a status is what *its* server said to it.
HANDLER_STATUS: Final = {
    **dict.fromkeys(range(400, 600), ToolErrorKind.EXECUTION_ERROR),
    408: ToolErrorKind.TIMEOUT,
    502: ToolErrorKind.TRANSPORT_ERROR,
    503: ToolErrorKind.TRANSPORT_ERROR,
    504: ToolErrorKind.TIMEOUT,
}

HANDLER_BUGS: Final = _names(
    (
        ToolErrorKind.INTERNAL_ERROR,
        "^(arithmetic|assertion|attribute|import|lookup|memory|name|notimplemented|recursion|syntax|type)error$",
    )
)
"""Exceptions that speak of the handler's code and not of what it was asked to do."""
