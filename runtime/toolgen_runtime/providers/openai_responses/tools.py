"""Tools as the Responses API takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen_runtime.providers.openai_responses.wire import WIRE
from toolgen_runtime.providers.shared.tools.decoding import (
    Entries,
    NativeDefinition,
    ToolDecoder,
    Undefined,
    entry_kind,
)
from toolgen_runtime.providers.shared.tools.definitions import Choice, ToolDefinition, ToolEncoder, Written


def _write(defined: ToolDefinition) -> list[dict[str, Any]]:
    tool: dict[str, Any] = {"type": defined.kind, "name": defined.name}
    if defined.description:
        tool["description"] = defined.description
    if defined.kind == "custom":
        return [tool]
    assert isinstance(defined.schema, dict)
    tool["parameters"] = {"properties": {}, **defined.schema}  # OpenAI refuses an object without
    tool["strict"] = defined.strict  # always said: left out, the API takes it for true
    return [tool]


def _render(written: Written, choice: Choice) -> dict[str, Any]:
    listed: list[dict[str, Any]] = []
    groups: dict[str, dict[str, Any]] = {}
    for defined, entries in written:
        if defined.namespace is None:
            listed += entries
            continue
        group = groups.get(defined.namespace)
        if group is None:
            head = {"type": "namespace", "name": defined.namespace}
            group = groups[defined.namespace] = {
                **head,
                "description": defined.namespace_description,
                "tools": [],
            }
            listed.append(group)
        group["tools"] += entries
    chosen: Any = choice.word
    if choice.word == "tool":
        custom = any(d.kind == "custom" for d, _ in written if d.name == choice.name)
        chosen = {"type": "custom" if custom else "function", "name": choice.name}
    return {"tools": listed, "tool_choice": chosen}


def _entry(tool: dict[str, Any], namespace: Mapping[str, Any] | None) -> NativeDefinition | Undefined:
    if tool.get("type") == "function":
        return NativeDefinition(tool, tool, tool.get("parameters") or {}, namespace=namespace)
    if tool.get("type") == "custom":
        return NativeDefinition(tool, tool, {"type": "string"}, "custom", namespace)
    return Undefined(entry_kind(tool), tool)


def _entries(tools: list[Any]) -> Entries:
    for tool in tools:
        inner = tool.get("tools") if tool.get("type") == "namespace" else None
        if isinstance(inner, list):
            yield from (_entry(each, tool) for each in inner if isinstance(each, dict))
        else:
            yield _entry(tool, None)


_ENCODER = ToolEncoder(WIRE, _write, _render)
lower_tools = _ENCODER.lower_tools
encode_tools = _ENCODER.encode_tools
"""`tools` and `tool_choice` of a request, to be passed as keywords; None for no tools."""

DECODER = ToolDecoder(WIRE, _entries)
read_tools = DECODER.read_tools
decode_tools = DECODER.decode_tools
"""The functions and custom tools that a block defines, those of namespaces by `<namespace>.<name>`."""
