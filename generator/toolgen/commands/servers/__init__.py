"""Connect to MCP servers, and write their tools to spec files."""
