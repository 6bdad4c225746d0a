"""Errors inside other texts: what FastMCP and the MCP SDKs put round them, and lists of errors as JSON."""

from __future__ import annotations

import json
import re
from typing import Any

from toolgen_runtime.hints.foreign import ajv_errors, pydantic_errors, zod_errors
from toolgen_runtime.hints.foreign.issue_reader import ForeignIssue

_PREFIX = re.compile(
    r"^\s*(?:(?:McpError|ToolError|Error|ValidationError|ZodError)?:?\s*"
    r"(?:MCP error -?\d+|Error (?:executing|calling) tool [^\n:]*|(?:Input|Output) validation error"
    r"|Invalid arguments(?: for tool)? [^\n:\[{]*|Validation (?:error|failed)|Invalid input): ?)",
)
MAX_TEXT = 200_000
_OWN = re.compile(r"^[^\n:]{1,200}: (?P<field>\S{0,300}?) breaks (?P<constraint>\w+)(?: \(\+\d+ more\))?$")


def unwrapped(text: str) -> str:
    """The text without the frameworks' announcements before it."""
    text = text[:MAX_TEXT]
    for _ in range(5):
        match = _PREFIX.match(text)
        if match is None or match.end() == 0:
            break
        text = text[match.end() :]
    return text.strip()


def read_json(text: str) -> list[ForeignIssue]:
    """A list of errors as JSON, of zod, ajv or pydantic, wherever it begins in the text."""
    start = text.find("[")
    if start < 0 or '"' not in text:
        return []
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        return []
    return of_list(value)


def of_list(value: Any) -> list[ForeignIssue]:
    """Error objects of zod (`code`), ajv (`keyword`) or pydantic (`type` and `loc`)."""
    if not isinstance(value, list) or not value or not all(isinstance(e, dict) for e in value):
        return []
    if all("code" in e and "path" in e for e in value):
        return zod_errors.of_issues(value)
    if all("keyword" in e for e in value):
        return ajv_errors.of_errors(value)
    if all("loc" in e and "type" in e for e in value):
        return pydantic_errors.of_errors(value)
    return []


def read_own(text: str) -> list[ForeignIssue]:
    """The text of an `InvalidPayload`, for callers that kept nothing else."""
    match = _OWN.match(text.strip())
    if match is None:
        return []
    field = "" if match["field"] == "payload" else match["field"]
    return [ForeignIssue(match["constraint"], f".{field}" if field and field[0] != "[" else field)]
