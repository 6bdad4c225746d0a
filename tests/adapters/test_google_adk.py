"""The plugin of Google ADK, with a model of scripted answers, beyond the scenarios of all frameworks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.tools import BaseTool
from google.genai import types
from seams.common import Call, Told
from seams.google_adk import Script, opened, run as run_agent, toolset

from toolgen_adapters.google_adk import ToolgenPlugin


def run(tool: Any, *calls: Call, **options: Any) -> list[Told]:
    """Run an agent whose model makes these calls, one an answer; return what it is told."""

    async def main() -> list[Told]:
        async with opened([tool], Path(), **options) as ask:
            return list(await ask(*([call] for call in calls)))

    return asyncio.run(main())


def pay(amount: int, memo: str = "") -> dict[str, Any]:
    """Pay."""
    return {"paid": amount}


def test_the_present_schema_of_a_server_that_changes_during_an_invocation() -> None:
    calls = [("shape", '{"sides": "3"}'), ("grow", "{}"), ("shape", '{"sides": "3"}'), ("shape", "{}")]

    async def main() -> list[Told]:
        server = toolset("odd", Path(), tool_name_prefix="a")
        script = Script(model="m", answers=[[(f"a_{name}", sent)] for name, sent in calls], told=[])
        await run_agent(LlmAgent(name="agent", model=script, tools=[server]), ToolgenPlugin())
        await server.close()
        return script.told

    told = [each.text for each in asyncio.run(main())]
    assert told[0].startswith('a_shape was not run. sides: change "3" to 3')
    assert told[1:3] == ["ran grow {}", 'ran shape {"sides": "3"}']
    assert 'add the key "sides" (string)' in told[3]


def test_failures_are_counted() -> None:
    ended: list[Any] = []

    def act(amount: int) -> str:
        """Act."""
        raise KeyError("no such account")

    with pytest.raises(KeyError):
        run(act, ("act", '{"amount": 1}'), on_call=lambda call: ended.append)
    assert [output.kind for output in ended] == ["internal_error"]


def agent_of(name: str, tool: Any, call: Call) -> LlmAgent:
    return LlmAgent(name=name, model=Script(model=name, answers=[[call]], told=[]), tools=[tool])


async def responses(agent: Any) -> list[Any]:
    _, _, events = await run_agent(agent, ToolgenPlugin())
    return [each.response for event in events for each in event.get_function_responses()]


class Odd(BaseTool):
    """A tool whose schema is wrong."""

    def __init__(self) -> None:
        super().__init__(name="odd", description="Odd.")

    def _get_declaration(self) -> Any:
        schema = {"type": "object", "properties": {"x": {"type": "strin"}}}
        return types.FunctionDeclaration(name="odd", parameters_json_schema=schema)

    async def run_async(self, *, args: Any, tool_context: Any) -> Any:
        return {"ran": args}


def test_a_tool_that_cannot_be_compiled_runs_and_is_said_once(caplog: Any) -> None:
    assert asyncio.run(responses(agent_of("agent", Odd(), ("odd", "{}")))) == [{"ran": {}}]
    said = [record for record in caplog.records if record.name == "toolgen_adapters"]
    assert len(said) == 1
    assert "odd" in said[0].getMessage()
