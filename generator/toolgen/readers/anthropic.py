"""Anthropic tools: `input_schema`, with or without `"type": "custom"`."""

from __future__ import annotations

from toolgen.diagnostics import Reporter
from toolgen.readers import mcp
from toolgen.readers.entry import Entry, need_schema, tool_spec
from toolgen.spec import ToolSpec

SHAPE = "an Anthropic tool"


def claims(entry: Entry) -> bool:
    """`input_schema` without keys of MCP's own (beside `inputSchema` it is one schema too many)."""
    return entry.has("input_schema") and (entry.has("inputSchema") or not entry.has(*mcp.ONLY_MCP))


def read(entry: Entry, report: Reporter) -> ToolSpec | None:
    """The tool; a null schema, which Anthropic forbids, is a warning."""
    schema = entry.value["input_schema"]
    if schema is None:
        need_schema(entry, "Anthropic", report)
    return tool_spec(entry, schema, "input_schema", report)
