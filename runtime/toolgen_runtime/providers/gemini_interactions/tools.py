"""Tools as the Interactions API takes them."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.gemini_interactions.wire import WIRE
from toolgen_runtime.providers.shared.tools.decoding import (
    Entries,
    NativeDefinition,
    ToolDecoder,
    Undefined,
    entry_kind,
)
from toolgen_runtime.providers.shared.tools.definitions import Choice, ToolDefinition, ToolEncoder, Written

_WORDS = {"required": "any", "none": "none"}


def _write(defined: ToolDefinition) -> list[dict[str, Any]]:
    described = {"description": defined.description} if defined.description else {}
    return [{"type": "function", "name": defined.name, **described, "parameters": defined.schema}]


def _render(written: Written, choice: Choice) -> dict[str, Any]:
    """Return the block; the API chooses itself (`auto`) if nothing is said, so that `generation_config` is free."""
    chosen: Any = _WORDS.get(choice.word)
    if choice.word == "tool":
        chosen = {"allowed_tools": {"mode": "any", "tools": [choice.name]}}
    block: dict[str, Any] = {"tools": [entry for _, entries in written for entry in entries]}
    return block | ({"generation_config": {"tool_choice": chosen}} if chosen else {})


def _entries(tools: list[Any]) -> Entries:
    for tool in tools:
        if tool.get("type") == "function":
            yield NativeDefinition(tool, tool, tool.get("parameters") or {})
        else:
            yield Undefined(entry_kind(tool), tool)


_ENCODER = ToolEncoder(WIRE, _write, _render)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""`tools` of a request, and `generation_config` if a choice is to be said; None for no tools."""

_DECODER = ToolDecoder(WIRE, _entries)
read_tools = _DECODER.read_tools
decode_tools = _DECODER.decode_tools
"""The functions that a block defines; the tools that the server runs define none."""
