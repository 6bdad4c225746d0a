"""LangChain and LangGraph: a middleware of `create_agent` that checks tool calls.

    create_agent(model, tools, middleware=[ToolgenMiddleware()])

A refused call gets a `ToolMessage` with `status="error"`, whose `artifact` has data for the host. Calls whose
arguments were not JSON (LangChain's `invalid_tool_calls`) get the same answer; without it they would end the agent's
run. Injected arguments are not checked.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Unpack

from toolgen_runtime.adapters._checks import Checks, failures_counted
from toolgen_runtime.adapters._framework import framework
from toolgen_runtime.adapters._incomplete_calls import refuse
from toolgen_runtime.calls.options import Options
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation

with framework("langchain"):
    from langchain.agents.middleware import AgentMiddleware, hook_config
    from langchain_core.messages import AIMessage, HumanMessage
    from langchain_core.tools import BaseTool
    from langgraph.errors import GraphBubbleUp

    from toolgen_runtime.adapters._langchain import (
        cut_off,
        last_id,
        messages_of,
        noted,
        output_tool,
        refusal,
        result_of,
        runnable_request,
        with_calls,
    )

_INTERRUPTS = (GraphBubbleUp,)
"""The call goes on later."""


class ToolgenMiddleware(AgentMiddleware[Any, Any]):
    """Checks every tool call against the schema that the model saw; a turn is a conversation."""

    def __init__(self, tools: Any = (), **options: Unpack[Options]) -> None:
        """Take the tools, if they are known already, and the options of `toolgen_runtime.Registry`.

        Args:
            tools: a toolset, a registry or LangChain's tools; the agent's own are checked in any case.
            options: the options of `toolgen_runtime.Registry`.
        """
        super().__init__()
        self._checks = Checks("ToolgenMiddleware()", tools or None, **options)
        self._outputs: dict[int, tuple[Any, Any]] = {}
        """The schemas of structured output by their ids, each with its tool."""

    def is_right(self, request: Any) -> bool:
        """Return whether a call will be accepted, without counting it.

        Use it as the `when` of `HumanInTheLoopMiddleware`, so that people are not asked to approve wrong calls. Pass
        `tools` to the constructor if a run may continue in another process.
        """
        call, conversation = request.tool_call, self._conversation(request.state)
        return call["name"] not in conversation.registry or conversation.accepts(call["name"], call["args"])

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Record the tools that the model sees; the request does not change."""
        self._shown(request)
        return handler(request)

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Return `wrap_model_call`, async."""
        self._shown(request)
        return await handler(request)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Refuse wrong arguments; pass all other calls on."""
        conversation = self._conversation(request.state)
        output = self._check(conversation, request)
        if output is None:
            return handler(request)
        if not output.ok:
            return refusal(output)
        with failures_counted(conversation, output, _INTERRUPTS):
            result = handler(runnable_request(request, output))
        return noted(result, conversation.returned(output, result_of(result)))

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Return `wrap_tool_call`, async."""
        conversation = self._conversation(request.state)
        output = self._check(conversation, request)
        if output is None:
            return await handler(request)
        if not output.ok:
            return refusal(output)
        with failures_counted(conversation, output, _INTERRUPTS):
            result = await handler(runnable_request(request, output))
        return noted(result, conversation.returned(output, result_of(result)))

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """Answer the calls that LangChain could not parse; if the model made no others, ask it again."""
        last: Any = next(reversed(messages_of(state)), None)
        if not isinstance(last, AIMessage) or not last.invalid_tool_calls:
            return None
        conversation = self._conversation(state)
        runnable: list[dict[str, Any]] = []
        messages: list[Any] = []
        outputs = {tool.name for _, tool in self._outputs.values()}
        for call in last.invalid_tool_calls:
            output = self._verdict(conversation, call, last)
            if output.ok and call["name"] in outputs:
                continue
            if output.ok:  # no arguments at all, for a tool that needs none
                runnable.append({**call, "args": output.payload, "type": "tool_call"})
            elif output.call_id is not None:  # without an id there is no way to answer
                messages.append(refusal(output))
        if runnable:
            messages.insert(0, with_calls(last, runnable))
        if not messages:
            return None
        asks_again = not (last.tool_calls or runnable)
        return {"messages": messages, **({"jump_to": "model"} if asks_again else {})}

    def _shown(self, request: Any) -> None:
        tools = [tool for tool in request.tools if isinstance(tool, BaseTool)]
        for spec in getattr(request.response_format, "schema_specs", ()):
            known, _ = self._outputs.get(id(spec), (None, None))
            if known is not spec:
                self._outputs[id(spec)] = spec, output_tool(spec)
            tools.append(self._outputs[id(spec)][1])
        self._checks.learn(self._conversation(request.state), *tools)

    def _check(self, conversation: Conversation, request: Any) -> ToolOutput | None:
        """Return the verdict on a call; None where the tool is there and cannot be checked."""
        call = request.tool_call
        if request.tool is not None:
            self._checks.learn(conversation, request.tool)
            if call["name"] not in conversation.registry:
                return None
        last = next(
            (each for each in reversed(messages_of(request.state)) if isinstance(each, AIMessage)), None
        )
        return self._verdict(conversation, call, last)

    def _verdict(self, conversation: Conversation, call: Any, message: Any) -> ToolOutput:
        """Return the verdict on a call of a message; one that is refused is counted."""
        name, call_id = call["name"] or "", call["id"] or None
        cut = message is not None and cut_off(message, call["id"])
        if cut:
            return refuse(conversation, name, call["args"], call_id=call_id, issues=(cut,))
        output = conversation.check(name, call["args"], call_id=call_id)
        return output if output.ok else conversation.returned(output)

    def _conversation(self, state: Any) -> Conversation:
        messages = messages_of(state)
        return self._checks.conversation(last_id(messages, HumanMessage), last_id(messages, AIMessage))
