"""Tools as generateContent takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.gemini.wire import WIRE
from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.tools import (
    Choice,
    ToolDefinition,
    ToolEncoder,
    definition,
)

_MODES = {"auto": "AUTO", "required": "ANY", "tool": "ANY", "none": "NONE"}


def _tool(defined: ToolDefinition) -> dict[str, Any]:
    return {
        "name": defined.name,
        "description": defined.description,  # required by the API
        "parametersJsonSchema": defined.schema,
    }


def _render(definitions: list[ToolDefinition], choice: Choice) -> dict[str, Any]:
    calling: dict[str, Any] = {"mode": _MODES[choice.word]}
    if choice.word == "tool":
        calling["allowedFunctionNames"] = [choice.name]
    return {
        "tools": [{"functionDeclarations": [_tool(d) for d in definitions]}],
        "toolConfig": {"functionCallingConfig": calling},
    }


_ENCODER = ToolEncoder(WIRE, _render)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""`tools` and `toolConfig` of a request; None for no tools."""


def decode_tools(block: Mapping[str, Any] | None, *, codec: Codec | None = None) -> list[ToolDefinition]:
    """The functions that a block declares with a JSON Schema; built-in tools declare none."""
    codec = codec or codec_for(WIRE.provider)
    declared = [d for tool in (block or {}).get("tools", ()) for d in tool.get("functionDeclarations", ())]
    return [
        definition(codec, d["name"], d.get("description"), d.get("parametersJsonSchema", {}))
        for d in declared
    ]
