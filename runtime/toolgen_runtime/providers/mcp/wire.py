"""What MCP says on the wire. A `tools/call` request has no stop reason: it is all there when it is read."""

from __future__ import annotations

from toolgen_runtime.providers.shared.wire import Wire

WIRE = Wire(provider="mcp", stop_key="", whole_stop_reasons=frozenset())
