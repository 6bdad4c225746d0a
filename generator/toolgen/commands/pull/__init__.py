"""`toolgen pull`: the tools of MCP servers as spec files."""
