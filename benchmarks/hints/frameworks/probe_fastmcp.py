"""FastMCP: functions of a server, called by its client in the same process."""

from __future__ import annotations

from fastmcp import Client, FastMCP
from frame import Call, Written, run


async def ask(tools: list[Written], call: Call) -> str | None:
    if call.text is not None:
        return None
    server = FastMCP("gallery")
    for tool in tools:
        server.tool(tool.function)
    async with Client(server) as client:
        result = await client.call_tool(call.tool, call.payload, raise_on_error=False)
    return "\n".join(part.text for part in result.content)


if __name__ == "__main__":
    run("fastmcp", ask)
