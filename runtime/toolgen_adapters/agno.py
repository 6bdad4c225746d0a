"""agno: a tool hook that returns a hint for wrong arguments.

    Agent(..., tool_hooks=[tool_hook()])

A rejected call raises `RetryAgentRun`, so agno gives the hint to the model as the text of a failed call. A run of an
agent or team is a conversation, and each model response begins a round. Before the hook sees a call, agno itself
responds to malformed JSON and unknown tools, and asks people to confirm calls.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable
from inspect import isawaitable
from types import FunctionType
from typing import Any, Unpack

from toolgen_adapters.call import Call
from toolgen_adapters.checks import AdapterOptions, Checks, framework, noted, reported
from toolgen_runtime.calls.recent import Same
from toolgen_runtime.mcp_result import as_mapping, recognize

with framework("agno", "agno", "3.1"):
    from agno.exceptions import RetryAgentRun
    from agno.tools.function import FunctionCall, ToolResult

__all__ = ["tool_hook"]


def tool_hook(**options: Unpack[AdapterOptions]) -> Callable[..., Any]:
    """Return a hook for the `tool_hooks` of an `Agent` or `Team`. `options` are the options of
    `toolgen_runtime.Registry`.
    """
    checks = Checks("tool_hook()", options)

    def toolgen(function_name: str, function_call: Any, arguments: dict[str, Any], run_context: Any) -> Any:
        """Check a call, and run it if it is accepted. For an async function, the result is awaitable."""
        native = _native(function_call)
        if native is None:  # not the agno that this adapter knows
            checks.leave_unchecked(function_name, "the hook cannot see its schema")
            return function_call(**arguments)
        answers = (m for m in reversed(getattr(run_context, "messages", None) or ()) if m.role == "assistant")
        answer = next(answers, None)
        conversation = checks.conversation(
            getattr(run_context, "run_id", None), answer if answer is None else answer.id
        )
        tool = native.function
        call = checks.check(
            conversation, function_name, arguments, tool, native.call_id, lambda _: Same(tool.parameters)
        )
        if call is None:
            return function_call(**arguments)
        if not call.output.ok:
            raise RetryAgentRun(call.output.text())
        if call.output.repairs:
            native.arguments = call.output.payload  # agno runs with these, not with what the hook passes on
        with call.running():
            result = function_call(**call.output.payload)
        if isawaitable(result):
            return _ended_later(call, result)
        return _ended(call, result)

    return toolgen


async def _ended_later(call: Call, running: Any) -> Any:
    with call.running():
        result = await running
    return _ended(call, result)


def _ended(call: Call, result: Any) -> Any:
    """Count a call, and return its result with the notes for the model."""
    if isinstance(result, ToolResult):
        return noted(result, call.ended(reported(str(result.content), False)))
    known = recognize(as_mapping(result)) is not None or isinstance(result, (str, dict, list))
    note = call.ended(result if known else None)
    if note:
        return f"{result}\n{note}"
    return result


def _native(function_call: Any) -> FunctionCall | None:
    """Return agno's object for a call, because a hook is given neither the schema nor the id."""
    while isinstance(function_call, FunctionType):
        names, cells = function_call.__code__.co_freevars, function_call.__closure__ or ()
        known = {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}
        if isinstance(known.get("self"), FunctionCall):
            return known["self"]
        function_call = known.get("inner_func")
    return None
