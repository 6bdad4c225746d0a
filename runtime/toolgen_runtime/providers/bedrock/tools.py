"""Tools as a Converse `toolConfig`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.bedrock.wire import WIRE
from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.tools import (
    Choice,
    ToolDefinition,
    ToolEncoder,
    definition,
)


def _tool(defined: ToolDefinition) -> dict[str, Any]:
    spec: dict[str, Any] = {"name": defined.name}
    if defined.description:  # rule 20: at least one character
        spec["description"] = defined.description
    spec["inputSchema"] = {"json": defined.schema}
    if defined.strict:
        spec["strict"] = True
    return {"toolSpec": spec}


def _choice(choice: Choice) -> dict[str, Any]:
    if choice.word == "tool":
        return {"tool": {"name": choice.name}}
    return {"any": {}} if choice.word == "required" else {"auto": {}}


def _render(definitions: list[ToolDefinition], choice: Choice) -> dict[str, Any]:
    return {"tools": [_tool(d) for d in definitions], "toolChoice": _choice(choice)}


_ENCODER = ToolEncoder(WIRE, _render)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""The `toolConfig` of a Converse request; None for no tools, since it must not be sent empty (rule 21)."""


def decode_tools(block: Mapping[str, Any] | None, *, codec: Codec | None = None) -> list[ToolDefinition]:
    """The tools that a `toolConfig` defines; system tools and cache points define none."""
    codec = codec or codec_for(WIRE.provider)
    specs = [tool["toolSpec"] for tool in (block or {}).get("tools", ()) if "toolSpec" in tool]
    return [
        definition(codec, s["name"], s.get("description"), s["inputSchema"]["json"], s.get("strict"))
        for s in specs
    ]
