"""The tables for classifying errors of MCP servers and of handlers."""

from __future__ import annotations

import re
from typing import Final

from toolgen_runtime.calls.errors import ToolErrorKind
from toolgen_runtime.classify.error_tables import (
    BROKEN_CONNECTION,
    NETWORK_NAMES,
    TIMEOUT,
    TIMEOUT_NAMES,
    Row,
    named,
    worded,
)

# The codes of JSON-RPC 2.0, and those that the MCP specification and its SDKs add.
MCP_CODES: Final = {
    -32700: ToolErrorKind.INTERNAL_ERROR,  # parse error: one side does not speak JSON-RPC
    -32600: ToolErrorKind.INTERNAL_ERROR,  # invalid request
    -32601: ToolErrorKind.UNKNOWN_TOOL,  # method not found
    -32602: ToolErrorKind.INVALID_PARAMETERS,
    -32603: ToolErrorKind.INTERNAL_ERROR,
    -32800: ToolErrorKind.CANCELED,
    -32001: ToolErrorKind.TIMEOUT,
    -32002: ToolErrorKind.EXECUTION_ERROR,  # resource not found; -32602 since 2026
    -32020: ToolErrorKind.INTERNAL_ERROR,  # header mismatch
    -32021: ToolErrorKind.NOT_PERMITTED,  # missing required client capability
    -32022: ToolErrorKind.INTERNAL_ERROR,  # unsupported protocol version
    -32042: ToolErrorKind.NOT_PERMITTED,  # the user must first agree at a URL
}
MCP_OTHER_CODES: Final = dict.fromkeys(range(-32_899, -31_999), ToolErrorKind.EXECUTION_ERROR)
"""Codes that a server may define; SDKs send -32000 for a closed connection, servers for any error."""
MCP_SESSION_CODES: Final = frozenset((-32600, -32000, -32001, -32002, -32003, -32004))
"""Codes that SDKs also send for a lost session, in addition to their usual meaning."""
MCP_WORDED_CODES: Final = frozenset((-32600, -32602, -32603))
"""Codes that SDKs send for several errors, which only the wording distinguishes."""
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
"""The statuses below 500 that mean the same from every sender."""
# For exceptions of handlers: the tool ran, so the status comes from a server that the handler called.
HANDLER_STATUS: Final = {
    **dict.fromkeys(range(400, 600), ToolErrorKind.EXECUTION_ERROR),
    408: ToolErrorKind.TIMEOUT,
    502: ToolErrorKind.TRANSPORT_ERROR,
    503: ToolErrorKind.TRANSPORT_ERROR,
    504: ToolErrorKind.TIMEOUT,
}
HANDLER_BUGS: Final = re.compile(
    "(?:arithmetic|assertion|attribute|import|lookup|memory|name|notimplemented|recursion|syntax|type)error",
    re.IGNORECASE,
)
"""Exceptions that mean a bug in the handler, not a failure of its task."""

_WRONG_ANSWER = Row(ToolErrorKind.INTERNAL_ERROR, (r"\boutput validation error\b", r"\boutput schema\b"))
_NO_SUCH_TOOL = Row(
    ToolErrorKind.UNKNOWN_TOOL,
    (
        r"\b(?:unknown|no such) tool\b",
        r"\btool:? ?(?:['\"`{]?[\w.\-/]{1,128}['\"`}]? )?(?:was |is )?"
        r"(?:not found|does not exist|not registered|not available)\b",
    ),
)
_HANDLER_ROWS = (
    Row(ToolErrorKind.TIMEOUT, TIMEOUT, TIMEOUT_NAMES),
    Row(ToolErrorKind.TRANSPORT_ERROR, BROKEN_CONNECTION, NETWORK_NAMES),
    _NO_SUCH_TOOL,
)
HANDLER_WORDINGS: Final = worded(*_HANDLER_ROWS)
MCP_NAMES: Final = named(*_HANDLER_ROWS)
MCP_WORDINGS: Final = worded(
    _WRONG_ANSWER,
    Row(
        ToolErrorKind.INVALID_PARAMETERS,
        (
            r"\binput validation error\b",
            r"\binvalid (?:tool |request )?(?:arguments|params|parameters)\b",
            r"\bvalidation errors? for \w{1,100}Arguments\b",
            r"\b(?:missing|unexpected)(?: required)?(?: keyword)? argument\b.{0,20}\[type=",
        ),
    ),
    *_HANDLER_ROWS,
    Row(
        ToolErrorKind.TRANSPORT_ERROR,
        (
            r"\bMcpError: Session terminated\b",
            r"^Session terminated$",
            r"\bfailed to open sse stream\b",
            r"SessionNotFound(?:Error|Exception)\b",
            # the bodies that servers of the MCP SDKs send; "session" alone may be a word of a tool
            r"^(?:Bad Request|Not Found): (?:No valid|Missing|Invalid or expired) session ID\b",
            r"^Not Found: Session has been terminated\W*$",
            r"^Bad Request: Server not initialized\W*$",
            r"\bMcp-Session-Id header\b",
            r"^(?:TypeError: )?fetch failed\W*$",
            r"\bspawn \S{1,200} ENOENT\b",
            r"^Not connected\W*$",
        ),
    ),
    Row(
        ToolErrorKind.NOT_PERMITTED,
        (
            r"\bUnauthorizedError\b",
            r"\b(?:tool|call|execution|request|permission)\b.{0,60} (?:denied|rejected|declined) by (?:the )?user\b",
        ),
    ),
)
MCP_BEHIND: Final = worded(
    _NO_SUCH_TOOL,
    _WRONG_ANSWER,
    Row(ToolErrorKind.NOT_PERMITTED, (r"\btool [\w.\-/]{1,128} (?:is )?disabled\b",)),
    Row(ToolErrorKind.EXECUTION_ERROR, (r"\bresource (?:[\w.\-/:]{1,200} )?not found\b",)),
)
"""The possible causes of a code that only means that a request was refused."""
MCP_SESSION: Final = worded(
    Row(
        ToolErrorKind.TRANSPORT_ERROR,
        (
            r"\bsession (?:id )?(?:was |is |has |has been |already )?"
            r"(?:not found|terminated|expired|closed|invalid|unknown)\b",
            r"\bsession [\w-]{1,80} (?:was )?not found",
            r"\b(?:no valid|invalid|unknown|missing|expired|stale) (?:mcp[- ])?session\b",
        ),
    )
)
"""Wordings for a lost session. With them, a code or status does not mean a timeout or an invalid request."""
MCP_TRANSPORT: Final = re.compile(
    r"\b(?:streamable[ -]?http|sse|endpoint|mcp|json-?rpc|transport|session|server url)\b|/(?:mcp|sse)\b|\bnon-200\b",
    re.IGNORECASE,
)
"""Words that show that the status in a text is that of the MCP server."""
