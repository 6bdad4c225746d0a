"""OpenAI Agents: tools that refuse wrong arguments with a hint, before they run.

    agent = guarded(Agent(...))
    MCPServerStdio(..., tool_input_guardrails=[toolgen_guardrail(tools)])

`guarded` checks the arguments that the model wrote just before the SDK runs the tool. Repairs therefore reach the
tool, and its result, failure or cancellation is counted. A guardrail cannot change the arguments and does not see the
result, so `toolgen_guardrail` refuses `repair`, `check_results` and `unknown_keys="note"` or `"drop"`.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

import copy
import json
import time
from asyncio import CancelledError
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Unpack

from toolgen_adapters.checks import Checks, framework, noted
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.calls.recent import Recent, Same
from toolgen_runtime.conversation import Conversation, Options
from toolgen_runtime.hints import unknown_tool
from toolgen_runtime.validation.issues import InvalidPayload

with framework("openai-agents"):
    from agents import (
        Agent,
        FunctionTool,
        Handoff,
        ToolGuardrailFunctionOutput,
        ToolInputGuardrail,
        ToolInputGuardrailData,
    )


@dataclass
class Verdict(ToolGuardrailFunctionOutput):
    """The guardrail's answer: `output_info` has the issues as dicts, `checked` the output of the check."""

    checked: ToolOutput | None = None


def toolgen_guardrail(tools: Any, **options: Unpack[Options]) -> ToolInputGuardrail[Any]:
    """Return a guardrail for the `tool_input_guardrails` of a `FunctionTool` or an MCP server.

    Each run is a conversation. Calls of tools that are not in `tools` are not checked.

    Args:
        tools: a registry, a toolset, or the SDK's tools: `FunctionTool`s, tools of an MCP server.
        options: the options of `toolgen_runtime.Registry`.

    Raises:
        ValueError: an option that a guardrail cannot support.
    """
    wrong = [name for name in ("repair", "check_results") if options.get(name) not in (None, False, "ignore")]
    wrong += [f'unknown_keys="{kind}"' for kind in ("note", "drop") if options.get("unknown_keys") == kind]
    if wrong:
        why = "a guardrail cannot change the arguments and does not see the result; guarded() can"
        raise ValueError(f"{', '.join(wrong)}: {why}")
    checks = Checks("toolgen_guardrail()", tools, **options)

    def check(data: ToolInputGuardrailData) -> Verdict:
        context = data.context
        conversation = _conversation(checks, context)
        name, arguments, call_id = context.tool_name, context.tool_arguments, context.tool_call_id
        call = checks.check(conversation, name, arguments, call_id=call_id)
        if call is None:
            return Verdict.allow()
        output = call.output
        if output.ok:
            call.ended(None)  # counted now: a guardrail does not see how a call ends
        cause = output.error.cause if output.error else None
        issues = [issue.to_dict() for issue in cause.issues()] if isinstance(cause, InvalidPayload) else []
        verdict = Verdict.allow(issues) if output.ok else Verdict.reject_content(output.text(), issues)
        verdict.checked = output
        return verdict

    return ToolInputGuardrail(guardrail_function=check, name="toolgen")


def guarded(agent: Agent[Any], **options: Unpack[Options]) -> Agent[Any]:
    """Return a clone of an agent whose function tools are checked, including those of its MCP servers.

    Each call is checked against the schema that the model saw, including the SDK's strict rewriting. Tools that are
    added later, clones of the agent, and agents that it hands off to are checked as well. People are not asked to
    approve wrong calls. The original agent, its tools and its servers do not change.

    Args:
        agent: the agent.
        options: the options of `toolgen_runtime.Registry`.
    """
    return _Guard(Checks("guarded()", **options)).agent(agent)


def near_names(agent: Agent[Any]) -> Callable[[Any], Awaitable[str | None]]:
    """Return a `tool_error_formatter` that suggests similar names for a call of an unknown tool.

    Use it in `RunConfig(tool_not_found_behavior="return_error_to_model", tool_error_formatter=near_names(agent))`,
    which needs version 0.18; without that behavior an unknown name ends the run.
    """

    async def text(args: Any) -> str | None:
        if args.kind != "tool_not_found":
            return None
        names = [tool.name for tool in await agent.get_all_tools(args.run_context)]
        return unknown_tool(args.tool_name, names, None).render()

    return text


