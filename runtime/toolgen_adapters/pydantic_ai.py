"""pydantic-ai: a capability that checks the arguments of tool calls as the model wrote them.

    Agent(..., capabilities=[ToolgenCheck()])

It checks calls to function tools, MCP tools and deferred tools before pydantic-ai parses and converts their arguments.
It does not check output tools. A rejected call raises a `ModelRetry`, which counts against the tool's `retries` (1 by
default). pydantic-ai itself handles unknown tools, and lists the known ones.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any, Literal, Unpack

from toolgen_adapters.checks import HAS_QUESTIONS, AdapterOptions, Checks, framework, noted
from toolgen_adapters.questions import KEY, answer_of, as_data, from_data
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.calls.recent import Recent, Same
from toolgen_runtime.calls.user_question import UserQuestion

with framework("pydantic-ai", "pydantic-ai-slim", "2.17"):
    from opentelemetry.trace import StatusCode
    from pydantic_ai import ModelRetry, RunContext, ToolFailed
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, SkipToolExecution, SkipToolValidation
    from pydantic_ai.messages import ToolCallPart, ToolReturn
    from pydantic_ai.tools import ToolApproved, ToolDefinition, ToolDenied

__all__ = ["ToolgenCheck"]

_UNFINISHED = (ApprovalRequired, CallDeferred, SkipToolExecution)


class ToolgenCheck(AbstractCapability[Any]):
    """Checks every call against the schema that the model has seen. Each run is a conversation."""

    def __init__(
        self, *, out_of_retries: Literal["failed", "raise"] = "failed", **options: Unpack[AdapterOptions]
    ) -> None:
        """Create the capability.

        Args:
            out_of_retries: what happens if a tool has no retries left. "failed" tells the model that the call failed,
                with the hint, and lets the run continue within its `UsageLimits`; "raise" lets pydantic-ai end the run
                (`UnexpectedModelBehavior`).
            options: the options of `toolgen_runtime.Registry`.
        """
        self._checks = Checks("ToolgenCheck()", options, cannot=HAS_QUESTIONS)
        self._out_of_retries = out_of_retries
        self._asking: Recent[tuple[Hashable, str], UserQuestion] = Recent()
        """The questions of calls that are about to be deferred."""

    async def before_tool_validate(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any
    ) -> Any:
        """Return the arguments, repaired if necessary, or reject them with a hint.

        Raises:
            SkipToolValidation: the call is deferred, because the user is asked for a missing value.
            ModelRetry: the arguments are wrong.
            ToolFailed: the arguments are wrong, and another attempt would not help, or the tool has no retries left.
        """
        if ctx.partial_output:
            return args
        conversation = self._checks.conversation(ctx.run_id, ctx.run_step)
        call_id = call.tool_call_id
        can_ask = tool_def.kind == "function"  # other calls do not run here
        checked = self._checks.check(
            conversation, tool_def.name, args, tool_def, call_id, _same, can_ask=can_ask
        )
        if checked is None:
            return args
        if checked.question is not None and not ctx.tool_call_approved:
            self._asking[ctx.run_id, call_id] = checked.question
            raise SkipToolValidation(checked.output.payload)
        checked.answered("cancel")  # the host has approved the call, but without the value
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
        """Run the tool and count the call.

        Raises:
            ApprovalRequired: the user is asked for a missing value; pass the response to `answer`.
        """
        question = self._asking.pop((ctx.run_id, call.tool_call_id), None)
        if question is not None:
            raise ApprovalRequired({KEY: as_data(question)})
        checked = self._checks.running.pop((ctx.run_id, call.tool_call_id), None)
        if checked is None:  # the tool cannot be compiled, or another process checked the call
            return await handler(args)
        result, note = await checked.result_of(handler(args), *_UNFINISHED)
        if not note or isinstance(result, str):
            return noted(result, note)
        if isinstance(result, ToolReturn):
            made = result
        else:
            made = ToolReturn(result)
        content = made.content or []
        return replace(made, content=[*([content] if isinstance(content, str) else content), note])


def answer(metadata: Any, given: Any) -> ToolApproved | ToolDenied:
    """Return the approval with which a call continues after the user was asked (`ask=True`).

    It belongs in the `approvals` of `DeferredToolResults`.

    Args:
        metadata: the call's metadata in `DeferredToolRequests`; `metadata["toolgen"]` contains the `message` and the
            form's `schema` to show to the user.
        given: `{"action": "accept", "content": {...}}` as in MCP's elicitation, with "decline" or "cancel" too; only
            the content; only the value; or None if the user closed the question.
    """
    question = from_data(metadata[KEY])
    action, content = answer_of(question, given)
    if action != "accept" or not isinstance(content, dict) or question.key not in content:
        hint = question.unanswered("decline" if action == "decline" else "cancel").retry_hint
        return ToolDenied("" if hint is None else hint.render())
    return ToolApproved(override_args=question.filled(content))


def _same(tool_def: ToolDefinition) -> Hashable:
    """Return the schema of a tool, because pydantic-ai creates new definitions at each step but not new schemas."""
    return tool_def.name, Same(tool_def.parameters_json_schema)


def _trace(ctx: RunContext[Any], output: ToolOutput) -> None:
    """Write the span of a rejected call, as pydantic-ai does for arguments that its own validation rejects."""
    if ctx.instrumentation_version >= 3:
        name = f"execute_tool {output.tool}"
    else:
        name = "running tool"
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": output.tool,
        "gen_ai.tool.call.id": output.call_id or "",
        "error.type": str(output.kind),
    }
    span = ctx.tracer.start_span(name, attributes=attributes)
    span.set_status(StatusCode.ERROR)
    span.end()
