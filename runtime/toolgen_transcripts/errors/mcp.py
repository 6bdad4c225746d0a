"""Classify errors of MCP servers."""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from toolgen_runtime.calls.error_decision import (
    Classified,
    Decision,
    Row,
    by_number,
    by_words,
    decide,
    worded,
)
from toolgen_runtime.calls.error_facts import Facts, ForeignError
from toolgen_runtime.calls.errors import ToolErrorKind
from toolgen_runtime.calls.handler_errors import (
    HANDLER_ROWS,
    MCP_SESSION,
    WRONG_ANSWER,
    mcp_code,
    mcp_name,
    mcp_other_code,
    tool_verdict,
)
from toolgen_transcripts.errors.codes_in_text import in_text

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
MCP_WORDINGS: Final = worded(
    WRONG_ANSWER,
    # a client that does not mirror an argument into its header: zonlabs/mcp-ts#184, speakeasy-api/gram#6145
    Row(ToolErrorKind.INTERNAL_ERROR, (r"\bMcp-Param-[\w.-]{1,100} header\b",)),
    Row(
        ToolErrorKind.INVALID_PARAMETERS,
        (
            r"\binput validation error\b",
            r"\binvalid (?:tool |request )?(?:arguments|params|parameters)\b",
            r"\bvalidation errors? for \w{1,100}Arguments\b",
            r"\b(?:missing|unexpected)(?: required)?(?: keyword)? argument\b.{0,20}\[type=",
        ),
    ),
    *HANDLER_ROWS,
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
MCP_TRANSPORT: Final = re.compile(
    r"\b(?:streamable[ -]?http|sse|endpoint|mcp|json-?rpc|transport|session|server url)\b|/(?:mcp|sse)\b|\bnon-200\b",
    re.IGNORECASE,
)
"""Words that show that the status in a text is that of the MCP server."""

_mcp_status = partial(by_number, "status", MCP_STATUS, (((400, 404), MCP_SESSION),))


def _mcp_text_status(facts: Facts) -> Decision[ToolErrorKind] | None:
    """Return the kind for a status in a text.

    If the text is not about the transport, a service behind it sent the 404.
    """
    sure = facts.status in MCP_TEXT_STATUS or facts.status in range(500, 600)
    if sure or MCP_TRANSPORT.search(facts.text):
        return _mcp_status(facts)
    return None


_MCP_TEXT = in_text(mcp_code, _mcp_text_status, mcp_name)
_MCP_RULES = (
    (mcp_code, _mcp_status, mcp_name),
    (_MCP_TEXT, partial(by_words, MCP_WORDINGS)),
    (mcp_other_code,),
)


def classify_mcp_error(error: ForeignError) -> Classified[ToolErrorKind]:
    """Classify a failed MCP request, from an exception, a JSON-RPC error object or an error message."""
    return tool_verdict(decide(error, _MCP_RULES))
