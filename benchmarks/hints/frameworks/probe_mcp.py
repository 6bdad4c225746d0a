"""The MCP SDK: functions of an `MCPServer`, called by a `Client` in the same process."""

from __future__ import annotations

from frame import Call, Written, run
from mcp import Client
from mcp.server import MCPServer


async def ask(tools: list[Written], call: Call) -> str | None:
    if call.text is not None:
        return None
    server = MCPServer("gallery")
    for tool in tools:
        server.tool()(tool.function)
    async with Client(server) as client:
        result = await client.call_tool(call.tool, call.payload)
    return "\n".join(part.text for part in result.content)


if __name__ == "__main__":
    run("mcp", ask)
