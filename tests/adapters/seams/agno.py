"""Agents of agno with the hook, and a model of scripted answers."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ["AGNO_TELEMETRY"] = "false"

from agno.agent import Agent
from agno.models.base import Model
from agno.models.response import ModelResponse

from seams.common import Calls, Told, Tools
from toolgen_adapters.agno import tool_hook

SHARES = True
LACKS = {
    "changed": "agno lists an agent's tools when a run begins",
    "servers": "its tools are functions here",
    "approval": "agno asks people before a hook sees the call",
    "handoff": "a member of a team has a separate run",
    "structured": "agno asks for it without a call",
    "cut off": "agno answers it before the hooks run",
    "cut off, streamed": "agno answers it before the hooks run",
    "times out": "agno has no timeout of tools",
}


@dataclass
class Script(Model):
    """A model that makes these calls, a list of them an answer, and then is done; `told` is what it is answered."""

    id: str = "script"
    turns: list[Any] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)

    def invoke(self, messages: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        results = [message for message in messages if message.role == "tool"]
        self.told = [Told(str(message.content), bool(message.tool_call_error)) for message in results]
        calls = self.turns.pop(0) if self.turns else []
        made = [
            {
                "id": f"{len(self.turns)}-{i}",
                "type": "function",
                "function": {"name": name, "arguments": text},
            }
            for i, (name, text) in enumerate(calls)
        ]
        return ModelResponse(role="assistant", content=None if made else "done", tool_calls=made)

    async def ainvoke(self, messages: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        return self.invoke(messages)

    def invoke_stream(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def ainvoke_stream(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def _parse_provider_response(self, response: Any, **kwargs: Any) -> ModelResponse:
        return response

    def _parse_provider_response_delta(self, response: Any) -> ModelResponse:
        return response


@asynccontextmanager
async def opened(tools: Tools, folder: Path, **options: Any) -> AsyncIterator[Any]:
    hook = tool_hook(**options)

    async def ask(*answers: Calls, client: int = 0, tools: Any = tools) -> list[Told]:
        script = Script(turns=list(answers))
        await Agent(model=script, tools=list(tools), tool_hooks=[hook], telemetry=False).arun("go")
        return script.told

    yield ask
