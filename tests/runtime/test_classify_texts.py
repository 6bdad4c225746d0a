"""What the entrance makes of a text alone: precedence, and substrings that lie."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen_runtime.calls.errors import ToolErrorKind
from toolgen_runtime.classify import LLMErrorKind, classify_llm_error, classify_mcp_error


def verdict(error: BaseException | str) -> tuple[str, str]:
    found = classify_llm_error(error)
    return str(found.kind), found.decided_by


TEXTS: dict[str, list[str]] = {
    "quota_exceeded": [
        "insufficient_quota",
        "Quota exceeded for this project",
        "You exceeded your current quota, please check your plan",
        "402 Payment Required",
        "credits",
        "You have run out of credits",
        "Insufficient AI credits",
        "This request requires more credits, or fewer max_tokens",
        "Billing hard limit reached",
        "billing_error",
        "Your credit balance is too low",
        # quota before rate limit: waiting does not mend it
        "429 rate limit: insufficient_quota",
        "Rate limit reached: quota exceeded",
    ],
    "rate_limit": [
        "Rate limit reached for requests",
        "RateLimitError",
        "rate_limit_exceeded",
        "rate-limited",
        "Too Many Requests",
        "Overloaded",
        "overloaded_error",
        "The model is overloaded with other requests",
        "429",
        "HTTP 429",
        "Error code: 429 - slow down",
        "status=429",
        "(429)",
        "quota rate limit",  # no quota is said to be used up
        "403 Forbidden: secondary rate limit",  # passes by itself
    ],
    "auth_error": [
        "Invalid API key provided",
        "Incorrect API key provided: sk-...",
        "invalid_api_key",
        "401 Unauthorized",
        "unauthorised",
        "UNAUTHENTICATED",
        "authentication_error",
        "Access denied",
        "AccessDenied",
        "403 Forbidden",
        "You do not have permission",
        "permission_error",
        "Unauthorized: session timeout",  # a verdict, and a word beside it
        "Permission denied: model not found",
    ],
    "context_length_exceeded": [
        "prompt is too long: 200001 tokens > 199999 maximum",
    ],
    "model_error": [
        "model not found",
        "model_not_found",
        "The model `gpt-9` does not exist",
        "Model gpt-9 not found",
        "unknown model: x",
        "Invalid model",
        "unsupported model",
        "x is not available in your region",
        "Invalid request",
        "invalid_request_error",
        "model not found (connection 12)",
        "invalid request: timeout must be an integer",  # the name of a setting is no timeout
    ],
    "timeout": [
        "timeout",
        "Request timed out.",
        "i/o timeout",
        "read time-out",
        "ReadTimeout",
        "request_timeout",
        "deadline exceeded",
        "context deadline exceeded",
        "DEADLINE_EXCEEDED",
        "connect ETIMEDOUT 10.0.0.1:443",
        "ECONNABORTED",
        "timeout: no response",
        "certificate verify timed out",  # nothing was found wrong with the certificate
        "TLS handshake timeout",
        "connection timed out",
        "authentication handshake failed: context deadline exceeded",  # no verdict on anybody
        "authentication timed out",
    ],
    "network_error": [
        "Connection error.",
        "connection refused",
        "Network is unreachable",
        "network_error",
        "socket hang up",
        "read ECONNRESET",
        "ECONNREFUSED",
        "write EPIPE",
        "getaddrinfo EAI_AGAIN api",
        "getaddrinfo ENOTFOUND api",
        "DNS lookup failed",
        "TLS alert",
        "tlsv1 alert",
        "SSLError",
        "certificate verify failed",
        "CERTIFICATE_VERIFY_FAILED",
        "service not available: connection refused",  # the vague words come last
        "502 Bad Gateway: connection reset by upstream",
    ],
    "server_error": [
        "500 Internal Server Error",
        "internal_server_error",
        "The service is temporarily unavailable",
        "503 Service Unavailable",
        "Bad Gateway",
    ],
    "unknown": [
        "",
        "something else",
        # substrings that lie
        "the film credits could not be parsed",
        "tool list_credits failed",
        "accreditscore",
        "request req_429abc failed",
        "id 429 does not exist",
        "id=429",
        "order #429",
        "/items/429",
        "price $429.00",
        "1429",
        "429.5 kB read",
        "no separate limit was given",
        "the 'timeout' field",
        "timeout must be an integer",
        "timeout=30",
        "a classless adnsx titlsx",
        "the handover loaded nothing",
        "unremodeled",
    ],
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in TEXTS.items() for text in texts])
def test_a_text_alone(kind: str, text: str) -> None:
    by = "default" if kind == "unknown" else "message"
    assert verdict(text) == (kind, by)
    assert verdict(RuntimeError(text)) == (kind, by)
    if "ETIMEDOUT" not in text:
        assert classify_llm_error(text.upper()).kind == kind
        assert classify_llm_error(text.lower()).kind == kind


def test_every_kind_has_texts() -> None:
    assert set(TEXTS) == set(LLMErrorKind)


@given(st.text(max_size=300))
def test_any_text_has_a_kind(text: str) -> None:
    assert isinstance(classify_llm_error(text).kind, LLMErrorKind)
    assert isinstance(classify_mcp_error(text).kind, ToolErrorKind)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("timeout", "timeout"),
        ("Timed out while waiting for response", "timeout"),
        ("deadline exceeded", "timeout"),
        ("context deadline exceeded", "timeout"),
        ("ETIMEDOUT", "timeout"),
        ("Connection closed", "transport_error"),
        ("socket hang up", "transport_error"),
        ("Unknown tool: x", "unknown_tool"),
        ("no such issue", "execution_error"),
        ("your credits are listed", "execution_error"),
        ("timeout must be positive", "execution_error"),
        ("bad connection string", "execution_error"),
    ],
)
def test_mcp_texts(text: str, kind: str) -> None:
    assert classify_mcp_error(text).kind == kind
