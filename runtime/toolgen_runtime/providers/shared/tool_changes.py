"""References to tools in the messages, by which a tool comes or goes: Anthropic and Bedrock write them alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from toolgen_runtime.providers.shared.native import Decoding, text_or_none
from toolgen_runtime.transcript.messages import CachePoint, Source, ToolChange

Change = Literal["added", "removed"]


def _kind(name: str | None, server: str | None) -> str:
    if server is None:
        return "tool_reference"
    return "mcp_tool_reference" if name else "mcp_toolset_reference"


def decode_change(
    change: Change,
    tool: Any,
    server_key: str,
    decoding: Decoding,
    source: Source,
    cache: CachePoint | None = None,
) -> ToolChange | None:
    """Return the change that a reference makes, None where it is none that both APIs have (a definition)."""
    if not isinstance(tool, Mapping):
        return None
    name, server = text_or_none(tool.get("name")), text_or_none(tool.get(server_key))
    if tool.get("type") != _kind(name, server) or not (name or server):
        return None
    own = decoding.codec.decode_name(name) if name and server is None else name
    return ToolChange(change, own, server, source, cache=cache)


def reference(change: ToolChange, server_key: str, name: str | None) -> dict[str, str]:
    """Return the reference of a change; `name` is the tool's as the provider takes it."""
    named = {"name": name} if name else {}
    server = {server_key: change.server} if change.server else {}
    return {"type": _kind(change.name, change.server), **named, **server}
