"""`toolgen proxy`: an MCP server in front of another one that checks calls."""
