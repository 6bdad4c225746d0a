"""LangChain and LangGraph: a middleware for `create_agent` that checks tool calls.

    create_agent(model, tools, middleware=[ToolgenMiddleware()])

The result of a rejected call is a `ToolMessage` with `status="error"`; its `artifact` contains data for your
application. Calls whose arguments were not JSON (LangChain's `invalid_tool_calls`) get the same response. Without it,
they would end the agent's run. Injected arguments are not checked.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Unpack
from uuid import uuid4

from toolgen_adapters.call import Call
from toolgen_adapters.checks import HAS_QUESTIONS, AdapterOptions, Checks, framework, noted, reported
from toolgen_adapters.questions import KEY, answer_of, as_data
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.validation.issues import InvalidPayload, ValidationIssue
from toolgen_transcripts.codec.wire import PROVIDERS, wire_of

with framework("langchain", "langchain", "1.0.3"):
    from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
    from langchain.agents.middleware.types import PrivateStateAttr
    from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
    from langchain_core.tools import BaseTool, StructuredTool
    from langgraph.errors import GraphBubbleUp
    from langgraph.prebuilt.tool_node import INVALID_TOOL_NAME_ERROR_TEMPLATE
    from langgraph.types import Command, interrupt

__all__ = ["ToolgenMiddleware"]

_HIDDEN = {"self", "config", "run_manager"}
"""Names of LangChain's own parameters. As keys of arguments, they end the run or do not reach the tool."""
_WIRES = [wire_of(provider) for provider in PROVIDERS]
_STOP_KEYS = ("done_reason", *(wire.stop_key for wire in _WIRES))  # Ollama's is in no provider's table
"""The keys of the stop reason in `response_metadata`, as LangChain's integrations name them."""
_CUT_OFF = {name.lower() for wire in _WIRES for name, stop in wire.stops.items() if stop.finish == "length"}
"""The stop reasons with which providers mark a truncated message, in lower case."""


class RunState(AgentState[Any]):
    """The state of an agent, to which an identifier for its run is added."""

    toolgen_run: Annotated[str, PrivateStateAttr]


class ToolgenMiddleware(AgentMiddleware[Any, Any]):
    """Checks every tool call against the schema that the model has seen. Each run of an agent is a
    conversation.

    Put the middleware last in the list, so that it sees the tools that other middleware adds.
    """

    state_schema = RunState

    def __init__(self, tools: Any = (), **options: Unpack[AdapterOptions]) -> None:
        """Create the middleware.

        Args:
            tools: a toolset, a registry or LangChain's tools, if they are already known. The agent's tools are always
                checked.
            options: the options of `toolgen_runtime.Registry`.
        """
        super().__init__()
        self._checks = Checks("ToolgenMiddleware()", options, tools or None, HAS_QUESTIONS)
        self._outputs: set[str] = set()
        """The names of the tools for structured output."""

    def is_right(self, request: Any) -> bool:
        """Return whether a call will be accepted. The call is not counted.

        Use this method as the `when` of `HumanInTheLoopMiddleware`, so that people are not asked to approve wrong
        calls. If a run may continue in another process, pass `tools` to the constructor.
        """
        call, conversation = request.tool_call, self._conversation(request.state)
        return call["name"] not in conversation.registry or conversation.accepts(call["name"], call["args"])

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any]:  # noqa: ARG002
        """Give the run an identifier of its own. Several runs may share a message, and a run may continue in
        another process.
        """
        return {"toolgen_run": uuid4().hex}

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Record the tools that the model sees, and pass on the request unchanged."""
        self._learn(request)
        return handler(request)

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Do the same as `wrap_model_call`, asynchronously."""
        return await self.wrap_model_call(request, handler)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Reject a call that has wrong arguments, with a hint, and pass on any other."""
        call = self._check(request)
        if call is None:
            return self._named(request, handler(request))
        if not call.output.ok:
            return _refusal(call.output)
        with call.running(GraphBubbleUp):  # the call continues later
            result = handler(_runnable_request(request, call))
        return _counted(call, result)

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Do the same as `wrap_tool_call`, asynchronously."""
        call = self._check(request)
        if call is None:
            return self._named(request, await handler(request))
        if not call.output.ok:
            return _refusal(call.output)
        with call.running(GraphBubbleUp):
            result = await handler(_runnable_request(request, call))
        return _counted(call, result)

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """Respond to calls that LangChain could not parse. If there are no other calls, run the model again."""
        last = _last(state, BaseMessage)
        if not isinstance(last, AIMessage) or not last.invalid_tool_calls:
            return None
        conversation = self._conversation(state)
        runnable: list[Any] = []
        rest: list[Any] = []
        messages: list[Any] = []
        for call in last.invalid_tool_calls:
            output = _verdict(conversation, call, last).output
            # A call without arguments, of a tool that needs none.
            if output.ok and call["name"] not in self._outputs:
                runnable.append({**call, "args": output.payload, "type": "tool_call"})
                continue
            rest.append(call)
            if not output.ok and output.call_id is not None:  # without an id it cannot be answered
                messages.append(_refusal(output))
        calls = [*last.tool_calls, *runnable]
        if runnable:
            update = {"tool_calls": calls, "invalid_tool_calls": rest}
            messages.insert(0, last.model_copy(update=update))
        if not messages:
            return None
        return {"messages": messages} if calls else {"messages": messages, "jump_to": "model"}

    def _learn(self, request: Any) -> None:
        conversation = self._conversation(request.state)
        outputs = getattr(request.response_format, "schema_specs", ())
        self._outputs.update(output.name for output in outputs)
        tools = [tool for tool in request.tools if isinstance(tool, BaseTool)]
        self._checks.learn(conversation, {tool.name: tool for tool in (*tools, *outputs)})

    def _check(self, request: Any) -> Call | None:
        """Check a call. Return None if its tool is unknown or cannot be compiled."""
        call, conversation = request.tool_call, self._conversation(request.state)
        if request.tool is not None:
            self._checks.learn(conversation, {request.tool.name: request.tool})
        if call["name"] not in conversation.registry:
            return None  # another middleware may have the tool
        checked = _verdict(conversation, call, _last(request.state, AIMessage), can_ask=True)
        if checked.question is not None:
            # The graph stops here; when it continues, it makes the call again, and this returns the answer.
            given = interrupt({KEY: as_data(checked.question)})
            checked.answered(*answer_of(checked.question, given))
        return checked

    def _named(self, request: Any, result: Any) -> Any:
        """Return the result of a call that was not checked. If the tool does not exist, suggest similar names."""
        name = request.tool_call["name"]
        unknown = INVALID_TOOL_NAME_ERROR_TEMPLATE.partition("{available_tools}")[0].format(
            requested_tool=name
        )
        if (
            request.tool is not None
            or not isinstance(result, ToolMessage)
            or not result.text.startswith(unknown)
        ):
            return result
        conversation = self._conversation(request.state)
        return _refusal(_verdict(conversation, request.tool_call, _last(request.state, AIMessage)).output)

    def _conversation(self, state: Any) -> Conversation:
        # A graph gives an id to every message.
        asked, answer = _last(state, HumanMessage), _last(state, AIMessage)
        run = state.get("toolgen_run") if isinstance(state, Mapping) else getattr(state, "toolgen_run", None)
        return self._checks.conversation(run or (asked and asked.id), answer and answer.id)


