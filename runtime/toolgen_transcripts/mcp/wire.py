"""MCP as data. A `tools/call` request has no stop reason, because it is always complete."""

from __future__ import annotations

from toolgen_transcripts.codec import media
from toolgen_transcripts.codec.media import MediaForm
from toolgen_transcripts.codec.shapes import MessageShape, ToolShape
from toolgen_transcripts.codec.wire import Wire, WireRule, paths
from toolgen_transcripts.messages import MediaKind

_KINDS: tuple[MediaKind, ...] = ("image", "audio")

WIRE = Wire(
    provider="mcp",
    name_rule=WireRule(r"[A-Za-z0-9._-]+", 128),
    has_messages=False,
    messages=MessageShape(
        reads={"text": paths("type text")},
        media=tuple(
            MediaForm({"type": kind, "data": media.BASE64, "mimeType": media.TYPE}, kind) for kind in _KINDS
        ),
    ),
    tools=ToolShape(
        reads=paths("name description inputSchema"),
        schema_path=("inputSchema",),
        schema_optional=True,
        no_choice=frozenset({"required", "none", "tool"}),
    ),
)
"""For `tools/call` see https://modelcontextprotocol.io/specification."""
