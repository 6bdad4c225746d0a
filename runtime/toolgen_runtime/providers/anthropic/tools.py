"""Tools as the Messages API takes them."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.anthropic.wire import WIRE
from toolgen_runtime.providers.shared.messages.native import text_or_none
from toolgen_runtime.providers.shared.tools.decoding import (
    Entries,
    NativeDefinition,
    ToolDecoder,
    Undefined,
    entry_kind,
)
from toolgen_runtime.providers.shared.tools.definitions import Choice, ToolDefinition, ToolEncoder, Written
from toolgen_runtime.transcript.messages import CachePoint

_CHOICES = {"auto": {"type": "auto"}, "required": {"type": "any"}, "none": {"type": "none"}}


def _write(defined: ToolDefinition) -> list[dict[str, Any]]:
    tool: dict[str, Any] = {"name": defined.name}
    if defined.description:
        tool["description"] = defined.description
    tool["input_schema"] = defined.schema
    if defined.strict:
        tool["strict"] = True
    if defined.cache is not None:
        timed = {"ttl": defined.cache.ttl} if defined.cache.ttl else {}
        tool["cache_control"] = {"type": "ephemeral", **timed}
    return [tool]


def _render(written: Written, choice: Choice) -> dict[str, Any]:
    named = {"type": "tool", "name": choice.name}
    chosen = named if choice.word == "tool" else dict(_CHOICES[choice.word])
    return {"tools": [entry for _, entries in written for entry in entries], "tool_choice": chosen}


def _entries(tools: list[Any]) -> Entries:
    for tool in tools:
        mark = tool.get("cache_control")
        cache = CachePoint(text_or_none(mark.get("ttl"))) if isinstance(mark, dict) else None
        if "input_schema" in tool:
            yield NativeDefinition(tool, tool, tool["input_schema"], cache=cache)
        else:
            yield Undefined(entry_kind(tool), tool)


_ENCODER = ToolEncoder(WIRE, _write, _render)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""`tools` and `tool_choice` of a request, to be passed as keywords; None for no tools."""

DECODER = ToolDecoder(WIRE, _entries)
read_tools = DECODER.read_tools
decode_tools = DECODER.decode_tools
"""The tools that a block defines; server tools define none."""
