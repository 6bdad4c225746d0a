"""OpenAI Agents: tools that reject wrong arguments and return a hint before they run.

    agent = guarded(Agent(...))
    MCPServerStdio(..., tool_input_guardrails=[toolgen_guardrail(tools)])

`guarded` checks the arguments that the model wrote just before the SDK runs the tool. The tool therefore receives
repaired arguments, and its result, failure or cancellation is counted. A guardrail cannot change the arguments and does
not see the result, so `toolgen_guardrail` does not accept `repair`, `check_results`, and `unknown_keys="note"` or
`"drop"`.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

import copy
import json
import time
from asyncio import CancelledError
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import Any, Unpack
from weakref import ref

from toolgen_adapters.call import Asking, Call
from toolgen_adapters.checks import FRAMEWORK_RUNS, HAS_QUESTIONS, AdapterOptions, Checks, framework
from toolgen_adapters.questions import answer_of, as_data
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.calls.recent import Recent, Same
from toolgen_runtime.calls.user_question import UserQuestion
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.hints import unknown_tool
from toolgen_runtime.validation.issues import InvalidPayload

with framework("openai-agents", "openai-agents", "0.8"):
    from agents import (
        Agent,
        FunctionTool,
        Handoff,
        RunContextWrapper,
        SpanError,
        ToolGuardrailFunctionOutput,
        ToolInputGuardrail,
        ToolInputGuardrailData,
        get_current_span,
    )
    from agents.mcp import MCPServer

__all__ = ["guarded", "near_names", "toolgen_guardrail"]


@dataclass
class Verdict(ToolGuardrailFunctionOutput):
    """The result of the guardrail. `output_info` contains the issues as dicts, and `checked` is the output of
    the check.
    """

    checked: ToolOutput | None = None


_SEES_ARGUMENTS_ALONE = "a guardrail cannot change the arguments and does not see the result; guarded() can"
_GUARDRAIL_CANNOT = {**FRAMEWORK_RUNS, "repair": _SEES_ARGUMENTS_ALONE}
_GUARDRAIL_CANNOT_BE = {"unknown_keys": ("note", "drop"), "check_results": ("note", "reject")}


def toolgen_guardrail(tools: Any, **options: Unpack[AdapterOptions]) -> ToolInputGuardrail[Any]:
    """Return a guardrail for the `tool_input_guardrails` of a `FunctionTool` or an MCP server.

    Each run is a conversation. Calls to tools that are not in `tools` are not checked.

    Args:
        tools: a registry, a toolset, or the SDK's tools (`FunctionTool`s, or the tools of an MCP server).
        options: the options of `toolgen_runtime.Registry`.

    Raises:
        TypeError: a guardrail cannot use one of the options.
    """
    for name, values in _GUARDRAIL_CANNOT_BE.items():
        if options.get(name) in values:
            why = _SEES_ARGUMENTS_ALONE
            raise TypeError(f'toolgen_guardrail() cannot honor {name}="{options.get(name)}": {why}')
    options.setdefault("unknown_keys", "schema")
    checks = Checks("toolgen_guardrail()", options, tools, _GUARDRAIL_CANNOT)

    def check(data: ToolInputGuardrailData) -> Verdict:
        context = data.context
        conversation = _conversation(checks, context)
        name, arguments, call_id = context.tool_name, context.tool_arguments, context.tool_call_id
        call = checks.check(conversation, name, arguments, call_id=call_id)
        if call is None:
            return Verdict.allow()
        issues: list[Any] = []
        if call.output.error and isinstance(call.output.error.cause, InvalidPayload):
            issues = [issue.to_dict() for issue in call.output.error.cause.issues()]
        if call.output.ok:
            verdict = Verdict.allow(issues)
        else:
            verdict = Verdict.reject_content(_rejected(call), issues)
        verdict.checked = call.output
        if call.output.ok:
            call.ended(None)  # counted now: a guardrail does not see how a call ends
        return verdict

    return ToolInputGuardrail(guardrail_function=check, name="toolgen")


def guarded(agent: Agent[Any], **options: Unpack[AdapterOptions]) -> Agent[Any]:
    """Return a copy of an agent that checks the calls of its function tools and MCP servers.

    Each call is checked against the schema that the model saw, after the SDK has rewritten it for strict mode. Calls to
    tools that are added later, calls of copies of the agent, and calls of agents that a handoff leads to are checked
    too. People are not asked to approve wrong calls. The original agent, its tools and its servers do not change.

    Args:
        agent: the agent.
        options: the options of `toolgen_runtime.Registry`.
    """
    return _Guard(Checks("guarded()", options, cannot=HAS_QUESTIONS)).agent(agent)


async def question(agent: Agent[Any], item: Any) -> dict[str, Any] | None:
    """Return the question that has interrupted a run of `guarded(agent, ask=True)`.

    Return None if the interruption asks for an approval.

    Args:
        agent: the guarded agent whose run was interrupted.
        item: one of the interruptions in its result or state.

    Returns:
        The `message` to show to the user, and as `schema` a form with one field. Pass the user's response to `answer`.
    """
    guard, call = _guard_of(agent), item.raw_item
    call_id = call.call_id
    if call_id not in guard.questions:  # another process has asked
        for tool in await agent.get_all_tools(RunContextWrapper(None)):
            if isinstance(tool, FunctionTool) and tool.name == call.name:
                guard.checks.learn(guard.resumed, {tool.name: tool})
        guard.ask(guard.resumed, call.name, call.arguments, call_id)
    asked = guard.questions.get(call_id)
    if asked is None:
        return None
    return as_data(asked)


def answer(agent: Agent[Any], state: Any, item: Any, given: Any) -> None:
    """Pass on the user's response to a `question`. Call this in the process that resumes the run.

    Args:
        agent: the guarded agent with which the run continues.
        state: the state of the run.
        item: the interruption.
        given: `{"action": "accept", "content": {...}}` as in MCP's elicitation, with "decline" or "cancel" too; only
            the content; only the value; or None if the user closed the question.
    """
    _guard_of(agent).answers[item.raw_item.call_id] = given
    state.approve(item)  # the tool's check then completes the call, or tells the model that there is no value


def _guard_of(agent: Agent[Any]) -> _Guard:
    guard = getattr(agent, "toolgen_guard", None)
    if not isinstance(guard, _Guard):
        raise TypeError(f"{agent.name} is not an agent that guarded() returned")
    return guard


def near_names(agent: Agent[Any]) -> Callable[[Any], Awaitable[str | None]]:
    """Return a `tool_error_formatter` that suggests similar names if a model calls a tool that does not
    exist.

    Use it in `RunConfig(tool_not_found_behavior="return_error_to_model", tool_error_formatter=near_names(agent))`,
    which needs SDK 0.18 or later. Without this setting, an unknown name ends the run.
    """

    async def text(args: Any) -> str | None:
        if args.kind != "tool_not_found":
            return None
        names = [tool.name for tool in await agent.get_all_tools(args.run_context)]
        return unknown_tool(args.tool_name, names, None).render()

    return text


class _Guard:
    """Copies an agent, and the agents to which it hands off, and adds checks to their tools."""

    def __init__(self, checks: Checks) -> None:
        self.checks = checks
        self.resumed = checks.conversation(None)
        """The conversation of questions that another process has asked."""
        self.questions: Recent[str, UserQuestion] = Recent()
        """The questions about calls that wait for an answer, by the calls' ids."""
        self.answers: Recent[str, Any] = Recent()
        """The user's answers, by the calls' ids."""
        self._agents: dict[Same, Agent[Any]] = {}
        """The guarded clones of agents, kept because handoffs can form a cycle."""
        self._tools: Recent[Same, FunctionTool] = Recent()  # MCP tools are new each time

    def ask(self, conversation: Conversation, name: str, arguments: Any, call_id: str) -> bool:
        """Return whether the user is to be asked about a call."""
        found = conversation.question(conversation.verdict(name, arguments, call_id=call_id))
        if found is not None:
            self.questions[call_id] = found
        return found is not None

    def agent(self, agent: Agent[Any]) -> Agent[Any]:
        """Return the checked copy of an agent, which is created only once."""
        if getattr(agent, "toolgen_guard", None) is self:
            return agent
        clone = self._agents.get(Same(agent))
        if clone is None:
            clone = self._agents[Same(agent)] = agent.clone(handoffs=[])
            clone.__class__ = self._guarded_class(type(agent))
            # A run that is resumed from JSON looks for its agent among the handoffs before any tools are listed.
            clone.handoffs = list(map(self._handoff, agent.handoffs))
        return clone

    def _guarded_class(self, kind: Any) -> Any:
        guard = self

        class Guarded(kind):
            """A class that checks the tools of an agent, and those of the agents that it hands over to."""

            toolgen_guard = guard

            async def get_all_tools(self, run_context: Any) -> list[Any]:
                self.handoffs[:] = map(guard._handoff, self.handoffs)
                return [guard._tool(tool) for tool in await super().get_all_tools(run_context)]

        Guarded.__name__, Guarded.__qualname__ = kind.__name__, kind.__qualname__
        return Guarded

    def _handoff(self, target: Any) -> Any:
        if isinstance(target, Agent):
            return self.agent(target)
        invoke = target.on_invoke_handoff
        if not isinstance(target, Handoff) or hasattr(invoke, "toolgen_guard"):
            return target

        @wraps(invoke)
        async def on_invoke_handoff(*args: Any) -> Any:
            found = await invoke(*args)
            if isinstance(found, Agent):
                return self.agent(found)
            return found

        on_invoke_handoff.toolgen_guard = self  # type: ignore[attr-defined]
        checked = replace(target, on_invoke_handoff=on_invoke_handoff)
        known: Any = getattr(target, "_agent_ref", lambda: None)
        found = known and known()
        if isinstance(found, Agent):
            checked._agent_ref = ref(self.agent(found))
        return checked

    def _tool(self, tool: Any) -> Any:
        """Return a checked copy of a function tool, which is the same at each call. Return any other tool unchanged."""
        if not isinstance(tool, FunctionTool) or hasattr(tool.on_invoke_tool, "toolgen_guard"):
            return tool
        twin = self._tools.get(Same(tool))
        if twin is None:
            twin = self._tools[Same(tool)] = _twin(tool, self)
        return twin


