"""Tools as a Converse `toolConfig`."""

from __future__ import annotations

from typing import Any

from toolgen_runtime.providers.bedrock.wire import WIRE
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
    spec: dict[str, Any] = {"name": defined.name}
    if defined.description:  # rule 20: at least one character
        spec["description"] = defined.description
    spec["inputSchema"] = {"json": defined.schema}
    if defined.strict:
        spec["strict"] = True
    if defined.cache is None:
        return [{"toolSpec": spec}]
    timed = {"ttl": defined.cache.ttl} if defined.cache.ttl else {}
    return [{"toolSpec": spec}, {"cachePoint": {"type": "default", **timed}}]


def _choice(choice: Choice) -> dict[str, Any]:
    if choice.word == "tool":
        return {"tool": {"name": choice.name}}
    return {"any": {}} if choice.word == "required" else {"auto": {}}


def _render(written: Written, choice: Choice) -> dict[str, Any]:
    return {"tools": [entry for _, entries in written for entry in entries], "toolChoice": _choice(choice)}


def _entries(tools: list[Any]) -> Entries:
    for tool in tools:
        spec, point = tool.get("toolSpec"), tool.get("cachePoint")
        if isinstance(spec, dict):
            schema = spec.get("inputSchema")
            yield NativeDefinition(tool, spec, schema.get("json") if isinstance(schema, dict) else {})
        elif isinstance(point, dict):
            yield CachePoint(text_or_none(point.get("ttl")))
        else:
            yield Undefined(entry_kind(tool), tool)


_ENCODER = ToolEncoder(WIRE, _write, _render)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""The `toolConfig` of a Converse request; None for no tools, since it must not be sent empty (rule 21)."""

_DECODER = ToolDecoder(WIRE, _entries)
read_tools = _DECODER.read_tools
decode_tools = _DECODER.decode_tools
"""The tools that a `toolConfig` defines; system tools define none."""
