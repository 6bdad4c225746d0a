"""LlamaIndex: agents and agent workflows that reject wrong arguments and return a hint.

    agent = checked(FunctionAgent(tools=tools, llm=llm))

The result of a rejected call is a `ToolOutput` with `is_error`. A run is a conversation. Each response of an agent's
model begins a round, but an `AgentWorkflow` does not expose its responses.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

from typing import Any, TypeVar, Unpack
from weakref import ref

from toolgen_adapters.checks import AdapterOptions, Checks, framework, reported
from toolgen_runtime.mcp_result import as_mapping, recognize

with framework("llama-index", "llama-index-core", "0.14.20"):
    from llama_index.core.base.llms.types import TextBlock
    from llama_index.core.tools import ToolOutput
    from workflows.runtime.types.results import WaitingForEvent

__all__ = ["checked"]

AgentT = TypeVar("AgentT")


def checked(agent: AgentT, **options: Unpack[AdapterOptions]) -> AgentT:
    """Make an agent or `AgentWorkflow` check its calls, and return it.

    Args:
        agent: a `FunctionAgent`, a `ReActAgent`, ..., or an `AgentWorkflow`; it is changed in place.
        options: the options of `toolgen_runtime.Registry`.
    """
    checks = Checks("checked()", options)
    wrapped: Any = agent
    call_tool: Any = wrapped._call_tool
    take_step: Any = getattr(wrapped, "take_step", None)

    async def _call_tool(ctx: Any, tool: Any, tool_input: Any) -> Any:
        conversation, name = checks.conversation(ref(ctx.store)), tool.metadata.get_name()
        call = checks.check(conversation, name, tool_input, tool)
        if call is None:
            return await call_tool(ctx, tool, tool_input)
        if not call.output.ok:
            text = call.output.text()
            return ToolOutput(
                content=text, tool_name=name, raw_input=tool_input, raw_output=text, is_error=True
            )
        with call.running(WaitingForEvent):  # a person is asked, and the call is made again
            result = await call_tool(ctx, tool, call.output.payload)
        if recognize(as_mapping(result.raw_output)) is not None:
            ended = result.raw_output  # of an MCP tool, which may report an error
        else:
            ended = getattr(result, "exception", None) or reported(result.content, result.is_error)
        note = call.ended(ended)
        if note:
            blocks = [*result.blocks, TextBlock(text=note)]
        else:
            blocks = result.blocks
        return result.model_copy(update={"blocks": blocks})

    async def begin_step(ctx: Any, *args: Any, **named: Any) -> Any:
        checks.conversation(ref(ctx.store)).begin_round()
        return await take_step(ctx, *args, **named)

    object.__setattr__(agent, "_call_tool", _call_tool)  # a pydantic model
    if take_step is not None:
        object.__setattr__(agent, "take_step", begin_step)
    return agent
