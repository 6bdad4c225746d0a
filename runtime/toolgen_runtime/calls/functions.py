"""Turn tools into async functions that check their arguments, return a value, and raise an exception on
failure.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from toolgen_runtime.calls.errors import MalformedResponseError, ToolErrorKind, ToolExecutionError
from toolgen_runtime.mcp_result import recognize
from toolgen_runtime.validation.issues import MISSING, InvalidPayload, ValidationIssue

if TYPE_CHECKING:
    from toolgen_runtime.calls.output import ToolOutput
    from toolgen_runtime.registered_tools import RegisteredTools
    from toolgen_runtime.validation.tool import Tool

Send = Callable[[str, Any], Any]
"""A function that calls a tool by name with checked arguments. The function may be async."""
Method = Callable[..., Awaitable[Any]]


class Caller(Protocol):
    """The attributes of a conversation that the async functions for its tools need."""

    registry: RegisteredTools

    async def acall(self, name: str, arguments: Any, handler: Any) -> ToolOutput:
        """Decode, check, run and encode one call."""
        ...


class InvalidArguments(InvalidPayload):
    """An exception for arguments that break the tool's schema. The call was not sent, and `str()` of the
    exception is the hint.
    """

    def __init__(self, tool: str, issues: list[ValidationIssue], hint: str) -> None:
        super().__init__(tool, issues)
        self.hint = hint

    def __str__(self) -> str:
        return self.hint

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tool, self.issues(), self.hint)


def method(tool: str, call: Callable[[str, Any], Awaitable[Any]]) -> Method:
    """Return an async function that calls a tool.

    The function takes keyword arguments, or one payload that is not an object.
    """

    async def called(*payload: Any, **arguments: Any) -> Any:
        if len(payload) > 1 or (payload and arguments):
            raise TypeError(f"{tool} takes keyword arguments, or one payload if the payload is not an object")
        return await call(tool, payload[0] if payload else arguments)

    return called


async def call_tool(conversation: Caller, name: str, payload: Any, send: Send) -> Any:
    """Check a call, send it, and return its value.

    Raises:
        InvalidPayload: the arguments are invalid and the call was not sent; the error's text is the hint.
        ToolExecutionError: the tool failed or has not finished.
        MalformedResponseError: the result breaks the output schema, and the conversation rejects such results.
    """

    async def sent(checked: Any) -> Any:
        result = send(name, checked)
        if inspect.isawaitable(result):
            return await result
        return result

    output = await conversation.acall(name, payload, sent)
    tool = conversation.registry.find(name)
    if tool is None or not output.ok or output.state != "done":
        raise _failure(tool, output)
    return _value(tool, output)


def functions(conversation: Caller, send: Send) -> dict[str, Method]:
    """Return an async function for each tool of a conversation; see `Conversation.functions`."""
    registry, call = conversation.registry, partial(call_tool, conversation, send=send)
    return {registry.function_name(name): method(name, call) for name in registry}


def _failure(tool: Tool[Any] | None, output: ToolOutput) -> Exception:
    """Return the exception for a failed call."""
    text = output.text()
    if output.error is not None and isinstance(cause := output.error.cause, MalformedResponseError):
        return MalformedResponseError(f"{output.tool}: {cause.message}", output.result)
    if tool is not None and output.kind is ToolErrorKind.INVALID_PARAMETERS and not output.executed:
        return InvalidArguments(tool.name, tool.validate(output.payload), text)
    if output.state != "done":
        return ToolExecutionError(ToolErrorKind.EXECUTION_ERROR, text, recovery="ask_user")
    return ToolExecutionError(output.kind or ToolErrorKind.EXECUTION_ERROR, text, recovery=output.recovery)


def _value(tool: Tool[Any], output: ToolOutput) -> Any:
    """Return structured content if the tool declares an output schema, otherwise the text.

    A plain result is returned unchanged.
    """
    read = recognize(output.result)
    if read is None:
        return output.result
    if tool.output_schema is not None and read.structured is not MISSING:
        return read.structured
    return read.text()
