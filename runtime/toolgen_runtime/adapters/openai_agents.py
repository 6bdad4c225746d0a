"""OpenAI Agents: a guardrail that answers wrong arguments of function tools and of MCP servers' tools.

    agent = guarded(Agent(...))
    MCPServerStdio(..., tool_input_guardrails=[toolgen_guardrail(tools)])

It sees the text that the model wrote, before the SDK parses it. A guardrail cannot change the arguments and does not
see the result, so `repair`, `check_results` and `unknown_keys="note"` and `"drop"` are refused.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from toolgen_runtime.adapters._checks import Checks
from toolgen_runtime.adapters._framework import framework
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.hints import unknown_tool
from toolgen_runtime.validation.issues import InvalidPayload

with framework("openai-agents"):
    from agents import (
        Agent,
        FunctionTool,
        ToolGuardrailFunctionOutput,
        ToolInputGuardrail,
        ToolInputGuardrailData,
        Usage,
    )

NAME = "toolgen"
"""The guardrail's name, in results and traces."""


@dataclass
class Verdict(ToolGuardrailFunctionOutput):
    """What the guardrail says: `output_info` has the issues, as dicts, `checked` what the call came to."""

    checked: ToolOutput | None = None


def toolgen_guardrail(tools: Any, **options: Any) -> ToolInputGuardrail[Any]:
    """Return a guardrail for the `tool_input_guardrails` of a `FunctionTool` or an MCP server.

    Each run is a conversation. A call of a tool that is not among `tools` is let through.

    Args:
        tools: a registry, a toolset, or the SDK's tools: `FunctionTool`s, tools of an MCP server.
        options: those of `toolgen_runtime.Registry`.

    Raises:
        ValueError: an option that a guardrail cannot keep.
    """
    return _Guard(tools, options).guardrail()


def guarded(agent: Agent[Any], **options: Any) -> Agent[Any]:
    """Return a clone of an agent with the guardrail on every function tool, those of its MCP servers included.

    Each call is checked against the schema that the model was shown, strict rewriting included. The agent that was
    given, its tools and its servers stay as they are; agents to hand off to are guarded by themselves.

    Args:
        agent: the agent.
        options: those of `toolgen_runtime.Registry`.

    Raises:
        ValueError: an option that a guardrail cannot keep.
    """
    guard = _Guard(None, options)
    kind: Any = type(agent)

    class Guarded(kind):
        """The agent's class, whose MCP tools have the guardrail too."""

        async def get_mcp_tools(self, run_context: Any) -> list[Any]:
            return [guard.tool(tool) for tool in await super().get_mcp_tools(run_context)]

    Guarded.__name__, Guarded.__qualname__ = kind.__name__, kind.__qualname__
    clone = agent.clone(tools=[guard.tool(tool) for tool in agent.tools])
    clone.__class__ = Guarded
    return clone


def near_names(agent: Agent[Any]) -> Callable[[Any], Awaitable[str | None]]:
    """Return a `tool_error_formatter` that answers a call of an unknown tool with the names that may be meant.

    For `RunConfig(tool_not_found_behavior="return_error_to_model", tool_error_formatter=near_names(agent))`, from
    0.18 on; without that behavior an unknown name ends the run.
    """

    async def text(args: Any) -> str | None:
        if args.kind != "tool_not_found":
            return None
        names = [tool.name for tool in await agent.get_all_tools(args.run_context)]
        return unknown_tool(args.tool_name, names, None).render()

    return text


class _Guard:
    """The check behind a guardrail, or behind those of an agent's tools."""

    def __init__(self, tools: Any, options: dict[str, Any]) -> None:
        wrong = [
            name for name in ("repair", "check_results") if options.get(name) not in (None, False, "ignore")
        ]
        unknown = options.get("unknown_keys")
        wrong += [f"unknown_keys={unknown!r}"] if unknown in ("note", "drop") else []
        if wrong:
            why = "a guardrail cannot change the arguments and does not see the result"
            raise ValueError(f"{', '.join(wrong)}: {why}")
        self._checks = Checks("guarded()", tools, **options)
        self._requests: WeakKeyDictionary[Conversation, int] = WeakKeyDictionary()
        """How often each run had asked its model when its last round began."""

    def guardrail(self, tool: FunctionTool | None = None) -> ToolInputGuardrail[Any]:
        """Return a guardrail for one tool, whose schema is read at each call, or for those that are known."""

        def check(data: ToolInputGuardrailData) -> Verdict:
            return self._verdict(data, tool)

        return ToolInputGuardrail(guardrail_function=check, name=NAME)

    def tool(self, tool: Any) -> Any:
        """Return a copy of a function tool with the guardrail, after its own; any other tool as it is."""
        if not isinstance(tool, FunctionTool):
            return tool
        twin = copy.copy(tool)
        twin.tool_input_guardrails = [*(tool.tool_input_guardrails or ()), self.guardrail(twin)]
        return twin

    def _verdict(self, data: ToolInputGuardrailData, tool: FunctionTool | None) -> Verdict:
        context = data.context
        conversation = self._conversation(context.usage)
        if tool is not None:
            self._checks.learn(conversation, tool)
        if context.tool_name not in conversation.registry:
            return Verdict.allow()
        output = conversation.check(context.tool_name, context.tool_arguments, call_id=context.tool_call_id)
        conversation.returned(output)  # counted now: what becomes of a call that is let through is not seen
        cause = output.error.cause if output.error else None
        issues = [issue.to_dict() for issue in cause.issues()] if isinstance(cause, InvalidPayload) else []
        verdict = Verdict.allow(issues) if output.ok else Verdict.reject_content(output.text(), issues)
        verdict.checked = output
        return verdict

    def _conversation(self, usage: Usage) -> Conversation:
        """Return the conversation of a run; a request to its model, where it counts them, begins a round."""
        conversation = self._checks.conversation(_Run(usage))
        if usage.requests and usage.requests != self._requests.get(conversation):
            self._requests[conversation] = usage.requests
            conversation.begin_round()
        return conversation


class _Run:
    """A run, as a key: the SDK counts the usage of each in an object of its own."""

    def __init__(self, usage: object) -> None:
        self._usage = usage

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Run) and other._usage is self._usage

    def __hash__(self) -> int:
        return id(self._usage)
