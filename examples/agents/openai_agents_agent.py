"""An OpenAI Agents run whose calls are checked. `python examples/agents/openai_agents_agent.py`

A script replaces the model: without `model=` the agent asks OpenAI's.
"""

import asyncio
import sys
from pathlib import Path

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio
from models import CUT_OFF, RIGHT, WRONG, openai, serve
from openai import AsyncOpenAI

from toolgen_adapters.openai_agents import guarded

program, *arguments = sys.argv[1:] or [sys.executable, str(Path(__file__).with_name("server.py"))]
set_tracing_disabled(True)
client = AsyncOpenAI(base_url=serve(openai, [WRONG], [CUT_OFF], [RIGHT]), api_key="none")


async def main() -> None:
    async with MCPServerStdio({"command": program, "args": arguments}) as server:
        model = OpenAIChatCompletionsModel("script", client)
        agent = guarded(Agent(name="helper", model=model, mcp_servers=[server]))
        result = await Runner.run(agent, "Create an issue.")
    for item in result.new_items:
        if item.type == "tool_call_output_item":
            print(item.output if isinstance(item.output, str) else item.output["text"])


asyncio.run(main())
