"""An agno agent whose calls are checked. `python examples/agents/agno_agent.py`

A script replaces the model: without `base_url=` the agent asks OpenAI's.
"""

import asyncio
import os
import shlex
import sys
from pathlib import Path

from agno.agent import Agent
from agno.models.openai import OpenAIChat
from agno.tools.mcp import MCPTools
from models import RIGHT, WRONG, openai, serve

from toolgen_adapters.agno import tool_hook

os.environ["AGNO_TELEMETRY"] = "false"
command = sys.argv[1:] or [sys.executable, str(Path(__file__).with_name("server.py"))]
model = OpenAIChat(id="script", base_url=serve(openai, [WRONG], [RIGHT]), api_key="none")


async def main() -> None:
    async with MCPTools(command=shlex.join(command)) as tools:
        agent = Agent(model=model, tools=[tools], tool_hooks=[tool_hook()])
        result = await agent.arun("Create an issue.")
    for message in result.messages or []:
        if message.role == "tool":
            print(message.content)


asyncio.run(main())
