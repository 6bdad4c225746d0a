"""A LlamaIndex agent whose calls are checked. `python examples/agents/llama_index_agent.py`

A scripted model replaces yours.
"""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec  # type: ignore[import-untyped]

from toolgen_adapters.llama_index import checked

program, *arguments = sys.argv[1:] or [sys.executable, str(Path(__file__).with_name("server.py"))]
TURNS: list[dict[str, Any]] = [
    {"Title": "Login is broken", "labels": "auth"},
    {"title": "Login is broken", "labels": ["auth"]},
]


async def main() -> None:
    tools = await McpToolSpec(BasicMCPClient(program, args=arguments)).to_tool_list_async()
    name = tools[0].metadata.get_name()

    def answer(messages: Sequence[ChatMessage], **options: object) -> ChatMessage:
        """Return the next answer of the script."""
        if not TURNS:
            return ChatMessage(role="assistant", blocks=[TextBlock(text="done")])
        call = ToolCallBlock(tool_call_id=str(len(TURNS)), tool_name=name, tool_kwargs=TURNS.pop(0))
        return ChatMessage(role="assistant", blocks=[call])

    model = MockFunctionCallingLLM(response_generator=answer)
    agent = checked(FunctionAgent(tools=tools, llm=model, streaming=False))
    handler = agent.run(user_msg="Create an issue.")
    async for event in handler.stream_events():
        if isinstance(event, ToolCallResult):
            print(event.tool_output.content)
    await handler


asyncio.run(main())
