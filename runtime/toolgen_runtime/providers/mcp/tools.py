"""Tools as an MCP server lists them."""

from __future__ import annotations

from toolgen_runtime.providers.mcp.wire import WIRE
from toolgen_runtime.providers.shared.tools.decoding import ToolDecoder
from toolgen_runtime.providers.shared.tools.definitions import ToolEncoder

_ENCODER = ToolEncoder(WIRE)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""The result of `tools/list`; None for no tools. MCP has no choice: any but `auto` is a diagnostic."""

DECODER = ToolDecoder(WIRE)
read_tools = DECODER.read_tools
decode_tools = DECODER.decode_tools
"""The tools of a `tools/list` result."""
