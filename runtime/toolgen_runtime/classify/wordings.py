r"""The wordings of foreign errors, the last resort: rows of kind and pattern, tried in order, case ignored.

The order is the precedence where several match:

1. quota before rate limit, unless the text says when to try again: a quota's text often says "rate limit" or 429
   too, and waiting does not help.
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
from toolgen_runtime.classify.error_tables import KindT, LLMErrorKind

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
    r"\bserver disconnected\b",
)
_CREDITS = (
    r"\b(?:insufficient|enough) (?:\w+ )?credits\b",
    r"\b(?:account|add|additional|api|buy|free|more|no|of|on|prepaid|purchase|remaining|your) credits\b",
    r"^\W*credits\W*$",
    r"\bcredit balance\b",
)

_QUOTA = _row(
    LLMErrorKind.QUOTA_EXCEEDED,
    r"\binsufficient[ _](?:quota|balance)",
    r"\bquota[ _](?:has been |was |is )?exceeded",
    r"\bexceeded (?:your |the )?(?:\w+ )?quota\b",
    r"\bpayment[ _]required",
    r"\bbilling(?! address)",
    r"\b(?:reached|exceeded|hit) (?:your |the )?(?:\w+ )?(?:\w+ )?(?:usage|spending|spend) limits?\b",
    *_CREDITS,
)
_WAIT = _row(
    # a limit that says when it ends, or how long it counts, is not a used-up quota
    LLMErrorKind.RATE_LIMIT,
    r"\b(?:retry|try again) (?:in|after) \d",
    r"\bretryDelay\b",
    r"(?:\b|_)per[-_ ](?:minute|second)(?:\b|_)",
)
TOO_LONG: Final = re.compile(
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
"""A request that is longer than the model takes: `fit` makes it shorter."""
_RATE = _row(
    LLMErrorKind.RATE_LIMIT,
    r"(?<![a-z])rate[ _-]?limit",
    r"\btoo[ _]many[ _]requests",
    r"\brequest rate is too high",
    r"\bresources? (?:has been )?exhausted\b",
    r"\blimited to \d+ \w+ ?\w* ?(?:/|per|a|each) ?(?:second|minute|hour|day|month)\b",
)

LLM_WORDINGS: Final[Rows[LLMErrorKind]] = (
    _WAIT,
    _QUOTA,
    _RATE,
    _row(LLMErrorKind.RATE_LIMIT, r"\boverload(?:ed|ing|_|\b)"),
    _row(
        LLMErrorKind.AUTH_ERROR,
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
    _row(
        LLMErrorKind.MODEL_ERROR,
        r"\bmodel(?:_|\b.{0,80}?\b)(?:not[ _]found|does not exist|is not supported)",
        r"\b(?:unknown|invalid|unsupported)[ _]model",
        r"\bmodel identifier is invalid",
        r"\bparameter validation failed",
        r"\bmissing required parameter",
        r"\bdoes not support (?:the )?(?:parameter|tool|function)s?\b",
    ),
    _row(LLMErrorKind.TIMEOUT, *_TIMEOUT, r"\beconnaborted\b"),
    _row(
        LLMErrorKind.NETWORK_ERROR,
        *_BROKEN_CONNECTION,
        r"\b(?:fetch failed|failed to fetch)\b",
        r"\b(?:cannot|could not|couldn't|failed to|unable to) connect\b",
        r"\b(?:name or service not known|name resolution|nodename nor servname|no such host|getaddrinfo)",
        r"\b(?:payload is not completed|incomplete (?:chunked )?read|premature close|no route to host)",
        r"\bconnection",
        r"\bnetwork",
        r"\b(?:dns|tls|ssl)(?:v?\d|error|_|\b)",
        r"\bcertificate",
    ),
    _row(
        LLMErrorKind.SERVER_ERROR,
        r"\binternal[ _]server[ _]error",
        r"\bserver had an error\b",
        r"\binternal error\b",
        r"\bservice[ _](?:is )?(?:temporarily )?unavailable",
        r"\bbad[ _]gateway",
    ),
    _row(LLMErrorKind.MODEL_ERROR, r"\bnot available\b", r"\binvalid[ _]request"),
)

_CUT_ANSWER = r"\bpayload is not completed\b"

LLM_BEHIND_4XX: Final[Rows[LLMErrorKind]] = (
    _row(LLMErrorKind.NETWORK_ERROR, _CUT_ANSWER),  # aiohttp: the 400 in it is its own
    _WAIT,
    _QUOTA,
    _RATE,
)
"""What may be behind a 4xx in a text: providers send 400, 403 and 429 for a limit as for a used-up quota."""
LLM_USED_UP: Final[Rows[LLMErrorKind]] = (_WAIT, _QUOTA)
"""What a 429, or a code for one, may mean: Google sends it for a quota that is used up, too."""
LLM_BEHIND_5XX: Final[Rows[LLMErrorKind]] = (_row(LLMErrorKind.NETWORK_ERROR, *_BROKEN_CONNECTION),)
"""What may be behind a 5xx in a text: gateways report the connections that they lost."""

# A 400 says only that the request was refused; these refusals are not the request's fault.
LLM_REFUSALS: Final[Rows[LLMErrorKind]] = (
    _row(LLMErrorKind.QUOTA_EXCEEDED, r"\bcredit balance is too low\b"),  # Anthropic
    _row(LLMErrorKind.AUTH_ERROR, r"\bapi key not valid\b", r"\bincorrect api key provided\b"),  # Gemini, xAI
)

_SESSION = (
    r"\bsession (?:id )?(?:was |is |has |has been |already )?(?:not found|terminated|expired|closed|invalid|unknown)\b",
    r"\bsession [\w-]{1,80} (?:was )?not found",
    r"\b(?:no valid|invalid|unknown|missing|expired|stale) (?:mcp[- ])?session\b",
)
_NO_SUCH_TOOL = (
    r"\b(?:unknown|no such) tool\b",
    r"\btool:? ?(?:['\"`{]?[\w.\-/]{1,128}['\"`}]? )?(?:was |is )?"
    r"(?:not found|does not exist|not registered|not available)\b",
)
_WRONG_ANSWER = (
    r"\boutput validation error\b",
    r"\boutput schema\b",
)
_WRONG_ARGUMENTS = (
    r"\binput validation error\b",
    r"\binvalid (?:tool |request )?(?:arguments|params|parameters)\b",
    r"\bvalidation errors? for \w{1,100}Arguments\b",
    r"\b(?:missing|unexpected)(?: required)?(?: keyword)? argument\b.{0,20}\[type=",
)

MCP_TRANSPORT: Final = re.compile(
    r"\b(?:streamable[ -]?http|sse|endpoint|mcp|json-?rpc|transport|session|server url)\b|/(?:mcp|sse)\b|\bnon-200\b",
    re.IGNORECASE,
)
"""What a text speaks of if its status is that of an MCP server's own answer."""
MCP_SESSION: Final[Rows[ToolErrorKind]] = (_row(ToolErrorKind.TRANSPORT_ERROR, *_SESSION),)
"""A session that is gone, beside a code or a status that is sent for it: no timeout, no invalid request."""
MCP_BEHIND: Final[Rows[ToolErrorKind]] = (
    _row(ToolErrorKind.UNKNOWN_TOOL, *_NO_SUCH_TOOL),
    _row(ToolErrorKind.INTERNAL_ERROR, *_WRONG_ANSWER),
    _row(ToolErrorKind.NOT_PERMITTED, r"\btool [\w.\-/]{1,128} (?:is )?disabled\b"),
    _row(ToolErrorKind.EXECUTION_ERROR, r"\bresource (?:[\w.\-/:]{1,200} )?not found\b"),
)
"""What is behind a code that says no more than that a request was refused."""
HANDLER_WORDINGS: Final[Rows[ToolErrorKind]] = (
    _row(ToolErrorKind.TIMEOUT, *_TIMEOUT),
    _row(ToolErrorKind.TRANSPORT_ERROR, *_BROKEN_CONNECTION),
    _row(ToolErrorKind.UNKNOWN_TOOL, *_NO_SUCH_TOOL),
)
MCP_WORDINGS: Final[Rows[ToolErrorKind]] = (
    _row(ToolErrorKind.INTERNAL_ERROR, *_WRONG_ANSWER),
    _row(ToolErrorKind.INVALID_PARAMETERS, *_WRONG_ARGUMENTS),
    *HANDLER_WORDINGS,
    _row(
        ToolErrorKind.TRANSPORT_ERROR,
        r"\bMcpError: Session terminated\b",
        r"^Session terminated$",
        r"\bfailed to open sse stream\b",
        r"SessionNotFound(?:Error|Exception)\b",
        # the bodies that the servers of the MCP SDKs answer with; "session" alone may be a tool's own
        r"^(?:Bad Request|Not Found): (?:No valid|Missing|Invalid or expired) session ID\b",
        r"^Not Found: Session has been terminated\W*$",
        r"^Bad Request: Server not initialized\W*$",
        r"\bMcp-Session-Id header\b",
    ),
    _row(
        ToolErrorKind.TRANSPORT_ERROR,
        r"^(?:TypeError: )?fetch failed\W*$",
        r"\bspawn \S{1,200} ENOENT\b",
        r"^Not connected\W*$",
    ),
    _row(ToolErrorKind.NOT_PERMITTED, r"\bUnauthorizedError\b"),
    _row(
        ToolErrorKind.NOT_PERMITTED,
        r"\b(?:tool|call|execution|request|permission)\b.{0,60} (?:denied|rejected|declined) by (?:the )?user\b",
    ),
)
