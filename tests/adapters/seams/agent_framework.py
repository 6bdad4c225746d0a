"""Agents of Microsoft's Agent Framework with the middleware, and a chat client of scripted answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    FunctionMiddleware,
    Message,
    ResponseStream,
    tool,
)

from seams.common import Call, Calls, Function, Told, Tools
from toolgen_adapters.agent_framework import toolgen_middleware

LACKS = {
    "servers": "its tools are functions here",
    "approval": "the framework asks people before middleware sees the call",
    "handoff": "an agent of a workflow has a separate run",
    "structured": "the API does this without a tool call",
    "times out": "the framework has no timeout of functions",
}
TAKES_TEXT = True
SHARES = True


class Script(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """A model that makes these calls, a list of them an answer, and then is done; `told` is what it is answered."""

    def __init__(self, *answers: Calls) -> None:
        super().__init__()
        self.answers = list(answers)
        self.told: list[Told] = []

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **kwargs: Any) -> Any:
        contents = [content for message in messages for content in message.contents]
        self.told = [Told(str(c.result)) for c in contents if c.type == "function_result"]
        calls = enumerate(self.answers.pop(0) if self.answers else [])
        ids = f"call-{len(self.answers)}"
        made = [
            Content.from_function_call(call_id=f"{ids}-{i}", name=name, arguments=text)
            for i, (name, text) in calls
        ]
        said = made or [Content.from_text("done")]
        if stream:
            return ResponseStream(_updates(said), finalizer=ChatResponse.from_updates)
        return _response(said)


async def _updates(said: list[Any]) -> AsyncIterator[ChatResponseUpdate]:
    for content in said:
        yield ChatResponseUpdate(role="assistant", contents=[content])


async def _response(said: list[Any]) -> ChatResponse:
    return ChatResponse(messages=[Message(role="assistant", contents=said)])


def made(function: Function) -> Any:
    return tool(function, approval_mode="never_require")


class Live(FunctionMiddleware):
    """Adds the functions that came during a run."""

    def __init__(self, tools: Tools) -> None:
        self._given = tools

    async def process(self, context: Any, call_next: Any) -> None:
        await call_next()
        known = {each.name for each in context.tools}
        context.add_tools([made(each) for each in self._given if each.__name__ not in known])


@asynccontextmanager
async def opened(tools: Tools, folder: Path, **options: Any) -> AsyncIterator[Any]:
    middleware = toolgen_middleware(**options)

    async def ask(*answers: Calls, client: int = 0, tools: Any = tools) -> list[Told]:
        script = Script(*answers)
        live = [*middleware, Live(tools)]
        await Agent(client=script, tools=list(map(made, tools)), middleware=live).run("go")
        return script.told

    yield ask
    await asyncio.sleep(0)


async def cut_off(tools: Tools, call: Call, streamed: bool, **options: Any) -> list[Told]:
    script = Script([call])
    agent = Agent(client=script, tools=list(map(made, tools)), middleware=toolgen_middleware(**options))
    if streamed:
        async for _ in agent.run("go", stream=True):
            pass
    else:
        await agent.run("go")
    return script.told
