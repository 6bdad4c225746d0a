"""Tools as an MCP server lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.mcp.wire import WIRE
from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.tools import (
    Choice,
    ToolDefinition,
    ToolEncoder,
    definition,
)


def _tool(defined: ToolDefinition) -> dict[str, Any]:
    tool: dict[str, Any] = {"name": defined.name}
    if defined.description:
        tool["description"] = defined.description
    tool["inputSchema"] = defined.schema
    return tool


def _render(definitions: list[ToolDefinition], _: Choice) -> dict[str, Any]:
    return {"tools": [_tool(d) for d in definitions]}


_ENCODER = ToolEncoder(WIRE, _render)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""The result of `tools/list`; None for no tools. MCP has no choice: any but `auto` is a diagnostic."""


def decode_tools(block: Mapping[str, Any] | None, *, codec: Codec | None = None) -> list[ToolDefinition]:
    """The tools of a `tools/list` result."""
    codec = codec or codec_for(WIRE.provider)
    return [
        definition(codec, t["name"], t.get("description"), t["inputSchema"])
        for t in (block or {}).get("tools", ())
    ]
