"""Crews of CrewAI with the hooks, and a model of scripted answers."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

os.environ |= {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "OTEL_SDK_DISABLED": "true",
}

from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool
from pydantic import Field

from seams.common import Answer, Call, Calls, Told, Tools
from toolgen_adapters.crewai import install

SHARES = True
LACKS = {
    "changed": "an agent has a fixed list of tools",
    "servers": "its tools are functions",
    "cancelled": "a crew runs tools in threads, which continue",
    "approval": "people approve answers, not calls",
    "times out": "CrewAI converts the failure to text before the hooks run",
    "handoff": "a delegated task has a separate conversation",
    "cut off": "CrewAI handles it before the hooks run",
    "cut off, streamed": "CrewAI handles it before the hooks run",
}


class Script(BaseLLM):
    """A model that makes these calls, a list of them an answer, and then is done; `told` is what it is answered."""

    turns: list[Any] = Field(default_factory=list)
    told: list[str] = Field(default_factory=list)
    output: str = "done"

    def call(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self.told = [message["content"] for message in messages if message["role"] == "tool"]
        if not self.turns:
            return self.output
        calls = enumerate(self.turns.pop(0))
        return [
            {
                "id": f"{len(self.turns)}-{i}",
                "type": "function",
                "function": {"name": name, "arguments": text},
            }
            for i, (name, text) in calls
        ]

    async def acall(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(*args, **kwargs)

    def supports_function_calling(self) -> bool:
        return True


async def run(script: Script, tools: Tools, **options: Any) -> Any:
    made = [tool(each.__name__)(each) for each in tools]
    agent = Agent(role="clerk", goal="pay", backstory="pays", llm=script, tools=made, verbose=False)
    task = Task(description="pay", expected_output="paid", agent=agent, **options)
    return await Crew(agents=[agent], tasks=[task], verbose=False).kickoff_async()


@asynccontextmanager
async def opened(tools: Tools, folder: Path, **options: Any) -> AsyncIterator[Any]:
    installed = install(**options)

    async def ask(*answers: Calls, client: int = 0, tools: Any = tools) -> list[Told]:
        script = Script(model="script", turns=list(answers))
        await run(script, tools)
        return [Told(text) for text in script.told]

    try:
        yield ask
    finally:
        installed.uninstall()


async def structured(tools: Tools, call: Call, sent: str, **options: Any) -> Any:
    installed = install(**options)
    try:
        result = await run(Script(model="script", turns=[[call]], output=sent), tools, output_pydantic=Answer)
        return result.pydantic.number
    finally:
        installed.uninstall()
