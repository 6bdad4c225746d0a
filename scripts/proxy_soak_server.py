"""An MCP server over streamable HTTP with one tool, `echo`: `python proxy_soak_server.py PORT`, with mcp 2.x."""

from __future__ import annotations

import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("echo")


@server.tool()
def echo(message: str) -> str:
    """Return the message."""
    return f"Echo: {message}"


if __name__ == "__main__":
    server.run(transport="streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
