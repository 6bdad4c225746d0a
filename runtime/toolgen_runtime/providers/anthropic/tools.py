"""Tools as the Messages API takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.anthropic.wire import WIRE
from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.tools import (
    Choice,
    ToolDefinition,
    ToolEncoder,
    definition,
)

_CHOICES = {"auto": {"type": "auto"}, "required": {"type": "any"}, "none": {"type": "none"}}


def _tool(defined: ToolDefinition) -> dict[str, Any]:
    tool: dict[str, Any] = {"name": defined.name}
    if defined.description:
        tool["description"] = defined.description
    tool["input_schema"] = defined.schema
    if defined.strict:
        tool["strict"] = True
    return tool


def _render(definitions: list[ToolDefinition], choice: Choice) -> dict[str, Any]:
    named = {"type": "tool", "name": choice.name}
    chosen = named if choice.word == "tool" else dict(_CHOICES[choice.word])
    return {"tools": [_tool(d) for d in definitions], "tool_choice": chosen}


_ENCODER = ToolEncoder(WIRE, _render)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""`tools` and `tool_choice` of a request, to be passed as keywords; None for no tools."""


def decode_tools(block: Mapping[str, Any] | None, *, codec: Codec | None = None) -> list[ToolDefinition]:
    """The tools that a block defines; server tools define none."""
    codec = codec or codec_for(WIRE.provider)
    tools = [tool for tool in (block or {}).get("tools", ()) if "input_schema" in tool]
    return [
        definition(codec, t["name"], t.get("description"), t["input_schema"], t.get("strict")) for t in tools
    ]
