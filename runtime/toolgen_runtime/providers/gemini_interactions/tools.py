"""Tools as the Interactions API takes them."""

from __future__ import annotations

from toolgen_runtime.providers.gemini_interactions.wire import WIRE
from toolgen_runtime.providers.shared.tools.decoding import ToolDecoder
from toolgen_runtime.providers.shared.tools.definitions import ToolEncoder

_ENCODER = ToolEncoder(WIRE)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""`tools` of a request, and `generation_config` if a choice is to be said; None for no tools."""

DECODER = ToolDecoder(WIRE)
read_tools = DECODER.read_tools
decode_tools = DECODER.decode_tools
"""The functions that a block defines; the tools that the server runs define none."""
