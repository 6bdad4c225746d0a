"""A CrewAI crew whose calls are checked. `python examples/agents/crewai_agent.py`

A scripted model replaces yours.
"""

import os
import sys
from pathlib import Path
from typing import Any

os.environ |= {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "OTEL_SDK_DISABLED": "true",
}

from crewai import Agent, BaseLLM, Crew, Task
from crewai.mcp import MCPServerStdio
from crewai.utilities.types import LLMMessage
from pydantic import Field

from toolgen_adapters.crewai import install

program, *arguments = sys.argv[1:] or [sys.executable, str(Path(__file__).with_name("server.py"))]


class Script(BaseLLM):
    turns: list[str] = Field(default_factory=list)

    def call(
        self,
        messages: str | list[LLMMessage],
        tools: list[dict[str, Any]] | None = None,
        *args: object,
        **kwargs: object,
    ) -> object:
        if isinstance(messages, list) and messages[-1]["role"] == "tool":
            print(messages[-1]["content"])
        if not self.turns or not tools:
            return "done"
        function = {"name": tools[0]["function"]["name"], "arguments": self.turns.pop(0)}
        return [{"id": str(len(self.turns)), "type": "function", "function": function}]

    def supports_function_calling(self) -> bool:
        return True


install()
turns = ['{"Title": "Login is broken", "labels": "auth"}', '{"title": "Login is broken", "labels": ["auth"]}']
model = Script(model="script", turns=turns)
server = MCPServerStdio(command=program, args=arguments)
agent = Agent(role="clerk", goal="Create issues.", backstory="Careful.", llm=model, mcps=[server])
task = Task(description="Create an issue.", expected_output="Done.", agent=agent)
Crew(agents=[agent], tasks=[task]).kickoff()
