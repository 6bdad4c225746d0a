"""The export formats of the providers and of MCP, as declarations."""

from __future__ import annotations

from typing import Any, Final

from toolgen.compiler.diagnostics import Reporter
from toolgen.compiler.specs.shapes.shape import (
    TOOLS,
    Entry,
    ExportShape,
    tool_spec,
    warn_missing_schema,
)
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen_transcripts.tools.openapi import TYPES, UNSPECIFIED, to_json_schema

_JSON_SCHEMA: Final = ("parametersJsonSchema", "parameters_json_schema")


def _read_bedrock(entry: Entry, report: Reporter) -> ToolSpec | None:
    key, schema = entry.first("inputSchema", "input_schema")
    if schema is not None and not (isinstance(schema, dict) and "json" in schema):
        hint = 'write "inputSchema": {"json": {...}}'
        report(entry.error(key, "bad-schema", "the schema is not under inputSchema.json", hint))
        return None
    schema = schema and schema["json"]
    if schema is None:
        warn_missing_schema(entry, "Bedrock", report)
    return tool_spec(entry, schema, report, key or "inputSchema", "json")


def _read_gemini(entry: Entry, report: Reporter) -> ToolSpec | None:
    """Return a tool with its `parametersJsonSchema` unchanged, or with its `parameters` translated."""
    key, schema = entry.first(*_JSON_SCHEMA)
    if key:
        return tool_spec(entry, schema, report, key)
    return tool_spec(entry, to_json_schema(entry.value.get("parameters")), report, "parameters")


def _is_openapi(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") in (*TYPES, UNSPECIFIED)


SHAPES: Final = (
    ExportShape(
        # `tools/list`; Python dumps have `input_schema`, and nulls.
        name="an MCP tool",
        provider="MCP",
        schema_keys=("inputSchema",),
        shared_keys=("input_schema",),
        marks=(
            "title",
            "annotations",
            "outputSchema",
            "output_schema",
            "icons",
            "execution",
            "meta",
            "_meta",
        ),
        envelopes=("result",),
        without_schema=lambda entry: entry.within == TOOLS and entry.has("name") and not entry.has("type"),
        requires_schema=True,
    ),
    ExportShape(
        # Chat tools (`function`), flat Responses tools, the older `functions`. A function without parameters
        # takes none (OpenAI API reference), so that is not a warning.
        name="an OpenAI function",
        provider="OpenAI",
        schema_keys=("parameters",),
        wrappers=("function",),
        lists=("functions",),
        namespaces=("namespace",),
        without_schema=lambda entry: entry.value.get("type") == "function",
    ),
    ExportShape(
        # With or without `"type": "custom"`.
        name="an Anthropic tool",
        provider="Anthropic",
        schema_keys=("input_schema",),
        requires_schema=True,
    ),
    ExportShape(
        # `toolSpec.inputSchema.json`, or only the object inside a `toolSpec`.
        name="a Bedrock tool",
        provider="Bedrock",
        shared_keys=("inputSchema",),
        fits=lambda schema: isinstance(schema, dict) and list(schema) == ["json"],
        wrappers=("toolSpec", "tool_spec"),
        envelopes=("toolConfig", "tool_config"),
        requires_schema=True,
        read_tool=_read_bedrock,
    ),
    ExportShape(
        # A declaration without parameters takes none.
        name="a Gemini function declaration",
        provider="Gemini",
        schema_keys=_JSON_SCHEMA,
        shared_keys=("parameters",),
        marks=_JSON_SCHEMA,
        fits=_is_openapi,
        lists=("functionDeclarations", "function_declarations"),
        envelopes=("config",),
        read_tool=_read_gemini,
    ),
    ExportShape(name="a plain tool", schema_keys=("schema",)),
)
