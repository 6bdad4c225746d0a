"""The Claude Agent SDK with checked tools of an MCP server. `python examples/agents/claude_agent_agent.py`

It asks Claude, with the key in `ANTHROPIC_API_KEY`; the SDK brings its command line.
"""

import asyncio
import sys
from pathlib import Path

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query
from claude_agent_sdk.types import McpStdioServerConfig
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from toolgen_adapters.claude_agent import hooks

program, *arguments = sys.argv[1:] or [sys.executable, str(Path(__file__).with_name("server.py"))]
SERVER = McpStdioServerConfig(type="stdio", command=program, args=arguments)


async def main() -> None:
    parameters = StdioServerParameters(command=program, args=arguments)
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        await session.initialize()
        tools = await session.list_tools()
    options = ClaudeAgentOptions(
        mcp_servers={"server": SERVER}, hooks=hooks({"server": tools}), allowed_tools=["mcp__server"]
    )
    async for message in query(prompt="Create an issue: the login is broken.", options=options):
        if isinstance(message, ResultMessage):
            print(message.result)


if __name__ == "__main__":
    asyncio.run(main())
