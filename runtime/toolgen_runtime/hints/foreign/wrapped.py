"""What FastMCP and the MCP SDKs put around the text of an error."""

from __future__ import annotations

import re

_PREFIX = re.compile(
    r"(?:(?:McpError|ToolError|Error|ValidationError|ZodError):?\s*+)?"
    r"(?:MCP error -?\d{1,9}|Error (?:executing|calling) tool [^\n:]{0,200}|Input validation error"
    r"|Invalid arguments(?: for tool)? [^\n:\[{]{0,200}|Validation (?:error|failed)|Invalid input): ?",
)
MAX_TEXT = 20_000
"""Characters of a text that are looked at."""


def unwrapped(text: str) -> str:
    """Return the text without the frameworks' announcements before it."""
    text = text[:MAX_TEXT].strip()
    for _ in range(5):
        match = _PREFIX.match(text)
        if match is None or match.end() == 0:
            break
        text = text[match.end() :].lstrip()
    return text
