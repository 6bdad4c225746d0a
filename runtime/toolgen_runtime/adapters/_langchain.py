"""Messages, requests and tools of LangChain, as the middleware reads and changes them."""

# pyright: reportMissingImports=false
from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from toolgen_runtime.adapters._checks import facts, reported
from toolgen_runtime.adapters._framework import framework
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.validation.issues import ValidationIssue

with framework("langchain"):
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.tools import StructuredTool

_HIDDEN = {"self", "config", "run_manager"}
"""Parameters of LangChain's own: as keys of arguments they end the run, or never reach the tool."""


_STOP_KEYS = ("finish_reason", "stop_reason", "stopReason", "done_reason", "status")
"""The keys of the stop reason in `response_metadata`, as LangChain's integrations write it."""
_CUT_OFF = {"length", "max_tokens", "model_length", "model_context_window_exceeded", "incomplete"}
"""Reasons of every provider for a message that is not all there, in lower case."""


class AnyKeys(StructuredTool):
    """A tool of a server that takes keys which are called as parameters of LangChain are."""

    def _run(self, /, **arguments: Any) -> Any:
        if self.func is None:
            raise NotImplementedError("StructuredTool does not support sync invocation.")
        return self.func(**arguments)

    async def _arun(self, /, **arguments: Any) -> Any:
        return self._run(**arguments) if self.coroutine is None else await self.coroutine(**arguments)


def messages_of(state: Any) -> Sequence[Any]:
    """Return the messages of a graph's state, in whichever of its forms."""
    if isinstance(state, Mapping):
        return state.get("messages") or ()
    return state if isinstance(state, list) else getattr(state, "messages", ())


def last_id(messages: Sequence[Any], kind: type[Any]) -> Hashable:
    """Return the id of the last message of a kind, which a graph gives to every message; None where there is none."""
    return next((message.id for message in reversed(messages) if isinstance(message, kind)), None)


def cut_off(message: Any, call_id: str | None) -> ValidationIssue | None:
    """Return what is wrong with a call that may not be all there; None for any other.

    LangChain completes the JSON of a streamed call, so its arguments do not show it. The model writes its calls one
    after the other: only the last can be cut off.
    """
    metadata = getattr(message, "response_metadata", None) or {}
    reason = next((metadata[key] for key in _STOP_KEYS if isinstance(metadata.get(key), str)), "")
    calls = [*message.tool_calls, *message.invalid_tool_calls] if reason.lower() in _CUT_OFF else ()
    if not calls or calls[-1]["id"] != call_id:
        return None
    return ValidationIssue((), "truncated", f"the model stopped with {reason[:60]}")


def output_tool(spec: Any) -> StructuredTool:
    """Return the tool that the model is shown for a schema of structured output."""
    return StructuredTool(args_schema=spec.json_schema, name=spec.name, description=spec.description)


def with_calls(message: AIMessage, calls: list[dict[str, Any]]) -> AIMessage:
    """Return a message of the same id in which these calls, set aside as invalid, are calls."""
    ids = [call["id"] for call in calls]
    rest = [call for call in message.invalid_tool_calls if call["id"] not in ids]
    return message.model_copy(
        update={"tool_calls": [*message.tool_calls, *calls], "invalid_tool_calls": rest}
    )


def runnable_request(request: Any, output: ToolOutput) -> Any:
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
        changes["tool"] = AnyKeys.model_construct(**dict(tool))
    return request.override(**changes) if changes else request


def refusal(output: ToolOutput) -> ToolMessage:
    """Return the message of a call that was refused, with what a host may want to know as its artifact."""
    return ToolMessage(
        output.text(),
        name=output.tool,
        tool_call_id=output.call_id or "",
        status="error",
        artifact={"toolgen": facts(output)},
    )


def result_of(result: Any) -> Any:
    """Return what a tool answered, in the form in which a conversation sees that it is an error."""
    if not isinstance(result, ToolMessage):
        return None  # a command to the graph
    return reported(result.text, result.status == "error")


def noted(result: Any, output: ToolOutput) -> Any:
    """Return a tool's message with what the model is to read beside it, if there is anything."""
    if not output.notes or not isinstance(result, ToolMessage):
        return result
    note = "\n".join(output.notes)
    content = result.content
    noted = f"{content}\n{note}" if isinstance(content, str) else [*content, {"type": "text", "text": note}]
    return result.model_copy(update={"content": noted})
