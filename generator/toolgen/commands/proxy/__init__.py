"""`toolgen proxy`: an MCP server that stands in front of another MCP server and checks calls."""
