"""Real MCP servers: where they are, and their tools as a spec file."""
