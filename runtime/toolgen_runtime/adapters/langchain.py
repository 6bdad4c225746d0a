"""LangChain and LangGraph: a middleware of `create_agent` that checks tool calls.

    create_agent(model, tools, middleware=[ToolgenMiddleware()])

A call that is refused is a `ToolMessage` with `status="error"`, whose `artifact` has what a host may want to know.
Calls whose arguments were not JSON, which LangChain sets aside (`invalid_tool_calls`), are answered the same way,
where they would end the agent without a word. Injected arguments are not the model's, and are not checked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Any

from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain_core.messages import AIMessage, ToolMessage

from toolgen_runtime.adapters._checks import Checks, facts
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation


class ToolgenMiddleware(AgentMiddleware[Any, Any]):
    """Checks every tool call against the schema that the model was shown; a turn is a conversation."""

    def __init__(self, tools: Any = (), **options: Any) -> None:
        """Take the tools, if they are known already, and the options of `toolgen_runtime.Registry`.

        Args:
            tools: a toolset, a registry or LangChain's tools; the agent's own are checked in any case.
            options: those of `toolgen_runtime.Registry`.
        """
        super().__init__()
        self._checks = Checks(tools or None, **options)

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Note which tools the model is shown; the request goes on as it is."""
        self._shown(request)
        return handler(request)

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """`wrap_model_call`, async."""
        self._shown(request)
        return await handler(request)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Refuse wrong arguments; let everything else through."""
        conversation = self._conversation(request.state)
        output = self._check(conversation, request)
        if output is None:
            return handler(request)
        if not output.ok:
            return _refusal(conversation.returned(output))
        try:
            result = handler(_with_repairs(request, output))
        except Exception as error:
            conversation.returned(output, error)
            raise
        conversation.returned(output, _result(result))
        return result

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """`wrap_tool_call`, async."""
        conversation = self._conversation(request.state)
        output = self._check(conversation, request)
        if output is None:
            return await handler(request)
        if not output.ok:
            return _refusal(conversation.returned(output))
        try:
            result = await handler(_with_repairs(request, output))
        except Exception as error:
            conversation.returned(output, error)
            raise
        conversation.returned(output, _result(result))
        return result

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """Answer the calls that LangChain could not read; ask the model again where it made no others."""
        last = _messages(state)[-1]
        if not isinstance(last, AIMessage) or not last.invalid_tool_calls:
            return None
        conversation = self._conversation(state)
        calls, messages = list(last.tool_calls), []
        for call in last.invalid_tool_calls:
            output = conversation.check(call["name"] or "", call["args"], call_id=call["id"])
            if output.ok:  # such as no arguments at all, for a tool that needs none
                calls.append({"name": output.tool, "args": output.payload, "id": output.call_id, "type": "tool_call"})
            elif call["id"]:
                messages.append(_refusal(conversation.returned(output)))
        if len(calls) > len(last.tool_calls):
            ...
        return {"messages": messages, **({} if calls else {"jump_to": "model"})}