class AnyKeys(StructuredTool):
    """A tool whose parameters may be named like those of LangChain itself."""

    def _run(self, /, **arguments: Any) -> Any:
        if self.func is None:
            raise NotImplementedError("StructuredTool does not support sync invocation.")
        return self.func(**arguments)

    async def _arun(self, /, **arguments: Any) -> Any:
        return self._run(**arguments) if self.coroutine is None else await self.coroutine(**arguments)


def _last(state: Any, kind: type[Any]) -> Any:
    """Return the last message of a class in a graph's state (a mapping, list or object); None if there is none."""
    if isinstance(state, Mapping):
        messages = state.get("messages") or ()
    else:
        messages = state if isinstance(state, list) else getattr(state, "messages", ())
    return next((message for message in reversed(messages) if isinstance(message, kind)), None)


def _verdict(conversation: Conversation, call: Any, message: Any, *, can_ask: bool = False) -> Call:
    """Check a call in a message."""
    cut = None if message is None else _cut_off(message, call["id"])
    call_id = call["id"] or None
    return Call(conversation, call["name"] or "", call["args"], call_id, problem=cut, can_ask=can_ask)


def _cut_off(message: Any, call_id: str | None) -> InvalidPayload | None:
    """Return the problem of a call that may be truncated; None for other calls.

    LangChain completes the JSON of a streamed call, so the arguments do not show this. Only the last call can be
    truncated, because the model writes its calls one after the other.
    """
    metadata = message.response_metadata or {}
    reason = next((metadata[key] for key in _STOP_KEYS if isinstance(metadata.get(key), str)), "")
    calls = [*message.tool_calls, *message.invalid_tool_calls] if reason.lower() in _CUT_OFF else ()
    if not calls or calls[-1]["id"] != call_id:
        return None
    return InvalidPayload("", [ValidationIssue((), "truncated", f"the model stopped with {reason[:60]}")])


def _runnable_request(request: Any, call: Call) -> Any:
    """Return the request with the changed arguments, and with a tool that accepts all their keys."""
    changes: dict[str, Any] = {}
    payload = call.output.payload
    if call.is_changed:
        changes["tool_call"] = {**request.tool_call, "args": payload}
    tool, hidden = request.tool, payload.keys() & _HIDDEN
    if hidden and isinstance(tool, StructuredTool) and isinstance(tool.args_schema, dict):
        changes["tool"] = AnyKeys.model_construct(**dict(tool))
    return request.override(**changes) if changes else request


def _refusal(output: ToolOutput) -> ToolMessage:
    return ToolMessage(
        output.text(),
        name=output.tool,
        tool_call_id=output.call_id or "",
        status="error",
        artifact={"toolgen": output.facts()},
    )


def _counted(call: Call, result: Any) -> Any:
    """Count a call, and return its message with the notes for the model, even if it is inside a graph command."""
    if isinstance(result, ToolMessage):
        return noted(result, call.ended(reported(result.text, result.status == "error")))
    update: Any = result.update if isinstance(result, Command) else None
    messages: Any = update.get("messages") if isinstance(update, Mapping) else None
    for place, message in enumerate(messages if isinstance(messages, list) else ()):
        if isinstance(message, ToolMessage) and message.tool_call_id == call.output.call_id:
            with_note = _counted(call, message)
            changed = [*messages[:place], with_note, *messages[place + 1 :]]
            return replace(result, update={**update, "messages": changed})
    call.ended(None)
    return result
