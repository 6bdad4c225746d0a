"""MCP tools (`tools/list`): `inputSchema`, or `input_schema` as Python dumps it among nulls."""

from __future__ import annotations

from toolgen.specs.shapes.entry import TOOLS, Entry
from toolgen.specs.shapes.shape import Shape


def _without_schema(entry: Entry) -> bool:
    return entry.within == TOOLS and entry.has("name") and not entry.has("type")


SHAPE = Shape(
    name="an MCP tool",
    provider="MCP",
    schema_keys=("inputSchema",),
    shared_keys=("input_schema",),
    marks=("title", "annotations", "outputSchema", "output_schema", "icons", "execution", "meta", "_meta"),
    envelopes=("result",),
    without_schema=_without_schema,
    requires_schema=True,
)