def _twin(tool: FunctionTool, guard: _Guard) -> FunctionTool:
    """Return a copy of a tool that checks a call before the tool runs."""
    twin, checks = copy.copy(tool), guard.checks

    async def on_invoke_tool(context: Any, text: str) -> Any:
        begun = time.monotonic()
        conversation = _conversation(checks, context)
        call_id = getattr(context, "tool_call_id", None)
        key = call_id or ""
        was_asked = key in guard.questions or key in guard.answers
        asking: Asking = {"can_ask": was_asked, "is_repeated": was_asked}
        call = checks.check(conversation, tool.name, text, tool, call_id, **asking)
        if call is None:
            return await tool.on_invoke_tool(context, text)
        if call.question is not None:
            call.answered(*answer_of(call.question, guard.answers.pop(key, None)))
        guard.questions.pop(key, None)
        if not call.output.ok:
            return _rejected(call)
        if call.is_changed:
            text = json.dumps(call.output.payload, ensure_ascii=False)
        heard: list[Any] = []
        try:
            result = await _heard(tool.on_invoke_tool, heard)(context, text)
        except BaseException as error:
            limit = getattr(tool, "timeout_seconds", None)  # the SDK's timeout began a little earlier
            late = isinstance(error, CancelledError) and limit and time.monotonic() - begun >= 0.9 * limit
            call.ended(TimeoutError(f"no response within {limit:g} s") if late else error)
            raise
        note = call.ended(heard[-1] if heard else result)
        if note:
            return _noted(result, note)
        return result

    needs: Any = getattr(tool, "needs_approval", False)

    async def needs_approval(context: Any, arguments: dict[str, Any], call_id: str) -> bool:
        """Return whether the user must be asked about the call, or must approve it. A wrong call needs no
        approval.
        """
        conversation = _conversation(checks, context)
        checks.learn(conversation, {tool.name: tool})
        if tool.name in conversation.registry and not conversation.accepts(tool.name, arguments):
            # An answer approves the call, so nobody is asked about a tool that people must approve.
            return needs is False and guard.ask(conversation, tool.name, arguments, call_id)
        if isinstance(needs, bool):
            return needs
        return bool(await needs(context, arguments, call_id))

    on_invoke_tool.toolgen_guard = True  # type: ignore[attr-defined]
    twin.on_invoke_tool = on_invoke_tool
    if checks.asks or needs is not False:
        twin.needs_approval = needs_approval
    return twin


