"""Gemini function declarations: `parametersJsonSchema` as it is, `parameters` translated to JSON Schema.

A declaration without parameters takes none.
"""

from __future__ import annotations

from typing import Any

from toolgen.diagnostics import Reporter
from toolgen.specs.shapes.entry import Entry, tool_spec
from toolgen.specs.shapes.shape import Shape
from toolgen.specs.tool_spec import ToolSpec
from toolgen_runtime.schema.openapi import TYPES, UNSPECIFIED, to_json_schema

PARAMETERS = "parameters"
JSON_SCHEMA = ("parametersJsonSchema", "parameters_json_schema")


def _fits(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") in (*TYPES, UNSPECIFIED)


def _read(entry: Entry, report: Reporter) -> ToolSpec | None:
    key, schema = entry.first(*JSON_SCHEMA)
    if key:
        return tool_spec(entry, schema, key, report)
    return tool_spec(entry, to_json_schema(entry.value.get(PARAMETERS)), PARAMETERS, report)


SHAPE = Shape(
    name="a Gemini function declaration",
    provider="Gemini",
    schema_keys=JSON_SCHEMA,
    shared_keys=(PARAMETERS,),
    marks=JSON_SCHEMA,
    fits=_fits,
    lists=("functionDeclarations", "function_declarations"),
    envelopes=("config",),
    read_tool=_read,
)
