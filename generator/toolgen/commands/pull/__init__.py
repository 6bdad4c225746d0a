"""`toolgen pull`: write the tools of MCP servers to spec files."""
