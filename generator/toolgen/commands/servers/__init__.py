"""Connect to MCP servers and get their tools."""
