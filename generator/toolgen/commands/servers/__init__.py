"""Connect to MCP servers, and get the tools that they list."""
