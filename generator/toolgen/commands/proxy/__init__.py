"""`toolgen proxy`: an MCP server that checks calls in front of another MCP server."""
