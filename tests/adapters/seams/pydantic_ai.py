"""Agents of pydantic-ai with the capability, and a function for a model."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from cases import command, environment
from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, Tool, ToolApproved
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
)
from pydantic_ai.models.function import DeltaToolCall, FunctionModel
from pydantic_ai.toolsets import FunctionToolset

from seams.common import SLOW, Answer, Call, Calls, Desk, Function, Told, Tools
from toolgen_adapters.pydantic_ai import ToolgenCheck, answer

LACKS = {
    "handoff": "an agent is a tool of another agent and has a separate run",
    "noted": "a note stands in a part of its own",
}
TAKES_TEXT = True
SHARES = True
OWN_NAMES = True
"""An unknown name is answered before any hook."""


class Script:
    """A model that makes these calls, a list an answer; `told` is what it is answered."""

    def __init__(self, *answers: Calls) -> None:
        self.answers = list(answers)
        self.made = 0
        self.told: list[Told] = []

    def model(self, messages: list[Any], info: Any) -> ModelResponse:
        self.hear(messages)
        return ModelResponse(parts=[ToolCallPart(*call) for call in self.calls()] or [TextPart("done")])

    async def stream(self, messages: list[Any], info: Any) -> AsyncIterator[Any]:
        self.hear(messages)
        calls = self.calls()
        for index, (name, text, call_id) in enumerate(calls):
            yield {index: DeltaToolCall(name, text[:9], tool_call_id=call_id)}
            yield {index: DeltaToolCall(json_args=text[9:])}
        if not calls:
            yield "done"

    def hear(self, messages: list[Any]) -> None:
        parts = [part for part in messages[-1].parts if hasattr(part, "tool_call_id")] if self.made else []
        for part in sorted(parts, key=lambda part: str(part.tool_call_id)):
            text = part.content if isinstance(part.content, str) else json.dumps(part.content, default=str)
            outcome = "retried" if isinstance(part, RetryPromptPart) else getattr(part, "outcome", "success")
            self.told.append(Told(text, outcome != "success"))

    def calls(self) -> list[tuple[str, str, str]]:
        self.made += 1
        calls = self.answers.pop(0) if self.answers else ()
        return [(name, text, f"{self.made}-{index}") for index, (name, text) in enumerate(calls)]


def slow_tool(tool: Function) -> Any:
    try:
        return Tool(tool, timeout=SLOW / 2) if tool.__name__ == "slow" else tool
    except TypeError:  # of an older version
        return tool


@asynccontextmanager
async def opened(tools: str | Tools, folder: Path, **options: Any) -> AsyncIterator[Any]:
    check = ToolgenCheck(**options)
    async with AsyncExitStack() as stack:
        sets: list[Any] = []
        if isinstance(tools, str):
            program, arguments = command(tools)
            server = MCPToolset(StdioTransport(program, arguments, env=environment(tools, folder)))
            sets = [await stack.enter_async_context(server)]

        server = tools

        async def ask(*answers: Calls, client: int = 0, tools: Any = tools) -> list[Told]:
            script = Script(*answers)
            agent: Any = Agent(FunctionModel(script.model), toolsets=sets, capabilities=[check], retries=2)
            if not isinstance(server, str):

                @agent.toolset(per_run_step=True)
                def now(ctx: Any) -> Any:
                    return FunctionToolset([slow_tool(tool) for tool in tools])

            await agent.run("go")
            return script.told

        yield ask


def with_people(tools: Tools, script: Script, **options: Any) -> Any:
    return Agent(
        FunctionModel(script.model),
        tools=[Tool(tool, requires_approval=True) for tool in tools],
        output_type=[str, DeferredToolRequests],
        capabilities=[ToolgenCheck(**options)],
    )


async def approval(tools: Tools, *answers: Calls, **options: Any) -> tuple[list[Told], int]:
    script, asked = Script(*answers), 0
    agent = with_people(tools, script, **options)
    result = await agent.run("go")
    while isinstance(result.output, DeferredToolRequests):
        calls = [call.tool_call_id for call in result.output.approvals]
        asked += len(calls)
        approved = DeferredToolResults(approvals=dict.fromkeys(calls, True))
        result = await agent.run(message_history=result.all_messages(), deferred_tool_results=approved)
    return script.told, asked


async def begun(tools: Tools, folder: Path, *answers: Calls, **options: Any) -> int:
    result = await with_people(tools, Script(*answers), **options).run("go")
    (folder / "history").write_bytes(result.all_messages_json())
    calls = [call.tool_call_id for call in result.output.approvals]
    (folder / "calls").write_text(json.dumps(calls), "utf-8")
    return len(calls)


async def resumed(tools: Tools, folder: Path, *answers: Calls, **options: Any) -> list[Told]:
    script = Script(*answers)
    script.made = 1  # the other process has asked the model
    history = ModelMessagesTypeAdapter.validate_json((folder / "history").read_bytes())
    calls = json.loads((folder / "calls").read_text("utf-8"))
    approved = DeferredToolResults(approvals=dict.fromkeys(calls, True))
    agent = with_people(tools, script, **options)
    await agent.run(message_history=history, deferred_tool_results=approved)
    return script.told


ASKS: list[dict[str, Any]] = [{}, {"elsewhere": True}]
APPROVES = True
"""A person may approve a call without its answer."""
FORGETS = True
"""What follows a question is another run."""


async def asking(given: list[Any], calls: Calls, elsewhere: bool = False, **options: Any) -> Any:
    desk, script, questions = Desk(), Script(*([call] for call in calls)), list[Any]()

    def made() -> Any:
        tools, output = [desk.book, desk.login], [str, DeferredToolRequests]
        check = ToolgenCheck(**options)
        return Agent(FunctionModel(script.model), tools=tools, output_type=output, capabilities=[check])

    agent = made()
    result = await agent.run("go")
    while isinstance(result.output, DeferredToolRequests):
        approvals: dict[str, Any] = {}
        for call in result.output.approvals:
            question = json.loads(json.dumps(result.output.metadata[call.tool_call_id]))
            questions.append(question["toolgen"])
            said = given.pop(0)
            approvals[call.tool_call_id] = ToolApproved() if said is None else answer(question, said)
        agent = made() if elsewhere else agent
        results = DeferredToolResults(approvals=approvals)
        result = await agent.run(message_history=result.all_messages(), deferred_tool_results=results)
    return questions, script.told, desk.ran


async def structured(tools: Tools, call: Call, sent: str, **options: Any) -> Any:
    script = Script([call], [("final_result", sent)])
    agent: Any = Agent(
        FunctionModel(script.model), tools=tools, output_type=Answer, capabilities=[ToolgenCheck(**options)]
    )
    return (await agent.run("go")).output.number


async def cut_off(tools: Tools, call: Call, streamed: bool, **options: Any) -> list[Told]:
    script = Script([call])
    model = FunctionModel(script.model, stream_function=script.stream)
    agent: Any = Agent(model, tools=tools, capabilities=[ToolgenCheck(**options)])
    if not streamed:
        await agent.run("go")
        return script.told
    async with agent.run_stream("go") as result:
        await result.get_output()
    return script.told
