"""The keys that MCP clients add to arguments by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolgen_runtime.schema.facts import SchemaFacts
    from toolgen_runtime.schema.node import Path

CLIENT_KEYS: Final = {
    "_meta": "langchain-ai/langchain-mcp-adapters#412",
    "toolCallId": "n8n-io/n8n#21500, makenotion/notion-mcp-server#146",
    "tool_call_description": "cyanheads/mcp-ts-core#453",
    "_as_extra": "cyanheads/mcp-ts-core#453",
    "_accept_language": "moltis-org/moltis#182",
    "_conn_id": "moltis-org/moltis#182",
    "_session_key": "moltis-org/moltis#182",
}
"""Each key, and the bug reports about it. The model did not write the key, so a hint about it would not help."""


def is_client_key(facts: SchemaFacts, path: Path) -> bool:
    """Return whether a path leads to a top-level key that clients add and that the schema does not declare."""
    return len(path) == 1 and path[0] in CLIENT_KEYS and path[0] not in facts.root.properties