def _rejected(call: Call) -> str:
    """Return the text of a rejected call. Its span gets the error that the SDK writes for a tool that failed."""
    span = get_current_span()
    # A guardrail may run before the call has a span.
    if span is not None and span.span_data.type == "function":
        data = {"tool_name": call.output.tool, "error": str(call.output.kind)}
        span.set_error(SpanError(message="Error running tool (non-fatal)", data=data))
    return call.output.text()


def _noted(result: Any, note: str) -> Any:
    """Return a result with a note for the model: as a block if the content consists of blocks, otherwise as text."""
    if isinstance(result, list):
        blocks = result
    else:
        blocks = [result]
    if all(isinstance(block, dict) and block.get("type") in _BLOCKS for block in blocks):
        return [*blocks, {"type": "text", "text": note}]
    return f"{result}\n{note}"  # the SDK makes a text of it, too


_BLOCKS = ("text", "image", "file")


def _heard(invoke: Any, heard: list[Any]) -> Any:
    """Return a tool's invoker that records what the SDK would turn into text: an exception, or a server's result."""
    run = getattr(invoke, "_invoke_tool_impl", None)
    if run is None:  # a custom invoker, or an older version of the SDK
        return invoke
    if isinstance(run, partial) and run.args and isinstance(run.args[0], MCPServer):
        run = partial(run.func, _Server(run.args[0], heard), *run.args[1:], **run.keywords)

    async def noting(*args: Any) -> Any:
        try:
            return await run(*args)
        except Exception as error:
            heard.append(error)
            raise

    told = copy.copy(invoke)
    told._invoke_tool_impl = noting
    return told


class _Server:
    """An MCP server that records its results, because the SDK drops `isError`."""

    def __init__(self, server: MCPServer, heard: list[Any]) -> None:
        self._server = server
        self._heard = heard

    def __getattr__(self, name: str) -> Any:
        return getattr(self._server, name)

    async def call_tool(self, *args: Any, **named: Any) -> Any:
        result = await self._server.call_tool(*args, **named)
        self._heard.append(result)
        return result


def _conversation(checks: Checks, context: Any) -> Conversation:
    """Return the conversation of a run, identified by its usage object. Each counted model request begins a round."""
    return checks.conversation(Same(context.usage), context.usage.requests or None)
