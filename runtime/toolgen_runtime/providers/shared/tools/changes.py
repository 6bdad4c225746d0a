"""Tools that come and go among the messages.

Anthropic and Bedrock have references to tools, which they write alike. Anthropic and OpenAI's Responses API have
definitions there, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from toolgen_runtime.providers.shared.messages.encoding import Encoding
from toolgen_runtime.providers.shared.messages.native import Decoding, Native, text_or_none
from toolgen_runtime.providers.shared.tools.tool_codec import ToolCodec
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


def reference(change: ToolChange, server_key: str, encoding: Encoding) -> dict[str, str]:
    """Return the reference of a change; the name of a server's own tool is the server's."""
    name = encoding.codec.encode_name(change.name) if change.name and not change.server else change.name
    named = {"name": name} if name else {}
    server = {server_key: change.server} if change.server else {}
    return {"type": _kind(change.name, change.server), **named, **server}


def decode_definitions(
    tools: Sequence[Any],
    codec: ToolCodec,
    decoding: Decoding,
    source: Source,
    cache: CachePoint | None = None,
) -> ToolChange | None:
    """Return the change by which tools come that are defined among the messages; None if none is the caller's.

    Tools that the provider runs itself are unread members of the source, by their types.
    """
    read = codec.read_tools({"tools": list(tools)}, codec=decoding.codec)
    if not read.definitions:
        return None
    kinds = [str(other.get("type")) for other in read.others]
    source = replace(source, unread=(*source.unread, *dict.fromkeys(kinds)))
    name = read.definitions[0].name if len(read.definitions) == 1 else None
    return ToolChange("added", name, None, source, cache=cache, definitions=tuple(read.definitions))


def defined_tools(change: ToolChange, codec: ToolCodec, encoding: Encoding) -> list[Native]:
    """Return the native definitions of a change, as the provider has them in the request's tools."""
    lowered = codec.lower_tools(change.definitions, codec=encoding.codec)
    for loss in lowered.diagnostics:
        encoding.lose(loss.code, loss.message, loss.tool)
    return list((lowered.block or {}).get("tools", ()))
