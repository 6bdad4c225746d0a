"""Agents of Strands with the hooks, and a model of scripted answers, which Strands always streams."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from cases import command, environment
from mcp import StdioServerParameters, stdio_client
from strands import Agent, tool
from strands.agent.agent_result import AgentResult
from strands.hooks import BeforeToolCallEvent, HookProvider, HookRegistry
from strands.models import Model
from strands.session import FileSessionManager
from strands.tools.mcp import MCPClient

from seams.common import Answer, Call, Calls, Desk, Told, Tools
from toolgen_adapters.strands import ToolgenHooks

LACKS = {
    "handoff": "an agent is a tool of another agent and has a separate conversation",
    "cut off": "Strands streams every answer; see the next scenario",
}
if not hasattr(BeforeToolCallEvent, "interrupt"):
    LACKS["approval"] = "this version has no interrupts"
if "structured_output" not in AgentResult.__annotations__:  # 1.11
    LACKS["structured"] = "this version asks for it without a call"
    LACKS["times out"] = "this version makes a text of a failure before a hook sees it"
TAKES_TEXT = True
SHARES = True


class Script(Model):
    """A model that makes these calls, a list of them an answer, and then is done."""

    def __init__(self, *answers: Calls, stop: str = "tool_use") -> None:
        self.turns = list(answers)
        self.stop = stop
        self.specs: list[Any] = []
        self.asked = 0

    def update_config(self, **config: Any) -> None:
        pass

    def get_config(self) -> Any:
        return {}

    def structured_output(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def stream(
        self, messages: Any, tool_specs: Any = None, *args: Any, **kwargs: Any
    ) -> AsyncIterator[Any]:
        self.specs, self.asked = tool_specs, self.asked + 1
        calls = self.turns.pop(0) if self.turns else []
        yield {"messageStart": {"role": "assistant"}}
        for index, (name, text) in enumerate(calls):
            use = {"name": name, "toolUseId": f"call_{self.asked}_{index}"}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": text}}}}
            yield {"contentBlockStop": {}}
        if not calls:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": self.stop if calls else "end_turn"}}


def listed(client: MCPClient) -> list[Any]:
    page = client.list_tools_sync()
    tools = list(page)
    while page.pagination_token:
        page = client.list_tools_sync(pagination_token=page.pagination_token)
        tools += page
    return tools


def told(agent: Agent) -> list[Told]:
    """What the results in the agent's history say, in the order of their calls."""
    blocks = [block for message in agent.messages for block in message["content"] if "toolResult" in block]
    results: list[Any] = sorted((b["toolResult"] for b in blocks), key=lambda result: result["toolUseId"])
    texts = ["\n".join(block["text"] for block in r["content"] if "text" in block) for r in results]
    return [Told(text, r["status"] == "error") for text, r in zip(texts, results, strict=True)]


@asynccontextmanager
async def opened(tools: str | Tools, folder: Path, **options: Any) -> AsyncIterator[Any]:
    hooks = ToolgenHooks(**options)
    agents: dict[int, Agent] = {}
    with ExitStack() as stack:
        client_of: Any = None
        if isinstance(tools, str):
            program, arguments = command(tools)
            params = StdioServerParameters(command=program, args=arguments, env=environment(tools, folder))
            client_of = await asyncio.to_thread(stack.enter_context, MCPClient(lambda: stdio_client(params)))

        server = tools

        async def ask(*answers: Calls, client: Any = 0, tools: Any = tools) -> list[Told]:
            client = client if tools is server else "other"
            made = (
                await asyncio.to_thread(listed, client_of)
                if isinstance(server, str)
                else list(map(tool, tools))
            )
            script = Script(*answers)
            agent = agents.setdefault(client, Agent(model=script, hooks=[hooks], callback_handler=None))
            agent.model = script
            agent.messages.clear()
            registry = agent.tool_registry.registry
            registry.update({one.tool_name: one for one in made})
            if hasattr(tools, "listeners"):
                tools.listeners.append(lambda function: registry.update({function.__name__: tool(function)}))
            await agent.invoke_async("go")
            for _ in range(20):  # some versions end in a task of their own
                await asyncio.sleep(0)
            return told(agent)

        yield ask


class Ask(HookProvider):
    """Asks a person about each call."""

    def register_hooks(self, registry: HookRegistry, **_: Any) -> None:
        registry.add_callback(BeforeToolCallEvent, self.ask)

    def ask(self, event: BeforeToolCallEvent) -> None:
        if not event.cancel_tool and event.interrupt("sure", reason="pay") != "yes":
            event.cancel_tool = "the user said no"


def with_people(tools: Tools, answers: Sequence[Any], folder: Path | None = None, **options: Any) -> Agent:
    hooks: Any = [ToolgenHooks(**options), Ask()]
    saved: Any = FileSessionManager("one", storage_dir=str(folder)) if folder else None
    given: list[Any] = list(map(tool, tools))
    return Agent(Script(*answers), tools=given, hooks=hooks, callback_handler=None, session_manager=saved)


def approved(interrupts: Any) -> Any:
    return [{"interruptResponse": {"interruptId": each, "response": "yes"}} for each in interrupts]


async def approval(tools: Tools, *answers: Calls, **options: Any) -> tuple[list[Told], int]:
    agent = with_people(tools, answers, **options)
    result, asked = await agent.invoke_async("go"), 0
    while result.stop_reason == "interrupt":
        asked += len(result.interrupts)
        result = await agent.invoke_async(approved(each.id for each in result.interrupts))
    return told(agent), asked


async def begun(tools: Tools, folder: Path, *answers: Calls, **options: Any) -> int:
    result = await with_people(tools, answers, folder, **options).invoke_async("go")
    (folder / "asked").write_text(json.dumps([each.id for each in result.interrupts]), "utf-8")
    return len(result.interrupts)


async def resumed(tools: Tools, folder: Path, *answers: Calls, **options: Any) -> list[Told]:
    agent = with_people(tools, answers, folder, **options)
    await agent.invoke_async(approved(json.loads((folder / "asked").read_text("utf-8"))))
    return told(agent)


ASKS: list[dict[str, Any]] = [] if "approval" in LACKS else [{}]


async def asking(given: list[Any], calls: Calls, **options: Any) -> Any:
    desk, questions = Desk(), list[Any]()
    script, hooks = Script(*([call] for call in calls)), ToolgenHooks(**options)
    agent = Agent(script, tools=[tool(desk.book), tool(desk.login)], hooks=[hooks], callback_handler=None)
    result = await agent.invoke_async("go")
    while result.stop_reason == "interrupt":
        (stop,) = result.interrupts
        questions.append(json.loads(json.dumps(stop.reason)))
        response = {"interruptId": stop.id, "response": given.pop(0)}
        result = await agent.invoke_async([{"interruptResponse": response}])
    return questions, told(agent), desk.ran


async def structured(tools: Tools, call: Call, sent: str, **options: Any) -> Any:
    script = Script([call], [("Answer", sent)])
    agent = Agent(
        model=script, tools=list(map(tool, tools)), hooks=[ToolgenHooks(**options)], callback_handler=None
    )
    result = await agent.invoke_async("go", structured_output_model=Answer)
    return result.structured_output.number


async def cut_off(tools: Tools, call: Call, streamed: bool, **options: Any) -> list[Told]:
    agent = Agent(
        model=Script([call]),
        tools=list(map(tool, tools)),
        hooks=[ToolgenHooks(**options)],
        callback_handler=None,
    )
    await agent.invoke_async("go")
    return told(agent)
