"""The MCP SDK before 2: a low-level server, which validates arguments against the tool's schema."""

from __future__ import annotations

from typing import Any

from frame import ANSWER, Call, Written, run
from mcp.server.lowlevel import Server
from mcp.shared.memory import create_connected_server_and_client_session
from mcp.types import TextContent, Tool


async def ask(tools: list[Written], call: Call) -> str | None:
    functions = {tool.name: tool.function for tool in tools}
    if (
        call.text is not None or call.tool not in functions
    ):  # the server's author writes the text for an unknown name
        return None
    server: Any = Server("gallery")

    @server.list_tools()  # type: ignore[untyped-decorator]
    async def list_tools() -> list[Tool]:
        return [Tool(name=t.name, description=t.description, inputSchema=t.schema) for t in tools]

    @server.call_tool()  # type: ignore[untyped-decorator]
    async def call_tool(name: str, arguments: dict[str, Any]) -> list[TextContent]:
        functions[name](**arguments)
        return [TextContent(type="text", text=ANSWER)]

    async with create_connected_server_and_client_session(server) as client:
        result = await client.call_tool(call.tool, call.payload)
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


if __name__ == "__main__":
    run("mcp", ask)
