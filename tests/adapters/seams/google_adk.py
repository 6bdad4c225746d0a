"""Agents of Google ADK with the plugin, and a model of scripted answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cases import command, environment
from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner, Runner
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.adk.tools import FunctionTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.mcp_tool.mcp_session_manager import StdioConnectionParams
from google.adk.tools.mcp_tool.mcp_toolset import McpToolset
from google.genai import types
from mcp import StdioServerParameters

from seams.common import Answer, Call, Calls, Told, Tools, parsed, texts
from toolgen_adapters.google_adk import ToolgenPlugin

LACKS = {
    "cut off": "the API sends objects",
    "cut off, streamed": "the API sends objects",
}
if tuple(map(int, version("google-adk").split(".")[:2])) < (2, 13):
    LACKS["cancelled"] = "ADK tells plugins from 2.13 on"
SHARES = True
CONFIRMATION = "adk_request_confirmation"


class Script(BaseLlm):
    """A model that makes these calls, a list of them an answer, and then is done; `told` is what it is answered."""

    answers: list[Any]
    told: list[Told]
    output: str = "done"

    async def generate_content_async(self, request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:
        parts = [part for content in request.contents for part in content.parts]
        responses = [part.function_response for part in parts if part.function_response]
        self.told[:] = [_told(r.response) for r in responses if r.name != "transfer_to_agent"]
        calls = self.answers.pop(0) if self.answers else []
        made = [
            types.Part(function_call=types.FunctionCall(name=name, args=parsed(sent))) for name, sent in calls
        ]
        content = types.Content(role="model", parts=made or [types.Part(text=self.output)])
        yield LlmResponse(content=content)


def _told(response: Any) -> Told:
    if "error" in response:
        return Told(str(response["error"]), True)
    if "content" in response:
        notes = [{"text": response["note"]}] if "note" in response else []
        return Told(texts([*response["content"], *notes]), bool(response.get("isError")))
    return Told("\n".join(map(str, response.values())), False)


async def said(runner: Runner, session: Any, *parts: types.Part) -> list[Any]:
    """Say something to an agent; return the events that follow."""
    message = types.Content(role="user", parts=list(parts))
    running = runner.run_async(user_id="u", session_id=session.id, new_message=message)
    return [event async for event in running]


async def run(agent: Any, plugin: ToolgenPlugin) -> tuple[Any, Any, list[Any]]:
    runner = InMemoryRunner(agent, app_name="app", plugins=[plugin])
    session = await runner.session_service.create_session(app_name="app", user_id="u")
    return runner, session, await said(runner, session, types.Part(text="go"))


def toolset(server: str, folder: Path, **options: Any) -> McpToolset:
    program, arguments = command(server)
    variables = environment(server, folder) | {"ODD_PAGE": "100"}
    parameters = StdioServerParameters(command=program, args=arguments, env=variables)
    connection = StdioConnectionParams(server_params=parameters, timeout=60)
    return McpToolset(connection_params=connection, **options)


class Live(BaseToolset):
    """The tools that there are now, listed at each request to the model as ADK's skills are."""

    def __init__(self, tools: Tools) -> None:
        super().__init__()
        self._use_invocation_cache = False
        self._given = tools

    async def get_tools(self, readonly_context: Any = None) -> list[Any]:
        return list(map(FunctionTool, self._given))


@asynccontextmanager
async def opened(tools: str | Tools, folder: Path, **options: Any) -> AsyncIterator[Any]:
    plugin = ToolgenPlugin(**options)
    servers: list[Any] = []
    if isinstance(tools, str):
        servers = [toolset(tools, folder)]

    async def ask(*answers: Calls, client: int = 0, tools: Any = tools) -> list[Told]:
        script = Script(model="script", answers=list(answers), told=[])
        await run(LlmAgent(name="agent", model=script, tools=servers or [Live(tools)]), plugin)
        return list(script.told)

    try:
        yield ask
    finally:
        await asyncio.gather(*(server.close() for server in servers))


def with_people(
    tools: Tools, service: Any, answers: Sequence[Any], handed: bool = False, **options: Any
) -> tuple[Script, Runner]:
    given: list[Any] = [FunctionTool(tool, require_confirmation=True) for tool in tools]
    script = Script(model="script", answers=list(answers), told=[])
    agent, plugins = LlmAgent(name="agent", model=script, tools=given), [ToolgenPlugin(**options)]
    if handed:
        first = Script(model="a", answers=[[("transfer_to_agent", '{"agent_name": "agent"}')]], told=[])
        agent = LlmAgent(name="first", model=first, sub_agents=[agent])
    return script, Runner(agent=agent, app_name="app", session_service=service, plugins=plugins)


def questions(events: list[Any]) -> list[Any]:
    return [c for event in events for c in event.get_function_calls() if c.name == CONFIRMATION]


def confirmed(calls: list[Any]) -> list[types.Part]:
    given = {"name": CONFIRMATION, "response": {"confirmed": True}}
    return [types.Part(function_response=types.FunctionResponse(id=call.id, **given)) for call in calls]


async def approval(tools: Tools, *answers: Calls, **options: Any) -> tuple[list[Told], int]:
    service, asked = InMemorySessionService(), 0
    script, runner = with_people(tools, service, answers, **options)
    session = await service.create_session(app_name="app", user_id="u")
    events = await said(runner, session, types.Part(text="go"))
    while calls := questions(events):
        asked += len(calls)
        events = await said(runner, session, *confirmed(calls))
    return list(script.told), asked


async def begun(tools: Tools, folder: Path, *answers: Calls, **options: Any) -> int:
    service = SqliteSessionService(str(folder / "saved.db"))
    session = await service.create_session(app_name="app", user_id="u", session_id="s")
    _, runner = with_people(tools, service, answers, **options)
    return len(questions(await said(runner, session, types.Part(text="go"))))


async def resumed(tools: Tools, folder: Path, *answers: Calls, **options: Any) -> list[Told]:
    service = SqliteSessionService(str(folder / "saved.db"))
    session: Any = await service.get_session(app_name="app", user_id="u", session_id="s")
    script, runner = with_people(tools, service, answers, **options)
    await said(runner, session, *confirmed(questions(session.events)))
    return list(script.told)


async def handed_off(tools: Tools, call: Call, **options: Any) -> list[Told]:
    first = Script(
        model="a", answers=[[call], [("transfer_to_agent", '{"agent_name": "b"}')], [call]], told=[]
    )
    second = Script(model="b", answers=[[call], [("transfer_to_agent", '{"agent_name": "a"}')]], told=[])
    given: list[Any] = list(tools)
    b = LlmAgent(name="b", model=second, tools=given)
    await run(LlmAgent(name="a", model=first, tools=given, sub_agents=[b]), ToolgenPlugin(**options))
    return list(first.told)


async def structured(tools: Tools, call: Call, sent: str, **options: Any) -> Any:
    script = Script(model="script", answers=[[call], [("set_model_response", sent)]], told=[], output=sent)
    agent = LlmAgent(name="agent", model=script, tools=list(tools), output_schema=Answer)
    _, _, events = await run(agent, ToolgenPlugin(**options))
    (text,) = [p.text for p in events[-1].content.parts if p.text]
    return parsed(text)["number"]
