"""Tools as a Converse `toolConfig`."""

from __future__ import annotations

from toolgen_runtime.providers.bedrock.wire import WIRE
from toolgen_runtime.providers.shared.tools.decoding import ToolDecoder
from toolgen_runtime.providers.shared.tools.definitions import ToolEncoder

_ENCODER = ToolEncoder(WIRE)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""The `toolConfig` of a Converse request; None for no tools, since it must not be sent empty (rule 21)."""

DECODER = ToolDecoder(WIRE)
read_tools = DECODER.read_tools
decode_tools = DECODER.decode_tools
"""The tools that a `toolConfig` defines; system tools define none."""
