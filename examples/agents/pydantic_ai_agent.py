"""A pydantic-ai agent whose calls are checked. `python examples/agents/pydantic_ai_agent.py`

A script stands in for the model: `Agent("anthropic:...", ...)` takes the same capability.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponsePart, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from toolgen_runtime.adapters.pydantic_ai import ToolgenCheck

program, *arguments = sys.argv[1:] or [sys.executable, str(Path(__file__).with_name("server.py"))]

SCRIPT: Iterator[ModelResponsePart] = iter([
    ToolCallPart("create_issue", '{"Title": "Login is broken", "priority": "HIGH", "labels": "auth"}'),
    ToolCallPart("create_issue", '{"title": "Login is broken", "priority": "high", "lab'),
    ToolCallPart("create_issue", '{"title": "Login is broken", "priority": "high", "labels": ["auth"]}'),
    TextPart("done"),
])  # fmt: skip


def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    print(getattr(messages[-1].parts[-1], "content", ""))  # what a model reads
    return ModelResponse(parts=[next(SCRIPT)])


agent = Agent(
    FunctionModel(model),
    toolsets=[MCPToolset(StdioTransport(program, arguments))],
    capabilities=[ToolgenCheck()],
)
print(agent.run_sync("Create an issue.").output)
