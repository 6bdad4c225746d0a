"""MCP tools (`tools/list`): `inputSchema`, or `input_schema` as Python dumps it among nulls."""

from __future__ import annotations

from toolgen.diagnostics import Reporter
from toolgen.readers.entry import SCHEMA_KEYS, Entry, need_schema, tool_spec
from toolgen.spec import ToolSpec

SHAPE = "an MCP tool"

ONLY_MCP = ("title", "annotations", "outputSchema", "output_schema", "icons", "execution", "meta", "_meta")


def claims(entry: Entry) -> bool:
    """`inputSchema` (but not Bedrock's), `input_schema` beside keys of MCP's own, or no schema in `tools`."""
    if entry.has("inputSchema"):
        schema = entry.value["inputSchema"]
        return not (isinstance(schema, dict) and list(schema) == ["json"])
    if entry.has("input_schema"):
        return entry.has(*ONLY_MCP)
    return entry.within == "tools" and entry.has("name") and not entry.has("type", *SCHEMA_KEYS)


def read(entry: Entry, report: Reporter) -> ToolSpec | None:
    """The tool; a missing schema, which MCP forbids, is a warning."""
    key, schema = entry.first("inputSchema", "input_schema")
    if schema is None:
        need_schema(entry, "MCP", report)
    return tool_spec(entry, schema, key or "inputSchema", report)
