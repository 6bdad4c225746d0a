"""A LangChain agent whose calls are checked. `python examples/agents/langchain_agent.py`"""

import asyncio
import sys
from pathlib import Path

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_mcp_adapters.tools import load_mcp_tools

from toolgen_adapters.langchain import ToolgenMiddleware

program, *arguments = sys.argv[1:] or [sys.executable, str(Path(__file__).with_name("server.py"))]
WRONG = {"Title": "Login is broken", "priority": "HIGH", "labels": "auth"}
CUT_OFF = '{"title": "Login is broken", "priority": "high", "lab'
RIGHT = {"title": "Login is broken", "priority": "high", "labels": ["auth"]}
SCRIPT = [
    AIMessage("", tool_calls=[{"name": "create_issue", "args": WRONG, "id": "1"}]),
    AIMessage("", invalid_tool_calls=[{"name": "create_issue", "args": CUT_OFF, "id": "2", "error": None}]),
    AIMessage("", tool_calls=[{"name": "create_issue", "args": RIGHT, "id": "3"}]),
    AIMessage("done"),
]


class Script(GenericFakeChatModel):  # replaces "anthropic:...", which accepts the same middleware
    def bind_tools(self, tools: object, **options: object) -> "Script":
        return self  # the script knows its tools


async def main() -> None:
    tools = await load_mcp_tools(
        None, connection={"transport": "stdio", "command": program, "args": arguments}
    )
    agent = create_agent(Script(messages=iter(SCRIPT)), tools, middleware=[ToolgenMiddleware()])
    for message in (await agent.ainvoke({"messages": [HumanMessage("Create an issue.")]}))["messages"]:
        print(message.text)


asyncio.run(main())
