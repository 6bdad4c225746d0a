"""pydantic-ai: a capability that checks the arguments of tool calls as the model wrote them.

    Agent(..., capabilities=[ToolgenCheck()])

It checks the calls of function tools, MCP tools and deferred tools before pydantic-ai parses and coerces their
arguments. It does not check output tools. A refused call raises a `ModelRetry`, which counts against the tool's
`retries` (1 by default). pydantic-ai itself handles unknown tools, and lists the known ones.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any, Literal, Unpack

from toolgen_adapters.checks import AdapterOptions, Checks, framework, noted
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.calls.recent import Same

with framework("pydantic-ai", "pydantic-ai-slim", "2.17"):
    from opentelemetry.trace import StatusCode
    from pydantic_ai import ModelRetry, RunContext, ToolFailed
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, SkipToolExecution
    from pydantic_ai.messages import ToolCallPart, ToolReturn
    from pydantic_ai.tools import ToolDefinition

__all__ = ["ToolgenCheck"]

_UNFINISHED = (ApprovalRequired, CallDeferred, SkipToolExecution)


class ToolgenCheck(AbstractCapability[Any]):
    """Checks every call against the schema that the model saw; a run is a conversation."""

    def __init__(
        self, *, out_of_retries: Literal["failed", "raise"] = "failed", **options: Unpack[AdapterOptions]
    ) -> None:
        """Take the behavior for a tool without retries left, and the options of `toolgen_runtime.Registry`.

        Args:
            out_of_retries: "failed" tells the model that the call failed, with the hint, and lets the run continue
                within its `UsageLimits`; "raise" lets pydantic-ai end the run (`UnexpectedModelBehavior`).
            options: the options of `toolgen_runtime.Registry`.
        """
        self._checks = Checks("ToolgenCheck()", options)
        self._out_of_retries = out_of_retries

    async def before_tool_validate(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any
    ) -> Any:
        """Return the arguments, repaired if necessary; refuse wrong arguments.

        Raises:
            ModelRetry: the arguments are wrong.
            ToolFailed: the arguments are wrong, and another attempt would not help, or the tool has no retries left.
        """
        if ctx.partial_output:
            return args
        conversation = self._checks.conversation(ctx.run_id, ctx.run_step)
        call_id = call.tool_call_id
        checked = self._checks.check(conversation, tool_def.name, args, tool_def, call_id, _same)
        if checked is None:
            return args
        output = checked.output
        if output.ok:
            self._checks.running[ctx.run_id, call_id] = checked
            return output.payload if output.repairs else args
        _trace(ctx, output)
        spent = ctx.retry >= ctx.max_retries and self._out_of_retries == "failed"
        raise (ToolFailed if spent or output.recovery == "give_up" else ModelRetry)(output.text())

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,  # noqa: ARG002
        args: Any,
        handler: Any,
    ) -> Any:
        """Run the tool and count the call."""
        checked = self._checks.running.pop((ctx.run_id, call.tool_call_id), None)
        if checked is None:  # the tool cannot be compiled, or another process checked the call
            return await handler(args)
        result, note = await checked.result_of(handler(args), *_UNFINISHED)
        if not note or isinstance(result, str):
            return noted(result, note)
        made = result if isinstance(result, ToolReturn) else ToolReturn(result)
        content = made.content or []
        return replace(made, content=[*([content] if isinstance(content, str) else content), note])


def _same(tool_def: ToolDefinition) -> Hashable:
    """Return the schema of a tool: pydantic-ai makes new definitions at each step, but not new schemas."""
    return tool_def.name, Same(tool_def.parameters_json_schema)


def _trace(ctx: RunContext[Any], output: ToolOutput) -> None:
    """Write the span of a rejected call, which pydantic-ai itself writes for arguments that its validation rejects."""
    name = f"execute_tool {output.tool}" if ctx.instrumentation_version >= 3 else "running tool"
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": output.tool,
        "gen_ai.tool.call.id": output.call_id or "",
        "error.type": str(output.kind),
    }
    span = ctx.tracer.start_span(name, attributes=attributes)
    span.set_status(StatusCode.ERROR)
    span.end()
