"""Tools as an MCP server lists them."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.mcp.wire import WIRE
from toolgen_runtime.providers.shared.tools.decoding import Entries, NativeDefinition, ToolDecoder
from toolgen_runtime.providers.shared.tools.definitions import Choice, ToolDefinition, ToolEncoder, Written


def _write(defined: ToolDefinition) -> list[dict[str, Any]]:
    tool: dict[str, Any] = {"name": defined.name}
    if defined.description:
        tool["description"] = defined.description
    tool["inputSchema"] = defined.schema
    return [tool]


def _render(written: Written, _: Choice) -> dict[str, Any]:
    return {"tools": [entry for _, entries in written for entry in entries]}


def _entries(tools: list[Any]) -> Entries:
    return [NativeDefinition(tool, tool, tool.get("inputSchema", {})) for tool in tools]


_ENCODER = ToolEncoder(WIRE, _write, _render)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""The result of `tools/list`; None for no tools. MCP has no choice: any but `auto` is a diagnostic."""

_DECODER = ToolDecoder(WIRE, _entries)
read_tools = _DECODER.read_tools
decode_tools = _DECODER.decode_tools
"""The tools of a `tools/list` result."""
