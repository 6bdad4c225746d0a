"""Microsoft Agent Framework: middleware that returns a hint for wrong arguments before the function runs.

    Agent(..., middleware=toolgen_middleware())

A function middleware checks the calls. The framework would convert the arguments first, so a chat middleware records
them as the model wrote them; it also begins the rounds. A run is a conversation. The framework itself responds to
unknown tools, and asks people to approve a call before the middleware sees it.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from typing import Any, Unpack

from toolgen_adapters.checks import AdapterOptions, Checks, framework, reported
from toolgen_runtime.calls.recent import Recent, Same
from toolgen_runtime.conversation import Conversation

with framework("agent-framework", "agent-framework-core", "1.20"):
    from agent_framework import (
        ChatContext,
        ChatMiddleware,
        ChatResponse,
        Content,
        FunctionInvocationContext,
        FunctionMiddleware,
        MiddlewareTermination,
    )

__all__ = ["toolgen_middleware"]

Next = Callable[[], Awaitable[None]]


def toolgen_middleware(**options: Unpack[AdapterOptions]) -> list[FunctionMiddleware | ChatMiddleware]:
    """Return the middleware for an agent. `options` are the options of `toolgen_runtime.Registry`."""
    runs = _Runs(Checks("toolgen_middleware()", options))
    return [CheckCalls(runs), RecordArguments(runs)]


class _Runs:
    """The conversations of all runs, and the arguments of their calls as the model wrote them."""

    def __init__(self, checks: Checks) -> None:
        self.checks = checks
        self.sent: Recent[Hashable, Any] = Recent()

    def conversation(self, tools: Any) -> Conversation:
        """Return the conversation of a run, which is identified by its list of tools."""
        return self.checks.conversation(None if tools is None else Same(tools))

    def record(self, tools: Any, response: ChatResponse) -> None:
        """Begin a round, and record the arguments of the calls in a response."""
        self.conversation(tools).begin_round()
        for content in (content for message in response.messages for content in message.contents):
            if content.type == "function_call":
                self.sent[Same(tools), content.call_id] = content.arguments


class RecordArguments(ChatMiddleware):
    """Records the arguments of all calls in a response, as the model wrote them."""

    def __init__(self, runs: _Runs) -> None:
        self._runs = runs

    async def process(self, context: ChatContext, call_next: Next) -> None:
        """Record the calls in a response. Wait for the end of a streamed one."""
        tools = (context.options or {}).get("tools")
        if context.stream:
            context.stream_result_hooks.append(lambda response: self._runs.record(tools, response))
        await call_next()
        if isinstance(context.result, ChatResponse):
            self._runs.record(tools, context.result)


class CheckCalls(FunctionMiddleware):
    """Rejects calls that have wrong arguments, with a hint, and lets the framework run all others."""

    def __init__(self, runs: _Runs) -> None:
        self._runs = runs

    async def process(self, context: FunctionInvocationContext, call_next: Next) -> None:
        """Check a call. If it is accepted, run and count it."""
        function, call_id = context.function, context.metadata.get("call_id")
        given = context.arguments
        if hasattr(given, "model_dump"):
            mapping: dict[str, Any] = given.model_dump()
        else:
            mapping = dict(given)
        unread: Any = mapping
        if mapping.keys() == {"raw"}:
            unread = mapping["raw"]  # the framework's form of malformed JSON
        sent = self._runs.sent.get((Same(context.tools), call_id), unread)
        conversation = self._runs.conversation(context.tools)
        call = self._runs.checks.check(conversation, function.name, sent, function, call_id)
        if call is None:
            await call_next()
            return
        if not call.output.ok:
            context.result = call.output.text()
            return
        if call.output.repairs:
            context.arguments = call.output.payload
        with call.running(MiddlewareTermination):
            await call_next()
        result = context.result
        if isinstance(result, list):
            blocks = result
        else:
            blocks = [Content.from_text(str(result))]
        note = call.ended(reported("\n".join(block.text or "" for block in blocks), False))
        if note:
            context.result = [*blocks, Content.from_text(note)]
