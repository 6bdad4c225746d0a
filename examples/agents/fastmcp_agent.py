"""A FastMCP server that checks its calls before they are coerced. `python examples/agents/fastmcp_agent.py`"""

import asyncio
from typing import Literal

from fastmcp import Client, FastMCP

from toolgen_runtime.adapters.fastmcp import ToolgenMiddleware

mcp = FastMCP("issues")  # your own server; or create_proxy(...) in front of one
mcp.add_middleware(ToolgenMiddleware())


@mcp.tool
def create_issue(title: str, priority: Literal["low", "medium", "high"] = "low", estimate: int = 0) -> str:
    """Create an issue."""
    return f"created {title!r}, {priority}, {estimate}"


# What a model would send.
CALLS = [
    ("create_issue", {"Title": "Login is broken", "priority": "HIGH"}),
    ("create_issue", {"title": "Login is broken", "estimate": "5"}),
    ("create_isue", {"title": "Login is broken"}),
    ("create_issue", {"title": "Login is broken", "priority": "high", "estimate": 5}),
]


async def main() -> None:
    async with Client(mcp) as client:
        for name, arguments in CALLS:
            result = await client.call_tool(name, arguments, raise_on_error=False)
            for block in result.content:
                if block.type == "text":
                    print(block.text)


asyncio.run(main())
