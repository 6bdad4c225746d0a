"""Tools as the Messages API takes them."""

from __future__ import annotations

from toolgen_runtime.providers.anthropic.wire import WIRE
from toolgen_runtime.providers.shared.tools.decoding import ToolDecoder
from toolgen_runtime.providers.shared.tools.definitions import ToolEncoder

_ENCODER = ToolEncoder(WIRE)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""`tools` and `tool_choice` of a request, to be passed as keywords; None for no tools."""

DECODER = ToolDecoder(WIRE)
read_tools = DECODER.read_tools
decode_tools = DECODER.decode_tools
"""The tools that a block defines; server tools define none."""
