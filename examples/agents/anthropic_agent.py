"""Anthropic's `tool_runner` with checked tools. `python examples/agents/anthropic_agent.py`

A script replaces the model: `AsyncAnthropic()` without arguments asks Claude.
"""

import asyncio
import sys
from pathlib import Path

from anthropic import AsyncAnthropic
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from models import RIGHT, WRONG, anthropic, serve

from toolgen_adapters.anthropic import beta_async_tools

program, *arguments = sys.argv[1:] or [sys.executable, str(Path(__file__).with_name("server.py"))]
SERVER = StdioServerParameters(command=program, args=arguments)
client = AsyncAnthropic(base_url=serve(anthropic, [WRONG], [RIGHT]), api_key="none")


async def main() -> None:
    async with stdio_client(SERVER) as streams, ClientSession(*streams) as session:
        await session.initialize()
        runner = client.beta.messages.tool_runner(
            model="script",
            max_tokens=1000,
            messages=[{"role": "user", "content": "Create an issue."}],
            tools=beta_async_tools(await session.list_tools(), session.call_tool),
        )
        async for _ in runner:
            answer = await runner.generate_tool_call_response()
            for block in answer["content"] if answer else ():
                if isinstance(block, dict) and block["type"] == "tool_result":
                    for part in block.get("content", ()):
                        if isinstance(part, dict) and part["type"] == "text":
                            print(part["text"])


asyncio.run(main())
