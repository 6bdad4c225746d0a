"""The plugin of Google ADK, with a model of scripted answers and real MCP servers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from importlib.metadata import version
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool.mcp_toolset import McpToolset
from google.genai import types

from toolgen_runtime.adapters.google_adk import ToolgenPlugin

Call = tuple[str, dict[str, Any]]


class Script(BaseLlm):
    """A model that makes these calls, a list of them an answer, and then is done; `told` is what it is answered."""

    turns: list[list[Call]]
    told: list[Any]

    async def generate_content_async(self, request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:
        parts = [part for content in request.contents for part in content.parts]
        self.told[:] = [part.function_response.response for part in parts if part.function_response]
        calls = self.turns.pop(0) if self.turns else []
        made = [types.Part(function_call=types.FunctionCall(name=name, args=args)) for name, args in calls]
        content = types.Content(role="model", parts=made or [types.Part(text="done")])
        yield LlmResponse(content=content)


def run(tools: list[Any], *turns: list[Call], seconds: float = 60, **options: Any) -> list[Any]:
    """Run an agent with these turns; return what the model was answered."""
    model = Script(model="script", turns=list(turns), told=[])

    async def main() -> None:
        agent = LlmAgent(name="agent", model=model, tools=tools)
        runner = InMemoryRunner(agent, app_name="app", plugins=[ToolgenPlugin(**options)])
        session = await runner.session_service.create_session(app_name="app", user_id="u")
        message = types.Content(role="user", parts=[types.Part(text="go")])

        async def work() -> None:
            async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=message):
                pass

        try:
            await asyncio.wait_for(work(), seconds)
        finally:
            for tool in tools:
                if isinstance(tool, McpToolset):
                    await tool.close()

    asyncio.run(main())
    return model.told


def pay(amount: int) -> dict[str, Any]:
    """Pay."""
    if amount == 0:
        raise KeyError("no such account")
    return {"paid": amount}


def test_repairs_and_notes_of_function_tools() -> None:
    ended: list[Any] = []
    told = run(
        [pay],
        [("pay", {"amount": "3"})],
        [("pay", {"amount": 3, "amuont": 4})],
        repair=True,
        unknown_keys="note",
        on_call=lambda call: ended.append,
    )
    assert told[0] == {"paid": 3}
    assert told[1]["paid"] == 3
    assert '"amuont"' in told[1]["note"]
    assert all(output.ok for output in ended)


TELLS_OF_CANCELLATION = tuple(map(int, version("google-adk").split(".")[:2])) >= (2, 13)
CANCELED = pytest.param(
    0.5, None, marks=pytest.mark.skipif(not TELLS_OF_CANCELLATION, reason="ADK tells plugins from 2.13 on")
)


@pytest.mark.parametrize(("seconds", "ends"), [(60, "internal_error"), CANCELED])
def test_failures_and_cancellations_are_counted(seconds: float, ends: str | None) -> None:
    ended: list[Any] = []

    async def act(amount: int) -> str:
        """Act."""
        if ends is None:
            await asyncio.sleep(30)
        raise KeyError("no such account")

    with pytest.raises((KeyError, TimeoutError, asyncio.TimeoutError)):
        run([act], [("act", {"amount": 1})], seconds=seconds, on_call=lambda call: ended.append)
    assert [output and output.kind for output in ended] == [ends]
