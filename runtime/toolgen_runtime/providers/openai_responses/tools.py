"""Tools as the Responses API takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.openai_responses.wire import WIRE
from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.tools import (
    Choice,
    ToolDefinition,
    ToolEncoder,
    definition,
)


def _tool(defined: ToolDefinition) -> dict[str, Any]:
    tool: dict[str, Any] = {"type": "function", "name": defined.name}
    if defined.description:
        tool["description"] = defined.description
    assert isinstance(defined.schema, dict)
    tool["parameters"] = {"properties": {}, **defined.schema}  # OpenAI refuses an object without
    tool["strict"] = defined.strict  # always said: left out, the API takes it for true
    return tool


def _render(definitions: list[ToolDefinition], choice: Choice) -> dict[str, Any]:
    chosen: Any = {"type": "function", "name": choice.name} if choice.word == "tool" else choice.word
    return {"tools": [_tool(d) for d in definitions], "tool_choice": chosen}


_ENCODER = ToolEncoder(WIRE, _render)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""`tools` and `tool_choice` of a request, to be passed as keywords; None for no tools."""


def decode_tools(block: Mapping[str, Any] | None, *, codec: Codec | None = None) -> list[ToolDefinition]:
    """The functions that a block defines; built-in tools define none."""
    codec = codec or codec_for(WIRE.provider)
    functions = [tool for tool in (block or {}).get("tools", ()) if tool.get("type") == "function"]
    return [
        definition(codec, f["name"], f.get("description"), f.get("parameters") or {}, f.get("strict"))
        for f in functions
    ]
