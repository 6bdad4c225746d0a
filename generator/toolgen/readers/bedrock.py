"""Bedrock Converse tools: `toolSpec.inputSchema.json`, or the inside of a `toolSpec` alone."""

from __future__ import annotations

from toolgen.diagnostics import Reporter
from toolgen.readers import mcp
from toolgen.readers.entry import Entry, need_schema, tool_spec
from toolgen.spec import ToolSpec

SHAPE = "a Bedrock tool"


def claims(entry: Entry) -> bool:
    """A `toolSpec`, or an `inputSchema` whose one key is `json`."""
    return entry.has("toolSpec", "tool_spec") or (entry.has("inputSchema") and not mcp.claims(entry))


def read(entry: Entry, report: Reporter) -> ToolSpec | None:
    """The tool; a missing schema, which Bedrock forbids, is a warning."""
    if entry.has("toolSpec", "tool_spec"):
        key, _ = entry.first("toolSpec", "tool_spec")
        inner = entry.below(key)
        if inner is None:
            report(
                entry.fault(
                    key or "toolSpec", "bad-field", "toolSpec is no object", "give its name and inputSchema"
                )
            )
            return None
        entry = inner
    key, schema = entry.first("inputSchema", "input_schema")
    if schema is not None and not (isinstance(schema, dict) and "json" in schema):
        hint = 'write "inputSchema": {"json": {...}}'
        report(entry.fault(key, "bad-schema", "the schema does not stand under inputSchema.json", hint))
        return None
    schema = schema["json"] if schema else None
    if schema is None:
        need_schema(entry, "Bedrock", report)
    return tool_spec(entry, schema, key or "inputSchema", report, inner="json")
