"""The plugin of Google ADK, with a model of scripted answers and real MCP servers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from cases import CASES, MISTAKE, PASSED, REPORTED, Case, Passed, command, environment
from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool.mcp_session_manager import StdioConnectionParams
from google.adk.tools.mcp_tool.mcp_toolset import McpToolset
from google.genai import types
from mcp import StdioServerParameters

from toolgen_runtime.adapters.google_adk import ToolgenPlugin

Call = tuple[str, dict[str, Any]]
OBJECTS = [case for case in CASES if case.arguments is not None]
"""The API sends objects, so other arguments never come."""


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


def served(server: str, folder: Path) -> McpToolset:
    program, arguments = command(server)
    variables = environment(server, folder) | {"ODD_PAGE": "100"}
    parameters = StdioServerParameters(command=program, args=arguments, env=variables)
    return McpToolset(connection_params=StdioConnectionParams(server_params=parameters, timeout=60))


@pytest.mark.parametrize("case", OBJECTS, ids=lambda case: case.name)
def test_a_wrong_call_is_answered_and_the_next_one_runs(case: Case, tmp_path: Path) -> None:
    tools = [served(case.server, tmp_path)]
    wrong, right = run(tools, [(case.tool, case.arguments or {})], [(case.next_tool, case.fixed)])
    assert all(part in wrong["error"] for part in case.told), wrong
    assert case.answer in _text(right)


def _text(response: Any) -> str:
    return "\n".join(block["text"] for block in response["content"] if block["type"] == "text")


@pytest.mark.parametrize("passed", PASSED, ids=lambda passed: passed.name)
def test_a_right_call_reaches_the_tool_whole(passed: Passed, tmp_path: Path) -> None:
    (answer,) = run([served(passed.server, tmp_path)], [(passed.tool, passed.arguments)])
    assert _text(answer) == passed.answer


def test_a_result_that_is_an_error_is_counted_as_one(tmp_path: Path) -> None:
    ended: list[Any] = []
    server, tool, arguments, says = REPORTED
    tools = [served(server, tmp_path)]
    (answer,) = run(tools, [(tool, arguments)], on_call=lambda call: ended.append)
    assert says in json.dumps(answer)
    assert [(output.kind, output.executed) for output in ended] == [("execution_error", True)]


def test_answers_are_compared_and_the_calls_of_one_are_not(tmp_path: Path) -> None:
    server, tool, arguments = MISTAKE
    at_once = run([served(server, tmp_path)], [(tool, arguments)] * 3)
    assert len({answer["error"] for answer in at_once}) == 1
    in_turn = run([served(server, tmp_path)], *([(tool, arguments)] for _ in range(3)))
    assert "It failed 3 times in the same way" in in_turn[2]["error"]


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
