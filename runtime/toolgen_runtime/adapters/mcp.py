"""Model Context Protocol: checked calls of a client session and of a low-level server, with mcp 1 and 2.

    session = checked(session)                                       # list_tools and call_tool as before
    Server("name", on_list_tools=..., on_call_tool=guard(on_call_tool, tools))            # mcp 2
    server.call_tool(validate_input=False)(guard(call_tool, tools))                       # mcp 1

A refused call gets a result with `isError` (MCP 2026-07-28, server/tools, "Error Handling") and the hint as its text;
its `_meta` has data for the host under `toolgen`. All other calls and results are unchanged.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, Unpack, overload

from toolgen_runtime.adapters._checks import Call, Checks, HostRounds, client_of, framework, noted
from toolgen_runtime.adapters._tool_list import ToolList, every_page, follow
from toolgen_runtime.calls.errors import ToolErrorKind
from toolgen_runtime.calls.options import Options
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.validation.json_text import read

with framework("mcp"):
    from mcp import ClientSession
    from mcp.types import INVALID_PARAMS, CallToolResult, TextContent

__all__ = ["CheckedClient", "CheckedSession", "Guard", "checked", "guard", "to_output"]

SessionT = TypeVar("SessionT")


class Session(HostRounds):
    """A session with another `call_tool`; whatever else is asked of it, the session itself answers."""

    def __init__(self, session: Any, checks: Checks) -> None:
        self._session = session
        self.conversation = checks.conversation(None)
        self._tools = ToolList(checks, self._list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    @property  # type: ignore[misc]  # it has a setter in `object`
    def __class__(self) -> type[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The session's own class: `isinstance` says what type checkers are told."""
        return type(self._session)

    async def __aenter__(self) -> Any:
        await self._session.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self._session.__aexit__(*error)

    async def call_tool(self, name: str, arguments: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Check a call, and make it where its arguments are right; see the session's own `call_tool`."""
        seconds = args[0] if args else kwargs.get("read_timeout_seconds")
        if isinstance(seconds, timedelta):  # of mcp 1
            seconds = seconds.total_seconds()
        call = await self._tools.check(self.conversation, name, arguments, seconds)
        if call is not None and not call.output.ok:
            return _refusal(call.output)
        return await _answer(
            call, arguments, lambda given: self._session.call_tool(name, given, *args, **kwargs)
        )

    async def _list(self) -> list[Any]:
        if not self._tools.announced:
            self._tools.announced = follow(self._session, self._tools.changed)
        return await every_page(self._session.list_tools)


if TYPE_CHECKING:
    from mcp import Client

    Arguments = Mapping[str, Any] | str | bytes | None

    class _Checked(HostRounds):
        async def __aenter__(self) -> Self: ...

        @overload
        async def call_tool(
            self, name: str, arguments: Arguments = None, *args: Any,
            allow_input_required: Literal[False] = False, allow_claimed: Literal[False] = False, **options: Any,
        ) -> CallToolResult: ...  # fmt: skip
        @overload
        async def call_tool(
            self, name: str, arguments: Arguments = None, *args: Any, **options: Any
        ) -> Any: ...
        async def call_tool(self, name: str, arguments: Any = None, *args: Any, **options: Any) -> Any: ...

    class CheckedSession(_Checked, ClientSession):  # pyright: ignore[reportIncompatibleMethodOverride]
        """A `ClientSession` that answers wrong arguments itself; they may also be the text that a model wrote."""

    class CheckedClient(_Checked, Client):  # pyright: ignore[reportIncompatibleMethodOverride]
        """The same of a `Client` of mcp 2."""

else:
    CheckedClient = CheckedSession = Session


@overload
def checked(session: ClientSession, **options: Unpack[Options]) -> CheckedSession: ...
@overload
def checked(session: Client, **options: Unpack[Options]) -> CheckedClient: ...
@overload
def checked(session: SessionT, **options: Unpack[Options]) -> SessionT: ...
def checked(session: Any, **options: Unpack[Options]) -> Any:
    """Return a session of the same type whose `call_tool` refuses wrong arguments with a hint.

    `arguments` may also be the JSON string that the model wrote. The tools are listed at the first call and when the
    server announces a change. If the server does not announce changes, they are also listed before a call is refused.
    If listing fails or takes too long, the call is made without a check.

    A session does not see the model's answers or the user's questions, so each call is checked without regard to
    earlier calls. To compare calls, call `begin_round()` of the returned session at each answer of the model, and
    `begin_turn()` at each question of the user.

    Args:
        session: a `ClientSession`; a `Client` of mcp 2; anything with their `list_tools` and `call_tool`.
        options: the options of `toolgen_runtime.Registry`.
    """
    return Session(session, Checks("checked()", **options))


class Guard(HostRounds):
    """A handler of `tools/call` that checks calls; a connection is a conversation.

    A server does not see the model's answers or the user's questions. Without `begin_round` and `begin_turn` each
    call is checked without regard to earlier calls. Both take the request's context; with mcp 1 they need none.
    """

    def __init__(self, on_call_tool: Callable[..., Awaitable[Any]], tools: ToolList) -> None:
        self._on_call_tool = on_call_tool
        self._tools = tools

    async def __call__(self, first: Any, second: Any) -> Any:
        """Refuse wrong arguments; leave all else to the handler."""
        of_mcp_1 = isinstance(first, str)
        name, arguments = (first, second) if of_mcp_1 else (second.name, second.arguments)
        conversation = self._conversation(None if of_mcp_1 else first)
        call = await self._tools.check(conversation, name, arguments)
        if call is not None and not call.output.ok:
            if call.output.kind is ToolErrorKind.UNKNOWN_TOOL and not of_mcp_1:
                from mcp.shared.exceptions import MCPError  # MCP 2026-07-28, server/tools, "Error Handling"

                raise MCPError(INVALID_PARAMS, call.output.text(), {"toolgen": call.output.facts()})
            return _refusal(call.output)

        def run(given: Any) -> Awaitable[Any]:
            if given is arguments:
                return self._on_call_tool(first, second)
            return self._on_call_tool(
                first, given if of_mcp_1 else second.model_copy(update={"arguments": given})
            )

        return await _answer(call, arguments, run)

    def _conversation(self, context: Any) -> Conversation:
        if context is None:
            server: Any = import_module("mcp.server.lowlevel.server")  # of mcp 1
            context = server.request_ctx.get(None)
        return self._tools.checks.conversation(client_of(context))


def guard(on_call_tool: Callable[..., Awaitable[Any]], tools: Any, **options: Unpack[Options]) -> Guard:
    """Return a handler of `tools/call` that refuses wrong arguments and passes other calls to `on_call_tool`.

    Args:
        on_call_tool: the handler; with mcp 2 it takes the context and the parameters, with mcp 1 the name and the
            arguments.
        tools: the server's list of tools, a toolset or a registry; or a function, sync or async, that returns the
            current list. It is called at the first call, and before a call is refused.
        options: the options of `toolgen_runtime.Registry`.
    """
    checks = Checks("guard()", None if inspect.isroutine(tools) else tools, **options)
    return Guard(on_call_tool, ToolList(checks, tools))


def to_output(result: Any, *, tool: str = "") -> ToolOutput:
    """Return the `ToolOutput` of a call, from its `CallToolResult` or from the exception that it raised."""
    return Conversation({}).returned(ToolOutput(tool), result)


async def _answer(call: Call | None, arguments: Any, run: Callable[[Any], Awaitable[Any]]) -> Any:
    """Run a call that may be run and count it, if it was checked; add to its result what the model is to read."""
    if call is None:
        if isinstance(arguments, (str, bytes)):
            value, issues = read(arguments) if arguments else (None, [])
            arguments = arguments if issues else value  # what is not JSON, the session itself refuses
        return await run(arguments)
    as_given = arguments is None or (isinstance(arguments, Mapping) and not call.output.repairs)
    result, note = await call.result_of(run(arguments if as_given else call.output.payload))
    return noted(result, note, TextContent) if isinstance(result, CallToolResult) else result


def _refusal(output: ToolOutput) -> CallToolResult:
    content = [{"type": "text", "text": output.text()}]
    meta = {"toolgen": output.facts()}
    return CallToolResult.model_validate({"content": content, "isError": True, "_meta": meta})
