"""OpenAI Agents: a guardrail that answers wrong arguments of function tools and of MCP servers' tools.

It sees the text that the model wrote, before the SDK parses it. A guardrail cannot change the arguments and does not
see the result, so the options `repair`, `check_results` and `unknown_keys="note"` are refused.
"""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from toolgen_runtime.adapters.runs import Runs, learn
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.validation.issues import InvalidPayload

if TYPE_CHECKING:
    from agents import Agent, FunctionTool, ToolInputGuardrail, ToolInputGuardrailData
    from agents.run_config import ToolErrorFormatterArgs

    from toolgen_runtime.calls.output import ToolOutput
    from toolgen_runtime.registry import Registry

NAME = "toolgen"
"""The guardrail's name, in results and traces."""


def toolgen_guardrail(tools: Any, **options: Any) -> ToolInputGuardrail[Any]:
    """Return a guardrail for `FunctionTool(..., tool_input_guardrails=[...])` or an MCP server's argument of that name.

    A call of another tool is let through. What it came to is the `checked` of the guardrail's output, the issues, as
    dicts, are its `output_info`.

    Args:
        tools: a `Registry`, a toolset, or the SDK's tools: `FunctionTool`s, tools of an MCP server.
        options: those of `Conversation`; each run has its own conversation.

    Raises:
        ValueError: an option that a guardrail cannot keep.
    """
    _refuse_options(options)
    runs: Runs[Conversation] = Runs(lambda: Conversation(tools, **options))

    def check(data: ToolInputGuardrailData) -> Any:
        conversation = runs.of(data.context.usage)
        known = data.context.tool_name in conversation.registry
        return _verdict(_checked(conversation, data) if known else None)

    return _guardrail(check)


def guarded(agent: Agent[Any], *, registry: Registry | None = None, **options: Any) -> Agent[Any]:
    """Return a clone of an agent with the guardrail on every function tool, those of its MCP servers included.

    Each call is checked against the schema that the model was shown, strict rewriting included. The agent that was
    given, its tools and its servers stay as they are; handoffs are agents of their own.

    Args:
        agent: the agent.
        registry: whose settings (hooks, secrets) hold; it needs no tools.
        options: those of `Conversation`; each run has its own conversation.

    Raises:
        ValueError: an option that a guardrail cannot keep.
    """
    from agents import FunctionTool

    _refuse_options(options)
    runs: Runs[Conversation] = Runs(lambda: Conversation({} if registry is None else registry, **options))

    def with_guardrail(tool: Any) -> Any:
        if not isinstance(tool, FunctionTool):
            return tool
        twin = copy.copy(tool)
        twin.tool_input_guardrails = [*(tool.tool_input_guardrails or ()), _guardrail_of(twin, runs)]
        return twin

    kind: Any = type(agent)

    class Guarded(kind):  # type: ignore[misc]
        """The agent's class, whose MCP tools have the guardrail too."""

        async def get_mcp_tools(self, run_context: Any) -> list[Any]:
            return [with_guardrail(tool) for tool in await super().get_mcp_tools(run_context)]

    Guarded.__name__, Guarded.__qualname__ = kind.__name__, kind.__qualname__
    clone = agent.clone(tools=[with_guardrail(tool) for tool in agent.tools])
    clone.__class__ = Guarded
    return clone


def near_names(agent: Agent[Any]) -> Callable[[ToolErrorFormatterArgs[Any]], Awaitable[str | None]]:
    """Return a `tool_error_formatter` that answers a call of an unknown tool with the names of similar ones.

    For `RunConfig(tool_not_found_behavior="return_error_to_model", tool_error_formatter=near_names(agent))`; without
    that behavior, an unknown name ends the run.
    """

    async def text(args: ToolErrorFormatterArgs[Any]) -> str | None:
        if args.kind != "tool_not_found":
            return None
        from toolgen_runtime.hints import unknown_tool

        names = [tool.name for tool in await agent.get_all_tools(args.run_context)]
        return unknown_tool(args.tool_name, names, None).render()

    return text


def _guardrail_of(tool: FunctionTool, runs: Runs[Conversation]) -> ToolInputGuardrail[Any]:
    def check(data: ToolInputGuardrailData) -> Any:
        conversation = runs.of(data.context.usage)
        learn(conversation, data.context.tool_name, tool.description, tool.params_json_schema)
        return _verdict(_checked(conversation, data))

    return _guardrail(check)


def _guardrail(check: Callable[[ToolInputGuardrailData], Any]) -> ToolInputGuardrail[Any]:
    from agents import ToolInputGuardrail

    return ToolInputGuardrail(guardrail_function=check, name=NAME)


def _checked(conversation: Conversation, data: ToolInputGuardrailData) -> ToolOutput:
    context = data.context
    output = conversation.check(context.tool_name, context.tool_arguments, call_id=context.tool_call_id)
    # Counted now: a guardrail does not see what becomes of a call that it lets through.
    conversation.returned(output)
    return output


def _verdict(output: ToolOutput | None) -> Any:
    verdict = _verdict_type()
    if output is None:
        return verdict.allow()
    cause = output.error.cause if output.error else None
    issues = [issue.to_dict() for issue in cause.issues()] if isinstance(cause, InvalidPayload) else []
    said = verdict.allow(issues) if output.ok else verdict.reject_content(output.text(), issues)
    said.checked = output
    return said


@cache
def _verdict_type() -> Any:
    from agents import ToolGuardrailFunctionOutput

    @dataclass
    class Verdict(ToolGuardrailFunctionOutput):
        """What the guardrail says, with the `ToolOutput` behind it; None where the call was not checked."""

        checked: ToolOutput | None = None

    return Verdict


def _refuse_options(options: dict[str, Any]) -> None:
    wrong = [name for name in ("repair", "check_results") if options.get(name) not in (None, False, "ignore")]
    wrong += ['unknown_keys="note"'] if options.get("unknown_keys") == "note" else []
    if wrong:
        raise ValueError(
            f"{', '.join(wrong)}: a guardrail cannot change the arguments and does not see the result"
        )
