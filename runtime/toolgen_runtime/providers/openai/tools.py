"""Tools as Chat Completions takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.openai.wire import WIRE
from toolgen_runtime.providers.shared.names import Codec, codec_for
from toolgen_runtime.providers.shared.tools import (
    Choice,
    ToolDefinition,
    ToolEncoder,
    definition,
)


def _tool(defined: ToolDefinition) -> dict[str, Any]:
    function: dict[str, Any] = {"name": defined.name}
    if defined.description:
        function["description"] = defined.description
    assert isinstance(defined.schema, dict)
    function["parameters"] = {"properties": {}, **defined.schema}  # OpenAI refuses an object without
    if defined.strict:
        function["strict"] = True
    return {"type": "function", "function": function}


def _render(definitions: list[ToolDefinition], choice: Choice) -> dict[str, Any]:
    chosen: Any = choice.word
    if choice.word == "tool":
        chosen = {"type": "function", "function": {"name": choice.name}}
    return {"tools": [_tool(d) for d in definitions], "tool_choice": chosen}


_ENCODER = ToolEncoder(WIRE, _render)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""`tools` and `tool_choice` of a request, to be passed as keywords; None for no tools."""


def decode_tools(block: Mapping[str, Any] | None, *, codec: Codec | None = None) -> list[ToolDefinition]:
    """The functions that a block defines; custom tools define none."""
    codec = codec or codec_for(WIRE.provider)
    functions = [tool["function"] for tool in (block or {}).get("tools", ()) if "function" in tool]
    return [
        definition(codec, f["name"], f.get("description"), f.get("parameters", {}), f.get("strict"))
        for f in functions
    ]
