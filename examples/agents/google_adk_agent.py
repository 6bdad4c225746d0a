"""A Google ADK agent whose calls are checked. `python examples/agents/google_adk_agent.py`

`Script` replaces the model: `LlmAgent(model="gemini-...")` asks Gemini.
"""

import asyncio
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool.mcp_session_manager import StdioConnectionParams
from google.adk.tools.mcp_tool.mcp_toolset import McpToolset
from google.genai import types
from mcp import StdioServerParameters

from toolgen_adapters.google_adk import ToolgenPlugin

program, *arguments = sys.argv[1:] or [sys.executable, str(Path(__file__).with_name("server.py"))]
SERVER = StdioServerParameters(command=program, args=arguments)
WRONG = {"Title": "Login is broken", "priority": "HIGH", "labels": "auth"}
RIGHT = {"title": "Login is broken", "priority": "high", "labels": ["auth"]}


class Script(BaseLlm):
    turns: list[dict[str, Any]]

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        name = next(iter(llm_request.tools_dict))
        call = types.FunctionCall(name=name, args=self.turns.pop(0)) if self.turns else None
        part = types.Part(function_call=call) if call else types.Part(text="done")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def main() -> None:
    tools = McpToolset(connection_params=StdioConnectionParams(server_params=SERVER, timeout=60))
    agent = LlmAgent(name="agent", model=Script(model="script", turns=[WRONG, RIGHT]), tools=[tools])
    runner = InMemoryRunner(agent, app_name="app", plugins=[ToolgenPlugin()])
    session = await runner.session_service.create_session(app_name="app", user_id="user")
    message = types.Content(role="user", parts=[types.Part(text="Create an issue.")])
    async for event in runner.run_async(user_id="user", session_id=session.id, new_message=message):
        for answer in event.get_function_responses():
            print(answer.response)
    await tools.close()


asyncio.run(main())
