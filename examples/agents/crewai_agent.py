"""A CrewAI crew whose calls are checked. `python examples/agents/crewai_agent.py`

A scripted model stands in for yours.
"""

import os

os.environ |= {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "OTEL_SDK_DISABLED": "true",
}

from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool
from crewai.utilities.types import LLMMessage
from pydantic import Field

from toolgen_runtime.adapters.crewai import install


@tool("create_issue")
def create_issue(title: str, labels: list[str]) -> str:
    """Create an issue."""
    return f"created {title} {labels}"


class Script(BaseLLM):
    turns: list[str] = Field(default_factory=list)

    def call(self, messages: str | list[LLMMessage], *args: object, **kwargs: object) -> object:
        if isinstance(messages, list) and messages[-1]["role"] == "tool":
            print(messages[-1]["content"])
        if not self.turns:
            return "done"
        function = {"name": "create_issue", "arguments": self.turns.pop(0)}
        return [{"id": str(len(self.turns)), "type": "function", "function": function}]

    def supports_function_calling(self) -> bool:
        return True


install()
model = Script(
    model="script",
    turns=[
        '{"Title": "Login is broken", "labels": "auth"}',
        '{"title": "Login is broken", "labels": ["auth"]}',
    ],
)
agent = Agent(role="clerk", goal="Create issues.", backstory="Careful.", llm=model, tools=[create_issue])
task = Task(description="Create an issue.", expected_output="Done.", agent=agent)
Crew(agents=[agent], tasks=[task]).kickoff()
