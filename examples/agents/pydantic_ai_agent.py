"""A pydantic-ai agent whose calls are checked. `python examples/agents/pydantic_ai_agent.py`

A script replaces the model: `Agent("anthropic:...", ...)` accepts the same capability.
"""

import sys
from pathlib import Path

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from toolgen_adapters.pydantic_ai import ToolgenCheck

program, *arguments = sys.argv[1:] or [sys.executable, str(Path(__file__).with_name("server.py"))]

SCRIPT = iter([
    '{"Title": "Login is broken", "priority": "HIGH", "labels": "auth"}',
    '{"title": "Login is broken", "priority": "high", "lab',
    '{"title": "Login is broken", "priority": "high", "labels": ["auth"]}',
])  # fmt: skip


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    print(getattr(messages[-1].parts[-1], "content", ""))  # the text that a model reads
    for sent in SCRIPT:
        return ModelResponse(parts=[ToolCallPart(info.function_tools[0].name, sent)])
    return ModelResponse(parts=[TextPart("done")])


agent = Agent(
    FunctionModel(model),
    toolsets=[MCPToolset(StdioTransport(program, arguments))],
    capabilities=[ToolgenCheck()],
)
print(agent.run_sync("Create an issue.").output)
