"""The keys that clients add to arguments by themselves."""

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
"""Each key with the reports of it. The model never wrote it, so no hint would make the next call better."""


def is_client_key(facts: SchemaFacts, path: Path) -> bool:
    """Return whether a path is that of a key that clients add, and the schema does not declare it."""
    return len(path) == 1 and path[0] in CLIENT_KEYS and path[0] not in facts.root.properties
