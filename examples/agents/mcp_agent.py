"""Calls of an MCP session, checked. `python examples/agents/mcp_agent.py`"""

import asyncio
import sys
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from toolgen_adapters.mcp import checked

program, *arguments = sys.argv[1:] or [sys.executable, str(Path(__file__).with_name("server.py"))]
SERVER = StdioServerParameters(command=program, args=arguments)

# The calls of a model, as text or parsed.
CALLS: list[tuple[str, dict[str, object] | str]] = [
    ("create_issue", {"Title": "Login is broken", "priority": "HIGH", "labels": "auth"}),
    ("create_issue", '{"title": "Login is broken", "priority": "high", "lab'),
    ("create_isue", {"title": "Login is broken"}),
    ("create_issue", {"title": "Login is broken", "priority": "high", "labels": ["auth"]}),
]


async def main() -> None:
    async with stdio_client(SERVER) as streams, ClientSession(*streams) as session:
        await session.initialize()
        session = checked(session)
        for name, given in CALLS:
            result = await session.call_tool(name, given)
            for block in result.content:
                if block.type == "text":
                    print(block.text)


asyncio.run(main())
