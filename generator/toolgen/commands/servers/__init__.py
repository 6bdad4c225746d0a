"""Connect to MCP servers, and write their tools to a spec file."""
