"""`toolgen proxy`: an MCP server that checks calls and forwards them to another MCP server."""
