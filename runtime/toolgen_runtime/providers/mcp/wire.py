"""What MCP says on the wire. A `tools/call` request has no stop reason: it is all there when it is read."""

from __future__ import annotations

from toolgen_runtime.providers.shared.shapes import ToolShape
from toolgen_runtime.providers.shared.wire import Wire, WireRule, paths

WIRE = Wire(
    provider="mcp",
    name_rule=WireRule(r"[A-Za-z0-9._-]+", 128),
    id_rule=WireRule(r"[!-~]+", 256),  # not published: what is safe
    has_messages=False,
    tools=ToolShape(
        reads=paths("name description inputSchema"),
        schema_path=("inputSchema",),
        schema_optional=True,
        no_choice=frozenset({"required", "none", "tool"}),
    ),
)
"""https://modelcontextprotocol.io/specification, `tools/call`."""
