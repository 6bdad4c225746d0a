"""LangChain and LangGraph: a middleware of `create_agent` that checks tool calls.

    create_agent(model, tools, middleware=[ToolgenMiddleware()])

A call that is refused is a `ToolMessage` with `status="error"`, whose `artifact` has what a host may want to know.
Calls whose arguments were not JSON, which LangChain sets aside (`invalid_tool_calls`), are answered the same way,
where they would end the agent without a word. Injected arguments are not the model's, and are not checked.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Any

from toolgen_runtime.adapters._checks import Checks, facts, failures_counted
from toolgen_runtime.adapters._framework import framework
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation

with framework("langchain"):
    from langchain.agents.middleware import AgentMiddleware, hook_config
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
    from langchain_core.tools import BaseTool, StructuredTool
    from langgraph.errors import GraphBubbleUp

_INTERRUPTS = (GraphBubbleUp,)
"""The call goes on later."""


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
        """Return `wrap_model_call`, async."""
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
        with failures_counted(conversation, output, _INTERRUPTS):
            result = handler(_runnable(request, output))
        return _noted(result, conversation.returned(output, _result(result)))

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Return `wrap_tool_call`, async."""
        conversation = self._conversation(request.state)
        output = self._check(conversation, request)
        if output is None:
            return await handler(request)
        if not output.ok:
            return _refusal(conversation.returned(output))
        with failures_counted(conversation, output, _INTERRUPTS):
            result = await handler(_runnable(request, output))
        return _noted(result, conversation.returned(output, _result(result)))

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """Answer the calls that LangChain could not read; ask the model again where it made no others."""
        last: Any = next(reversed(_messages(state)), None)
        if not isinstance(last, AIMessage) or not last.invalid_tool_calls:
            return None
        conversation = self._conversation(state)
        runnable: list[dict[str, Any]] = []
        messages: list[Any] = []
        for call in last.invalid_tool_calls:
            output = conversation.check(call["name"] or "", call["args"], call_id=call["id"] or None)
            if output.ok:  # no arguments at all, for a tool that needs none
                runnable.append({**call, "args": output.payload, "type": "tool_call"})
            elif output.call_id is not None:  # without an id there is no way to answer
                messages.append(_refusal(conversation.returned(output)))
        if runnable:
            messages.insert(0, _with_calls(last, runnable))
        if not messages:
            return None
        asks_again = not (last.tool_calls or runnable)
        return {"messages": messages, **({"jump_to": "model"} if asks_again else {})}

    def _shown(self, request: Any) -> None:
        tools = [tool for tool in request.tools if isinstance(tool, BaseTool)]
        self._checks.learn(self._conversation(request.state), *tools)

    def _check(self, conversation: Conversation, request: Any) -> ToolOutput | None:
        """Return the verdict on a call; None where the tool is there and cannot be checked."""
        call = request.tool_call
        if request.tool is not None:
            self._checks.learn(conversation, request.tool)
            if call["name"] not in conversation.registry:
                return None
        return conversation.check(call["name"], call["args"], call_id=call["id"] or None)

    def _conversation(self, state: Any) -> Conversation:
        messages = _messages(state)
        return self._checks.conversation(_last_id(messages, HumanMessage), _last_id(messages, AIMessage))


def _messages(state: Any) -> Sequence[Any]:
    """Return the messages of a graph's state, in whichever of its forms."""
    if isinstance(state, Mapping):
        return state.get("messages") or ()
    return state if isinstance(state, list) else getattr(state, "messages", ())


def _last_id(messages: Sequence[Any], kind: type[Any]) -> Hashable:
    """Return the id of the last message of a kind, which a graph gives to every message; None where there is none."""
    return next((message.id for message in reversed(messages) if isinstance(message, kind)), None)


def _with_calls(message: AIMessage, calls: list[dict[str, Any]]) -> AIMessage:
    """Return a message of the same id in which these calls, set aside as invalid, are calls."""
    ids = [call["id"] for call in calls]
    rest = [call for call in message.invalid_tool_calls if call["id"] not in ids]
    return message.model_copy(
        update={"tool_calls": [*message.tool_calls, *calls], "invalid_tool_calls": rest}
    )


def _runnable(request: Any, output: ToolOutput) -> Any:
    """Return the request with what was repaired, and with a tool that takes these arguments, whatever their keys."""
    changes: dict[str, Any] = {}
    if output.repairs:
        changes["tool_call"] = {**request.tool_call, "args": output.payload}
    tool = request.tool
    if (
        isinstance(tool, StructuredTool)
        and isinstance(tool.args_schema, dict)
        and output.payload.keys() & _HIDDEN
    ):
        changes["tool"] = _AnyKeys.model_construct(**dict(tool))
    return request.override(**changes) if changes else request


_HIDDEN = {"self", "config", "run_manager"}
"""Parameters of LangChain's own: as keys of arguments they end the run, or never reach the tool."""


class _AnyKeys(StructuredTool):
    """A tool of a server that takes keys which are called as parameters of LangChain are."""

    def _run(self, /, **arguments: Any) -> Any:
        if self.func is None:
            raise NotImplementedError("StructuredTool does not support sync invocation.")
        return self.func(**arguments)

    async def _arun(self, /, **arguments: Any) -> Any:
        return self._run(**arguments) if self.coroutine is None else await self.coroutine(**arguments)


def _refusal(output: ToolOutput) -> ToolMessage:
    return ToolMessage(
        output.text(),
        name=output.tool,
        tool_call_id=output.call_id or "",
        status="error",
        artifact={"toolgen": facts(output)},
    )


def _result(result: Any) -> Any:
    """Return what a tool answered, in the form in which a conversation sees that it is an error."""
    if not isinstance(result, ToolMessage):
        return None  # a command to the graph
    return {"content": [{"type": "text", "text": result.text}], "isError": result.status == "error"}


def _noted(result: Any, output: ToolOutput) -> Any:
    """Return a tool's message with what the model is to read beside it, if there is anything."""
    if not output.notes or not isinstance(result, ToolMessage):
        return result
    note = "\n".join(output.notes)
    content = result.content
    noted = f"{content}\n{note}" if isinstance(content, str) else [*content, {"type": "text", "text": note}]
    return result.model_copy(update={"content": noted})
