"""An agent of Microsoft's Agent Framework whose calls are checked. `python examples/agents/agent_framework_agent.py`

A script replaces the model: without `base_url=` the agent asks OpenAI's.
"""

import asyncio
import sys
from pathlib import Path

from agent_framework import Agent, MCPStdioTool
from agent_framework.openai import OpenAIChatCompletionClient
from models import CUT_OFF, RIGHT, WRONG, openai, serve

from toolgen_adapters.agent_framework import toolgen_middleware

program, *arguments = sys.argv[1:] or [sys.executable, str(Path(__file__).with_name("server.py"))]
url = serve(openai, [WRONG], [CUT_OFF], [RIGHT])
client = OpenAIChatCompletionClient(model="script", base_url=url, api_key="none")


async def main() -> None:
    async with MCPStdioTool("server", program, args=arguments) as tools:
        agent = Agent(client=client, tools=tools, middleware=toolgen_middleware())
        result = await agent.run("Create an issue.")
    for message in result.messages:
        for content in message.contents:
            if content.type == "function_result":
                print(content.result)


asyncio.run(main())
