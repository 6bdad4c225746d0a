"""Guarded agents of OpenAI's SDK, with a model of scripted answers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from agents import (
    Agent,
    FunctionTool,
    Model,
    ModelResponse,
    RunConfig,
    Runner,
    RunState,
    Usage,
    function_tool,
    handoff,
    set_tracing_disabled,
)
from agents.mcp import MCPServerStdio
from cases import command, environment
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from seams.common import SLOW, Answer, Call, Calls, Desk, Function, Told, Tools, texts
from toolgen_adapters.openai_agents import answer, guarded, near_names, question

set_tracing_disabled(True)
NEAR_NAMES = hasattr(RunConfig(), "tool_not_found_behavior")
LACKS: dict[str, str] = {}
if not hasattr(FunctionTool, "timeout_seconds"):
    LACKS["times out"] = "0.8 makes a text of a failure before a hook sees it"
if not hasattr(FunctionTool, "needs_approval"):
    LACKS["approval"] = "this version has no approval"
TAKES_TEXT = True
SHARES = True
OWN_NAMES = not NEAR_NAMES


class Script(Model):
    """A model that makes these calls, a list an answer, and then is done; `told` is what it is answered."""

    def __init__(self, *answers: Calls, output: str = "done") -> None:
        self.answers = list(answers)
        self.output = output
        self.told: list[str] = []
        self.tools: list[Any] = []

    async def get_response(
        self, system_instructions: Any, input: Any, model_settings: Any, tools: Any, *args: Any, **kwargs: Any
    ) -> ModelResponse:
        return ModelResponse(output=self.say(input, tools), usage=Usage(requests=1), response_id=None)

    async def stream_response(
        self, system_instructions: Any, input: Any, model_settings: Any, tools: Any, *args: Any, **kwargs: Any
    ) -> AsyncIterator[Any]:
        response = Response(
            id="r",
            created_at=1,
            model="m",
            object="response",
            output=self.say(input, tools),
            parallel_tool_calls=True,
            tool_choice="auto",
            tools=[],
        )
        yield ResponseCompletedEvent(type="response.completed", response=response, sequence_number=0)

    def say(self, input: Any, tools: Any) -> list[Any]:
        items = input if isinstance(input, list) else []
        outputs = [item["output"] for item in items if item.get("type") == "function_call_output"]
        self.told = list(map(texts, outputs))
        self.tools = tools
        if self.answers:
            calls = enumerate(self.answers.pop(0))
            ids = f"call_{id(self)}_{len(self.answers)}"
            return [
                ResponseFunctionToolCall(
                    type="function_call", call_id=f"{ids}_{i}", name=name, arguments=text
                )
                for i, (name, text) in calls
            ]
        text = ResponseOutputText(type="output_text", text=self.output, annotations=[])
        return [
            ResponseOutputMessage(
                id="m", type="message", role="assistant", status="completed", content=[text]
            )
        ]


def made(tool: Function, **options: Any) -> FunctionTool:
    """Return a function as a tool, with its schema as it is."""
    if tool.__name__ == "slow" and "times out" not in LACKS:
        options |= {"timeout": SLOW / 2}
    return function_tool(strict_mode=False, **options)(tool)


@asynccontextmanager
async def opened(tools: str | Tools, folder: Path, **options: Any) -> AsyncIterator[Any]:
    async with AsyncExitStack() as stack:
        servers: list[Any] = []
        if isinstance(tools, str):
            program, arguments = command(tools)
            # Older versions read the first page of a list alone.
            variables = environment(tools, folder) | {"ODD_PAGE": "100"}
            params: Any = {"command": program, "args": arguments, "env": variables}
            server = MCPServerStdio(params=params, client_session_timeout_seconds=60)
            servers = [await stack.enter_async_context(server)]
        shared = guarded(Agent(name="agent", mcp_servers=servers), **options)
        server = tools

        async def ask(*answers: Calls, client: int = 0, tools: Any = tools) -> list[Told]:
            agent = shared.clone(tools=[] if isinstance(server, str) else list(map(made, tools)))
            if hasattr(tools, "listeners"):
                tools.listeners.append(lambda tool: agent.tools.append(made(tool)))
            config = None
            if NEAR_NAMES:
                config = RunConfig(
                    tool_not_found_behavior="return_error_to_model", tool_error_formatter=near_names(agent)
                )
            script = Script(*answers)
            await Runner.run(agent.clone(model=script), "go", max_turns=20, run_config=config)
            return list(map(Told, script.told))

        yield ask


async def approval(
    tools: Tools,
    *answers: Calls,
    config: RunConfig | None = None,
    **options: Any,
) -> tuple[list[Told], int]:
    script, asked = Script(*answers), 0
    agent = with_people(tools, script, **options)
    result = await Runner.run(agent, "go", run_config=config)
    while result.interruptions:
        asked += len(result.interruptions)
        result = await Runner.run(agent, approved(result.to_state()), run_config=config)
    return list(map(Told, script.told)), asked


def with_people(tools: Tools, script: Script, **options: Any) -> Agent[Any]:
    given: list[Any] = [made(tool, needs_approval=True) for tool in tools]
    return guarded(Agent(name="agent", model=script, tools=given), **options)


def approved(state: Any) -> Any:
    for each in state.get_interruptions():
        state.approve(each)
    return state


def handing_off(tools: Tools, script: Script, **options: Any) -> Agent[Any]:
    given: list[Any] = [made(tool, needs_approval=True) for tool in tools]
    second = Agent(name="second", model=script, tools=given)
    first = Agent(name="first", model=Script([("transfer_to_second", "{}")]), handoffs=[second])
    return guarded(first, **options)


async def begun(tools: Tools, folder: Path, *answers: Calls, handed: bool = False, **options: Any) -> int:
    team = handing_off if handed else with_people
    result = await Runner.run(team(tools, Script(*answers), **options), "go")
    (folder / "saved").write_text(json.dumps(result.to_state().to_json()), "utf-8")
    return len(result.interruptions)


async def resumed(
    tools: Tools, folder: Path, *answers: Calls, handed: bool = False, **options: Any
) -> list[Told]:
    script, team = Script(*answers), handing_off if handed else with_people
    agent = team(tools, script, **options)
    saved = json.loads((folder / "saved").read_text("utf-8"))
    await Runner.run(agent, approved(await RunState.from_json(agent, saved)))
    return list(map(Told, script.told[-2:]))  # after the response to the handoff


ASKS: list[dict[str, Any]] = [] if "approval" in LACKS else [{}, {"elsewhere": True}]
APPROVES = True
"""A person may approve a call without its answer."""


async def asking(given: list[Any], calls: Calls, elsewhere: bool = False, **options: Any) -> Any:
    desk, script, questions = Desk(), Script(*([call] for call in calls)), list[Any]()

    def team() -> Agent[Any]:
        return guarded(Agent(name="a", model=script, tools=[made(desk.book), made(desk.login)]), **options)

    agent = team()
    result = await Runner.run(agent, "go")
    while result.interruptions:
        state = result.to_state()
        if elsewhere:
            agent = team()
            state = await RunState.from_json(agent, json.loads(json.dumps(state.to_json())))
        for item in state.get_interruptions():
            questions.append(await question(agent, item))
            if (said := given.pop(0)) is None:
                state.approve(item)
            else:
                answer(agent, state, item, said)
        result = await Runner.run(agent, state)
    return questions, list(map(Told, script.told)), desk.ran


async def handed_off(tools: Tools, call: Call, **options: Any) -> list[Told]:
    given: Any = [made(tool) for tool in tools]
    second = Script([call], [("transfer_to_a", "{}")])
    b = Agent(name="b", model=second, tools=list(given))
    first = Script([call], [("transfer_to_b", "{}")], [call])
    a = Agent(name="a", model=first, tools=list(given), handoffs=[b])
    b.handoffs = [handoff(a)]
    await Runner.run(guarded(a, **options), "go")
    return list(map(Told, first.told))


async def structured(tools: Tools, call: Call, sent: str, **options: Any) -> Any:
    agent = Agent(
        name="agent",
        model=Script([call], output=sent),
        tools=[made(tool) for tool in tools],
        output_type=Answer,
    )
    return (await Runner.run(guarded(agent, **options), "go")).final_output.number


async def cut_off(tools: Tools, call: Call, streamed: bool, **options: Any) -> list[Told]:
    script = Script([call])
    agent = guarded(Agent(name="agent", model=script, tools=[made(tool) for tool in tools]), **options)
    if streamed:
        result = Runner.run_streamed(agent, "go")
        async for _ in result.stream_events():
            pass
    else:
        await Runner.run(agent, "go")
    return list(map(Told, script.told))
