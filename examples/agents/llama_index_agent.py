"""A LlamaIndex agent whose calls are checked. `python examples/agents/llama_index_agent.py`

A scripted model stands in for yours.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.tools import FunctionTool

from toolgen_runtime.adapters.llama_index import checked

TURNS: list[dict[str, Any]] = [
    {"Title": "Login is broken", "labels": "auth"},
    {"title": "Login is broken", "labels": ["auth"]},
]


def create_issue(title: str, labels: list[str]) -> str:
    """Create an issue."""
    return f"created {title} {labels}"


def answer(messages: Sequence[ChatMessage], **options: object) -> ChatMessage:
    """Return the next answer of the script."""
    if not TURNS:
        return ChatMessage(role="assistant", blocks=[TextBlock(text="done")])
    call = ToolCallBlock(tool_call_id=str(len(TURNS)), tool_name="create_issue", tool_kwargs=TURNS.pop(0))
    return ChatMessage(role="assistant", blocks=[call])


async def main() -> None:
    model = MockFunctionCallingLLM(response_generator=answer)
    agent = checked(
        FunctionAgent(tools=[FunctionTool.from_defaults(create_issue)], llm=model, streaming=False)
    )
    handler = agent.run(user_msg="Create an issue.")
    async for event in handler.stream_events():
        if isinstance(event, ToolCallResult):
            print(event.tool_output.content)
    await handler


asyncio.run(main())
