r"""The wordings of foreign errors, the last resort: rows of kind and pattern, tried in order, case ignored.

The order is the precedence where several match:

1. quota before rate limit: a quota's text often says "rate limit" or 429 too, and waiting does not help.
2. rate limit before authorisation: "403 Forbidden: rate limit exceeded" passes by itself.
3. authorisation before model, timeout and network: it is a verdict, and the others are often said beside it
   ("Unauthorized: session timeout"). "authentication handshake failed" and "authentication timed out" are
   no verdicts, and are left to what follows.
4. a model by name before timeout and network; the vague "not available" and "invalid request" after them,
   since "not available: connection refused" is a matter of the network.
5. timeout before network: most timeouts name what they waited for. In "certificate verify timed out" nothing
   was found wrong with a certificate.
6. network before the server's own failure, which gateways report for a connection that they lost.

A bare substring lies at times, hence the word boundaries and contexts: "credits" of a film, `get_credits`,
429 in an id, "separate limit", a parameter called timeout.
"""

from __future__ import annotations

import re
from typing import Final

from toolgen_runtime.calls.errors import ToolErrorKind
from toolgen_runtime.classify.tables import KindT, LLMErrorKind

Rows = tuple[tuple[KindT, re.Pattern[str]], ...]


def _row(kind: KindT, *alternatives: str) -> tuple[KindT, re.Pattern[str]]:
    return kind, re.compile("|".join(alternatives), re.IGNORECASE)


_TIMEOUT = (
    # but not the name of a setting: "timeout must be an integer"
    r"(?<!['\"`])time[- ]?out(?!['\"`]?(?:=| (?:parameter|argument|field|option|setting|value|must|should)))",
    r"\btimed[- ]out\b",
    r"\b(?:context )?deadline[ _]exceeded\b",
    r"\betimedout\b",
)
_BROKEN_CONNECTION = (
    r"\bsocket hang up\b",
    r"\be(?:connreset|connrefused|pipe|ai_again|notfound)\b",
    r"\bconnection (?:was |has been |is )?(?:aborted|broken|closed|lost|refused|reset|terminated)\b",
    r"\b(?:closed|lost) connection\b",
    r"\bserver disconnected\b",
)
_CREDITS = (
    r"\b(?:insufficient|enough) (?:\w+ )?credits\b",
    r"\b(?:account|add|additional|api|buy|free|more|no|of|on|prepaid|purchase|remaining|your) credits\b",
    r"\bcredits (?:are |have |have been |were )?(?:deplet|exceed|exhaust|expired|left|remaining)",
    r"\bcredits (?:are |have |have been |were )?(?:required|run out|used)",
    r"^\W*credits\W*$",
    r"\bcredit balance\b",
)

LLM_WORDINGS: Final[Rows[LLMErrorKind]] = (
    _row(
        LLMErrorKind.QUOTA_EXCEEDED,
        r"\binsufficient[ _]quota",
        r"\bquota[ _](?:has been |was |is )?exceeded",
        r"\bexceeded (?:your |the )?(?:\w+ )?quota\b",
        r"\bpayment[ _]required",
        r"\bbilling(?! address)",
        *_CREDITS,
    ),
    _row(
        LLMErrorKind.RATE_LIMIT,
        r"(?<![a-z])rate[ _-]?limit",
        r"\btoo[ _]many[ _]requests",
        r"\boverload(?:ed|ing|_|\b)",
        # by itself, neither part of an id nor said to be one
        r"(?<![\w#/$.-])(?<!\bid )(?<!\bid=)(?<!\bid: )429(?![\w/-]|[.,]\d)",
    ),
    _row(
        LLMErrorKind.AUTH_ERROR,
        r"\b(?:invalid|incorrect)[ _]api[ _-]?key",
        r"\bunauthori[sz]ed",
        r"\bunauthenticated",
        r"\bauthentication(?! (?:handshake|timed out|timeout))",
        r"\baccess[ _]?denied",
        r"\bforbidden",
        r"\bpermission",
    ),
    _row(
        LLMErrorKind.MODEL_ERROR,
        r"\bmodel(?:_|\b.{0,80}?\b)(?:not[ _]found|does not exist|is not supported)",
        r"\b(?:unknown|invalid|unsupported)[ _]model",
    ),
    _row(LLMErrorKind.TIMEOUT, *_TIMEOUT, r"\beconnaborted\b"),
    _row(
        LLMErrorKind.NETWORK_ERROR,
        *_BROKEN_CONNECTION,
        r"\bconnection",
        r"\bnetwork",
        r"\b(?:dns|tls|ssl)(?:v?\d|error|_|\b)",
        r"\bcertificate",
    ),
    _row(
        LLMErrorKind.SERVER_ERROR,
        r"\binternal[ _]server[ _]error",
        r"\bservice[ _](?:is )?(?:temporarily )?unavailable",
        r"\bbad[ _]gateway",
    ),
    _row(LLMErrorKind.MODEL_ERROR, r"\bnot available\b", r"\binvalid[ _]request"),
)

# A 400 says only that the request was refused; these refusals are no fault of the request.
LLM_REFUSALS: Final[Rows[LLMErrorKind]] = (
    _row(LLMErrorKind.QUOTA_EXCEEDED, r"\bcredit balance is too low\b"),  # Anthropic
    _row(LLMErrorKind.AUTH_ERROR, r"\bapi key not valid\b"),  # Gemini
)

MCP_WORDINGS: Final[Rows[ToolErrorKind]] = (
    _row(ToolErrorKind.TIMEOUT, *_TIMEOUT),
    _row(ToolErrorKind.TRANSPORT_ERROR, *_BROKEN_CONNECTION),
)

# MCP has no code of its own for it: servers say -32602, or nothing.
MCP_UNKNOWN_TOOL: Final = re.compile(
    r"\b(?:unknown|no such) tool\b|\btool\b.{0,80}?\bnot found\b", re.IGNORECASE
)
