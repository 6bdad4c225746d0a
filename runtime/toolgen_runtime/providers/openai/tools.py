"""Tools as Chat Completions takes them."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.openai.functions import as_tools
from toolgen_runtime.providers.openai.wire import WIRE
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


def _write(defined: ToolDefinition) -> list[dict[str, Any]]:
    function: dict[str, Any] = {"name": defined.name}
    if defined.description:
        function["description"] = defined.description
    if defined.kind == "custom":
        return [{"type": "custom", "custom": function}]
    assert isinstance(defined.schema, dict)
    function["parameters"] = {"properties": {}, **defined.schema}  # OpenAI refuses an object without
    if defined.strict:
        function["strict"] = True
    return [{"type": "function", "function": function}]


def _render(written: Written, choice: Choice) -> dict[str, Any]:
    chosen: Any = choice.word
    if choice.word == "tool":
        kind = (
            "custom" if any(d.kind == "custom" for d, _ in written if d.name == choice.name) else "function"
        )
        chosen = {"type": kind, kind: {"name": choice.name}}
    return {"tools": [entry for _, entries in written for entry in entries], "tool_choice": chosen}


def _entries(tools: list[Any]) -> Entries:
    for tool in tools:
        function, custom, mark = tool.get("function"), tool.get("custom"), tool.get("cache_control")
        cache = CachePoint(text_or_none(mark.get("ttl"))) if isinstance(mark, dict) else None
        if isinstance(function, dict):
            yield NativeDefinition(tool, function, function.get("parameters") or {}, cache=cache)
        elif isinstance(custom, dict):
            yield NativeDefinition(tool, custom, {"type": "string"}, "custom", cache=cache)
        else:
            yield Undefined(entry_kind(tool), tool)


_ENCODER = ToolEncoder(WIRE, _write, _render)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""`tools` and `tool_choice` of a request, to be passed as keywords; None for no tools."""

_DECODER = ToolDecoder(WIRE, _entries, as_tools)
read_tools = _DECODER.read_tools
decode_tools = _DECODER.decode_tools
"""The tools that a block defines; a custom tool takes a text (`kind`)."""
