"""Classify the exceptions that handlers raise.

`toolgen_transcripts.errors.mcp` uses the tables of MCP's codes too.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from toolgen_runtime.calls.error_decision import (
    BROKEN_CONNECTION,
    NETWORK_NAMES,
    TIMEOUT,
    TIMEOUT_NAMES,
    Classified,
    Decision,
    Row,
    by_name,
    by_number,
    by_words,
    decide,
    named,
    worded,
)
from toolgen_runtime.calls.error_facts import Facts
from toolgen_runtime.calls.errors import TOOL_ERROR_KIND_MEANINGS, ToolErrorKind

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
"""Codes that each server may define. SDKs send -32000 for a closed connection; servers send it for any error."""
MCP_SESSION_CODES: Final = frozenset((-32600, -32000, -32001, -32002, -32003, -32004))
"""Codes that SDKs send for a lost session as well as for their usual meaning."""
MCP_WORDED_CODES: Final = frozenset((-32600, -32602, -32603))
"""Codes that SDKs send for several errors; only the text tells them apart."""
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
"""Exceptions that point to a bug in the handler, not to a failed task."""

WRONG_ANSWER = Row(ToolErrorKind.INTERNAL_ERROR, (r"\boutput validation error\b", r"\boutput schema\b"))
_NO_SUCH_TOOL = Row(
    ToolErrorKind.UNKNOWN_TOOL,
    (
        r"\b(?:unknown|no such) tool\b",
        r"\btool:? ?(?:['\"`{]?[\w.\-/]{1,128}['\"`}]? )?(?:was |is )?"
        r"(?:not found|does not exist|not registered|not available)\b",
    ),
)
HANDLER_ROWS = (
    Row(ToolErrorKind.TIMEOUT, TIMEOUT, TIMEOUT_NAMES),
    Row(ToolErrorKind.TRANSPORT_ERROR, BROKEN_CONNECTION, NETWORK_NAMES),
    _NO_SUCH_TOOL,
)
HANDLER_WORDINGS: Final = worded(*HANDLER_ROWS)
MCP_NAMES: Final = named(*HANDLER_ROWS)
MCP_BEHIND: Final = worded(
    _NO_SUCH_TOOL,
    WRONG_ANSWER,
    Row(ToolErrorKind.NOT_PERMITTED, (r"\btool [\w.\-/]{1,128} (?:is )?disabled\b",)),
    Row(ToolErrorKind.EXECUTION_ERROR, (r"\bresource (?:[\w.\-/:]{1,200} )?not found\b",)),
)
"""The causes that may lie behind a code which only says that a request was rejected."""
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
"""Phrases that mean a lost session. If one occurs, the code or status does not mean a timeout or an invalid request."""

_LOST_SESSION = (MCP_SESSION_CODES, MCP_SESSION)
_SAID_BY_CODE = (_LOST_SESSION, (MCP_WORDED_CODES, MCP_BEHIND))
mcp_code = partial(by_number, "code", MCP_CODES, _SAID_BY_CODE)
mcp_other_code = partial(by_number, "code", MCP_OTHER_CODES, ())
mcp_name = partial(by_name, MCP_NAMES)
_handler_status = partial(by_number, "status", HANDLER_STATUS, ())


def _handler_bug(facts: Facts) -> Decision[ToolErrorKind] | None:
    is_bug = any(map(HANDLER_BUGS.fullmatch, facts.names))
    if is_bug:
        return (ToolErrorKind.INTERNAL_ERROR, "name", facts.names[0])
    return None


_HANDLER_RULES = (
    (mcp_code, _handler_status, mcp_name, _handler_bug),
    (partial(by_words, HANDLER_WORDINGS),),
    (mcp_other_code,),
)


def classify_handler_error(error: BaseException) -> Classified[ToolErrorKind]:
    """Classify an exception that a handler raised. Whatever HTTP status it has, the tool has run."""
    return tool_verdict(decide(error, _HANDLER_RULES))


def tool_verdict(verdict: Decision[ToolErrorKind] | None) -> Classified[ToolErrorKind]:
    """Convert the decision of the rules to the classification of a tool's error.

    If they decided nothing, the tool ran and failed.
    """
    kind, by, evidence = verdict or (ToolErrorKind.EXECUTION_ERROR, "default", "")
    return Classified(kind, by, TOOL_ERROR_KIND_MEANINGS[kind].recovery == "check_first", evidence)
