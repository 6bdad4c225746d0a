"""Tools as generateContent takes them."""

from __future__ import annotations

from toolgen_runtime.providers.gemini.wire import WIRE
from toolgen_runtime.providers.shared.tools.decoding import ToolDecoder
from toolgen_runtime.providers.shared.tools.definitions import ToolEncoder

_ENCODER = ToolEncoder(WIRE)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""`tools` and `toolConfig` of a request; None for no tools."""

DECODER = ToolDecoder(WIRE)
read_tools = DECODER.read_tools
decode_tools = DECODER.decode_tools
"""The functions that a block declares, with `parameters` or `parametersJsonSchema`; built-in tools declare none."""
