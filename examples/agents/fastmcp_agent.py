"""FastMCP in front of a server, whose calls it checks. `python examples/agents/fastmcp_agent.py`"""

import asyncio
import sys
from pathlib import Path

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy

from toolgen_adapters.fastmcp import ToolgenMiddleware

program, *arguments = sys.argv[1:] or [sys.executable, str(Path(__file__).with_name("server.py"))]
mcp = create_proxy(Client(StdioTransport(program, arguments)))  # or FastMCP("name"), with tools of your own
mcp.add_middleware(ToolgenMiddleware())

# The calls of a model.
CALLS: list[dict[str, object]] = [
    {"Title": "Login is broken", "priority": "HIGH"},
    {"title": "Login is broken", "labels": "auth"},
    {"title": "Login is broken", "priority": "high", "labels": ["auth"]},
]


async def main() -> None:
    async with Client(mcp) as client:
        name = (await client.list_tools())[0].name
        for tool, given in [(f"{name}s", CALLS[0]), *((name, call) for call in CALLS)]:
            result = await client.call_tool(tool, given, raise_on_error=False)
            for block in result.content:
                if block.type == "text":
                    print(block.text)


asyncio.run(main())
