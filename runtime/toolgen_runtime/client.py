"""The base of generated clients: one method a tool, checked before anything is sent.

A generated `client.py` names the toolset and the methods; their types are in `client.pyi`. Results are values: the
structured content of a tool that declares its output, the text of any other.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from toolgen_runtime.calls.errors import MalformedResponseError, ToolErrorKind, ToolExecutionError
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.mcp_result import recognize
from toolgen_runtime.validation.issues import MISSING, InvalidPayload, ValidationIssue

if TYPE_CHECKING:
    from toolgen_runtime.calls.output import ToolOutput
    from toolgen_runtime.validation.tool import Tool
    from toolgen_runtime.validation.toolset import Toolset

Send = Callable[[str, Any], Any]
"""Calls the tool of a name with checked arguments; may return an awaitable."""
Method = Callable[..., Awaitable[Any]]


class InvalidArguments(InvalidPayload):
    """Arguments that the tool's schema refuses; nothing was sent. `str()` is the hint."""

    def __init__(self, tool: str, issues: list[ValidationIssue], hint: str) -> None:
        super().__init__(tool, issues)
        self.hint = hint

    def __str__(self) -> str:
        return self.hint

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tool, self.issues(), self.hint)


class ToolClient:
    """Calls the tools of one toolset. `client.sync` has the same methods, which block."""

    _toolset: ClassVar[Toolset]
    _methods: ClassVar[Mapping[str, str]]
    """The tool of each method."""

    def __init__(
        self, session: Any = None, *, call: Send | None = None, check_results: bool = False, **options: Any
    ) -> None:
        """Make a client of a session, or of a function that makes the calls.

        Args:
            session: has `call_tool(name, arguments)`: a session of mcp 1 or 2, or FastMCP's client.
            call: called with a tool's name and its arguments instead; may be an async function.
            check_results: raise if structured content is not what the tool's output schema says; needs
                `toolgen[dynamic]`.
            options: the options of `Conversation`, such as `repair=True`.

        Raises:
            TypeError: neither or both of `session` and `call` are given, or an option does not exist.
        """
        if (session is None) is (call is None):
            raise TypeError("give either a session with call_tool(name, arguments), or call=function")
        self._send: Send = session.call_tool if call is None else call
        self._conversation = Conversation(type(self)._toolset, **options)
        self._check_results = check_results
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None

    def __getattr__(self, name: str) -> Method:
        tool = type(self)._methods.get(name)
        if tool is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return method(self._toolset[tool], self._call)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *type(self)._methods})

    @property
    def sync(self) -> Any:
        """The same methods, which block until the result is there.

        A client that was made in a running event loop calls its session in that loop, so these methods are for
        other threads then.
        """
        return _Sync(self)

    async def _call(self, tool: Tool[Any], payload: Any) -> Any:
        async def send(checked: Any) -> Any:
            result = self._send(tool.name, checked)
            return await result if inspect.isawaitable(result) else result

        output = await self._conversation.acall(tool.name, payload, send)
        if not output.ok or output.state != "done":
            raise failure(tool, output)
        if self._check_results:
            _refuse_wrong_result(tool, output)
        return _value(tool, output)

    def _run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            running = None
        if running is not None:
            coroutine.close()
            raise RuntimeError(
                "client.sync would block the event loop that runs here; await the method instead"
            )
        if self._loop is None or self._loop.is_closed():
            return asyncio.run(coroutine)
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()


class _Sync:
    """The methods of a client, which block."""

    def __init__(self, client: ToolClient) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._client, name)
        if name not in type(self._client)._methods:
            raise AttributeError(f"the client has no tool {name!r}")
        return lambda *payload, **arguments: self._client._run(method(*payload, **arguments))


def method(tool: Tool[Any], call: Callable[[Tool[Any], Any], Awaitable[Any]]) -> Method:
    """Return an async function that calls a tool with its keyword arguments, or with one payload that is no object."""

    async def called(*payload: Any, **arguments: Any) -> Any:
        if len(payload) > 1 or (payload and arguments):
            raise TypeError(f"{tool.name} takes keyword arguments, or one payload if that is no object")
        return await call(tool, payload[0] if payload else arguments)

    return called


def failure(tool: Tool[Any], output: ToolOutput) -> Exception:
    """Return how a call failed as an exception."""
    text = output.text()
    if output.kind is ToolErrorKind.INVALID_PARAMETERS and not output.executed:
        return InvalidArguments(tool.name, tool.validate(output.payload), text)
    if output.state != "done":
        return ToolExecutionError(ToolErrorKind.EXECUTION_ERROR, text, recovery="ask_user")
    return ToolExecutionError(output.kind or ToolErrorKind.EXECUTION_ERROR, text, recovery=output.recovery)


def _value(tool: Tool[Any], output: ToolOutput) -> Any:
    """Return the structured content of a tool that declares its output, else the text, or a plain result as it is."""
    read = recognize(output.result)
    if read is None:
        return output.result
    if tool.output_schema is not None and read.structured is not MISSING:
        return read.structured
    return read.text()


def _refuse_wrong_result(tool: Tool[Any], output: ToolOutput) -> None:
    from toolgen_runtime.calls.result_check import differences

    issues = differences(tool, output.result, recognize(output.result))
    if issues:
        first = issues[0]
        where = first.field or "the result"
        raise MalformedResponseError(
            f"{tool.name}: {where} breaks {first.constraint} of the output schema", output.result
        )
