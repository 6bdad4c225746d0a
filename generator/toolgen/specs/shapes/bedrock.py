"""Bedrock Converse tools: `toolSpec.inputSchema.json`, or the inside of a `toolSpec` alone."""

from __future__ import annotations

from typing import Any

from toolgen.diagnostics import Reporter
from toolgen.specs.shapes.entry import Entry, tool_spec
from toolgen.specs.shapes.shape import Shape, warn_missing_schema
from toolgen.specs.tool_spec import ToolSpec

PROVIDER = "Bedrock"


def _fits(schema: Any) -> bool:
    return isinstance(schema, dict) and list(schema) == ["json"]


def _read(entry: Entry, report: Reporter) -> ToolSpec | None:
    key, schema = entry.first("inputSchema", "input_schema")
    if schema is not None and not (isinstance(schema, dict) and "json" in schema):
        hint = 'write "inputSchema": {"json": {...}}'
        report(entry.error(key, "bad-schema", "the schema is not under inputSchema.json", hint))
        return None
    schema = schema["json"] if schema else None
    if schema is None:
        warn_missing_schema(entry, PROVIDER, report)
    return tool_spec(entry, schema, key or "inputSchema", report, inner="json")


SHAPE = Shape(
    name="a Bedrock tool",
    provider=PROVIDER,
    shared_keys=("inputSchema",),
    fits=_fits,
    wrappers=("toolSpec", "tool_spec"),
    envelopes=("toolConfig", "tool_config"),
    requires_schema=True,
    read_tool=_read,
)