class _Guard:
    """Clones an agent, and the agents that it hands off to, with checks of their tools."""

    def __init__(self, checks: Checks) -> None:
        self._checks = checks
        self._agents: dict[Same, Agent[Any]] = {}
        """The guarded clones of agents, kept because handoffs can form a cycle."""
        self._tools: Recent[Same, FunctionTool] = Recent()  # MCP tools are new each time

    def agent(self, agent: Agent[Any]) -> Agent[Any]:
        """Return the guarded clone of an agent, the same at each call."""
        if getattr(agent, "toolgen_guard", None) is self:
            return agent
        clone = self._agents.get(Same(agent))
        if clone is None:
            clone = self._agents[Same(agent)] = agent.clone(handoffs=list(agent.handoffs))
            clone.__class__ = self._guarded_class(type(agent))
        return clone

    def _guarded_class(self, kind: Any) -> Any:
        guard = self

        class Guarded(kind):
            """The agent's class; listing its tools returns checked tools, and guards the agents of its handoffs."""

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
            return self.agent(found) if isinstance(found, Agent) else found

        on_invoke_handoff.toolgen_guard = self  # type: ignore[attr-defined]
        return replace(target, on_invoke_handoff=on_invoke_handoff)

    def _tool(self, tool: Any) -> Any:
        """Return a checked copy of a function tool, the same at each call; return any other tool unchanged."""
        if not isinstance(tool, FunctionTool) or hasattr(tool.on_invoke_tool, "toolgen_guard"):
            return tool
        twin = self._tools.get(Same(tool))
        if twin is None:
            twin = self._tools[Same(tool)] = _twin(tool, self._checks)
        return twin


def _twin(tool: FunctionTool, checks: Checks) -> FunctionTool:
    """Return a copy of a tool that checks a call before the tool runs."""
    twin = copy.copy(tool)

    async def on_invoke_tool(context: Any, text: str) -> Any:
        begun = time.monotonic()
        conversation = _conversation(checks, context)
        call_id = getattr(context, "tool_call_id", None)
        call = checks.check(conversation, tool.name, text, tool, call_id)
        if call is None:
            return await tool.on_invoke_tool(context, text)
        if not call.output.ok:
            return call.output.text()
        if call.output.repairs:
            text = json.dumps(call.output.payload, ensure_ascii=False)
        raised: list[Exception] = []
        try:
            result = await _telling(tool.on_invoke_tool, raised)(context, text)
        except BaseException as error:
            limit = getattr(tool, "timeout_seconds", None)  # the SDK's timeout began a little earlier
            late = isinstance(error, CancelledError) and limit and time.monotonic() - begun >= 0.9 * limit
            call.ended(TimeoutError(f"no answer within {limit:g} s") if late else error)
            raise
        note = call.ended(raised[-1] if raised else result)
        return noted(result, note) if isinstance(result, str) else result

    async def needs_approval(context: Any, arguments: dict[str, Any], call_id: str) -> bool:
        """Return whether the tool needs approval for a call; False if the call will be refused anyway."""
        conversation = _conversation(checks, context)
        checks.learn(conversation, {tool.name: tool})
        if tool.name in conversation.registry and not conversation.accepts(tool.name, arguments):
            return False
        needs: Any = tool.needs_approval
        return needs if isinstance(needs, bool) else bool(await needs(context, arguments, call_id))

    on_invoke_tool.toolgen_guard = True  # type: ignore[attr-defined]
    twin.on_invoke_tool = on_invoke_tool
    if getattr(tool, "needs_approval", False) is not False:
        twin.needs_approval = needs_approval
    return twin


def _telling(invoke: Any, raised: list[Exception]) -> Any:
    """Return a tool's invoker that records the tool's exceptions before the SDK turns them into text."""
    run = getattr(invoke, "_invoke_tool_impl", None)
    if run is None:  # a custom invoker, or an older version of the SDK
        return invoke

    async def noting(*args: Any) -> Any:
        try:
            return await run(*args)
        except Exception as error:
            raised.append(error)
            raise

    told = copy.copy(invoke)
    told._invoke_tool_impl = noting
    return told


def _conversation(checks: Checks, context: Any) -> Conversation:
    """Return the conversation of a run, identified by its usage object; a counted model request begins a round."""
    return checks.conversation(Same(context.usage), context.usage.requests or None)
