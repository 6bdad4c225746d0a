"""Errors inside other texts: what FastMCP and the MCP SDKs put round them, and lists of errors as JSON."""

from __future__ import annotations

import re
from typing import Any

from toolgen_runtime.hints.foreign import ajv_errors, pydantic_errors, zod_errors
from toolgen_runtime.hints.foreign.issue_reader import ForeignIssue
from toolgen_runtime.validation.embedded import values_in

_PREFIX = re.compile(
    r"(?:(?:McpError|ToolError|Error|ValidationError|ZodError):?\s*+)?"
    r"(?:MCP error -?\d{1,9}|Error (?:executing|calling) tool [^\n:]{0,200}|Input validation error"
    r"|Invalid arguments(?: for tool)? [^\n:\[{]{0,200}|Validation (?:error|failed)|Invalid input): ?",
)
MAX_TEXT = 20_000
"""Characters of a text that are looked at."""
_LIST_KEYS = ("detail", "details", "errors", "issues")
_OWN = re.compile(r"^[^\n:]{1,200}: (?P<field>\S{0,300}?) breaks (?P<constraint>\w+)(?: \(\+\d+ more\))?$")


def unwrapped(text: str) -> str:
    """Return the text without the frameworks' announcements before it."""
    text = text[:MAX_TEXT].strip()
    for _ in range(5):
        match = _PREFIX.match(text)
        if match is None or match.end() == 0:
            break
        text = text[match.end() :].lstrip()
    return text


def read_json(text: str) -> list[ForeignIssue]:
    """Return the problems of a list of errors of zod, ajv or pydantic, wherever it stands in the text.

    FastAPI's is under `detail`, zod's under `issues`.
    """
    for value in values_in(text):
        members = [value.get(k) for k in _LIST_KEYS] if isinstance(value, dict) else [value]
        for member in members:
            if found := of_list(member):
                return found
    return []


def of_list(value: Any) -> list[ForeignIssue]:
    """Return the problems of error objects of zod (`code`), ajv (`keyword`) or pydantic (`type` and `loc`)."""
    if not isinstance(value, list) or not value or not all(isinstance(e, dict) for e in value):
        return []
    if all("code" in e and isinstance(e.get("path"), list) for e in value):
        return zod_errors.of_issues(value)
    if all("keyword" in e and ("instancePath" in e or "dataPath" in e) for e in value):
        return ajv_errors.of_errors(value)
    if all("loc" in e and "type" in e for e in value):
        return pydantic_errors.of_errors(value)
    return []


def read_own(text: str) -> list[ForeignIssue]:
    """Return the problem of an `InvalidPayload`'s text, for callers that kept nothing else."""
    match = _OWN.match(text.strip())
    if match is None:
        return []
    field = "" if match["field"] == "payload" else match["field"]
    return [ForeignIssue(match["constraint"], f".{field}" if field and field[0] != "[" else field)]
