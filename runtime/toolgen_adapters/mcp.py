"""Model Context Protocol: check the calls of a client session or of a server, with mcp 1 and 2.

    session = checked(session)                                       # list_tools and call_tool as before
    server.middleware.append(ToolgenMiddleware(server.list_tools))                        # MCPServer of mcp 2
    Server("name", on_list_tools=..., on_call_tool=guard(on_call_tool, tools))            # mcp 2
    server.call_tool(validate_input=False)(guard(call_tool, tools))                       # mcp 1

The result of a rejected call has `isError` (MCP 2026-07-28, server/tools, "Error Handling"), and its text is the hint.
Its `_meta` contains data for your application under `toolgen`. All other calls and results are unchanged.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, Unpack, overload

from toolgen_adapters.call import Call
from toolgen_adapters.checks import (
    HAS_QUESTIONS,
    AdapterOptions,
    Checks,
    HostRounds,
    client_of,
    framework,
    noted,
)
from toolgen_adapters.mcp_tools import ToolList, all_tools, follow
from toolgen_adapters.questions import KEY, can_ask, elicit
from toolgen_runtime.calls.errors import ToolErrorKind
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.validation.json_text import read

with framework("mcp", "mcp", "1.19"):
    from mcp import ClientSession
    from mcp.types import (
        INVALID_PARAMS,
        CallToolRequestParams,
        CallToolResult,
        TextContent,
    )

__all__ = ["CheckedClient", "CheckedSession", "Guard", "ToolgenMiddleware", "checked", "guard", "to_output"]

SessionT = TypeVar("SessionT")


class Session(HostRounds):
    """A wrapper around a session. Its `call_tool` checks each call, and all other attributes are those of the
    session.
    """

    def __init__(self, session: Any, checks: Checks) -> None:
        self._session = session
        self.conversation = checks.conversation(None)
        self._tools = ToolList(checks, self._list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    @property  # type: ignore[misc]  # `object.__class__` has a setter
    def __class__(self) -> type[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The class of the wrapped session, so that `isinstance` agrees with type checkers."""
        return type(self._session)

    async def __aenter__(self) -> Any:
        await self._session.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self._session.__aexit__(*error)

    async def call_tool(self, name: str, arguments: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Check a call, and send it if it is accepted.

        The parameters are those of the wrapped session's `call_tool`.
        """
        seconds = next(iter(args), kwargs.get("read_timeout_seconds"))
        if isinstance(seconds, timedelta):  # of mcp 1
            seconds = seconds.total_seconds()
        call = await self._tools.check(self.conversation, name, arguments, seconds)
        if call is not None and not call.output.ok:
            return _refusal(call.output)
        return await _answer(
            call, arguments, lambda given: self._session.call_tool(name, given, *args, **kwargs)
        )

    async def _list(self) -> list[Any]:
        """Return the current tools of the server, or of all servers of a group."""
        if not self._tools.announced:
            self._tools.announced = follow(self._session, self._tools)
        if hasattr(self._session, "list_tools"):
            return await all_tools(self._session)
        # A `ClientSessionGroup` lists the tools of a server when it connects; it calls each by the server's own name.
        group = self._session
        listed: dict[Any, dict[str, Any]] = {}
        for session in dict.fromkeys(group._tool_to_session.values()):
            listed[session] = {tool.name: tool for tool in await all_tools(session)}
        tools = []
        for name, tool in group.tools.items():
            now = listed[group._tool_to_session[name]].get(tool.name, tool)
            tools.append(now.model_copy(update={"name": name}))
        return tools


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
        """A `ClientSession` that checks each call before it is sent.

        The arguments may also be the text that a model wrote.
        """

    class CheckedClient(_Checked, Client):  # pyright: ignore[reportIncompatibleMethodOverride]
        """A `Client` of mcp 2 that checks each call before it is sent.

        The arguments may also be the text that a model wrote.
        """

else:
    CheckedClient = CheckedSession = Session


@overload
def checked(session: ClientSession, **options: Unpack[AdapterOptions]) -> CheckedSession: ...
@overload
def checked(session: Client, **options: Unpack[AdapterOptions]) -> CheckedClient: ...
@overload
def checked(session: SessionT, **options: Unpack[AdapterOptions]) -> SessionT: ...
def checked(session: Any, **options: Unpack[AdapterOptions]) -> Any:
    """Return a session of the same type whose `call_tool` returns a hint for wrong arguments.

    `arguments` may also be the JSON string that the model wrote. The session lists the tools at the first call, and
    again when the server announces a change. If the server does not announce changes, the session also lists the tools
    before it rejects a call. If listing fails or takes too long, the call is made without a check.

    A session does not see model responses or user messages, so each call is checked on its own. To compare a call with
    earlier calls, call `begin_round()` of the returned session for each model response, and `begin_turn()` for each
    user message.

    Args:
        session: a `ClientSession`, a `Client` of mcp 2, a `ClientSessionGroup`, or another object with `list_tools`
            and `call_tool`.
        options: the options of `toolgen_runtime.Registry`.

    Raises:
        TypeError: the object has no tools, or an option cannot be used here.
    """
    if not hasattr(session, "list_tools") and not hasattr(session, "tools"):
        kind = type(session).__name__
        raise TypeError(f"checked() takes a session with list_tools and call_tool, not a {kind}")
    return Session(session, Checks("checked()", options))


class _Guarded(HostRounds):
    """A server's checks of calls. Each connection is a conversation."""

    def __init__(self, tools: ToolList) -> None:
        self._tools = tools

    async def _check(self, first: Any, second: Any, on_call_tool: Callable[..., Awaitable[Any]]) -> Any:
        of_mcp_1 = isinstance(first, str)
        name, arguments = (first, second) if of_mcp_1 else (second.name, second.arguments)
        if of_mcp_1:
            context = _context_of_mcp_1()
        else:
            context = first
        responses = getattr(second, "input_responses", None) or {}
        call = await self._tools.check(
            self._conversation(context),
            name,
            arguments,
            can_ask=can_ask(context),
            is_repeated=KEY in responses,
        )
        if call is not None and call.question is not None:
            asks = await elicit(call, call.question, context, responses)
            if asks is not None:
                return asks
        if call is not None and not call.output.ok:
            if call.output.kind is ToolErrorKind.UNKNOWN_TOOL and not of_mcp_1:
                from mcp.shared.exceptions import MCPError  # MCP 2026-07-28, server/tools, "Error Handling"

                raise MCPError(INVALID_PARAMS, call.output.text(), {"toolgen": call.output.facts()})
            return _refusal(call.output)

        def run(given: Any) -> Awaitable[Any]:
            if given is arguments:
                return on_call_tool(first, second)
            return on_call_tool(first, given if of_mcp_1 else second.model_copy(update={"arguments": given}))

        return await _answer(call, arguments, run)

    def _conversation(self, context: Any) -> Conversation:
        checks = self._tools.checks
        return checks.conversation(client_of(context or _context_of_mcp_1(), is_alone=checks.asks))


class Guard(_Guarded):
    """A handler of `tools/call` that checks calls. Each connection is a conversation.

    A server does not see model responses or user messages. Unless you call `begin_round` and `begin_turn`, each call is
    therefore checked on its own. Both take the request's context; with mcp 1, they need no argument.
    """

    def __init__(self, on_call_tool: Callable[..., Awaitable[Any]], tools: ToolList) -> None:
        super().__init__(tools)
        self._on_call_tool = on_call_tool

    async def __call__(self, first: Any, second: Any) -> Any:
        """Reject wrong arguments, and pass all other calls to the handler."""
        return await self._check(first, second, self._on_call_tool)


class ToolgenMiddleware(_Guarded):
    """A middleware of an `MCPServer` of mcp 2 that checks calls. Each connection is a conversation.

    `begin_round` and `begin_turn` are those of `Guard`.
    """

    def __init__(self, tools: Any, **options: Unpack[AdapterOptions]) -> None:
        """Take the server's `list_tools`, or other tools as `guard` takes them.

        Args:
            tools: the tools, or a sync or async function that returns the current list.
            options: the options of `toolgen_runtime.Registry`.
        """
        super().__init__(_server_tools("ToolgenMiddleware()", tools, options))

    async def __call__(self, ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        """Reject calls with wrong arguments, and pass all other messages on."""
        if ctx.method != "tools/call":
            return await call_next(ctx)

        async def run(_: Any, params: CallToolRequestParams) -> Any:
            sent = {**ctx.params, "arguments": params.arguments}
            result = await call_next(replace(ctx, params=sent))
            if isinstance(result, dict) and "content" in result:
                return CallToolResult.model_validate(result)
            return result  # such as a question to the user

        return await self._check(ctx, CallToolRequestParams.model_validate(ctx.params), run)


def _server_tools(where: str, tools: Any, options: AdapterOptions) -> ToolList:
    checks = Checks(where, options, None if inspect.isroutine(tools) else tools, HAS_QUESTIONS)
    return ToolList(checks, tools)


def _context_of_mcp_1() -> Any:
    server: Any = import_module("mcp.server.lowlevel.server")
    return server.request_ctx.get(None)


def guard(
    on_call_tool: Callable[..., Awaitable[Any]], tools: Any, **options: Unpack[AdapterOptions]
) -> Guard:
    """Return a handler of `tools/call` that returns a hint for wrong arguments and passes other calls to
    `on_call_tool`.

    Args:
        on_call_tool: the handler. With mcp 2 it takes the context and the parameters, and with mcp 1 the name and the
            arguments.
        tools: the server's list of tools, a toolset or a registry. It may also be a sync or async function that returns
            the current list; this function is called at the first call, and before a call is rejected.
        options: the options of `toolgen_runtime.Registry`.
    """
    return Guard(on_call_tool, _server_tools("guard()", tools, options))


def to_output(result: Any, *, tool: str = "") -> ToolOutput:
    """Convert the `CallToolResult` of a call, or the exception that it raised, to a `ToolOutput`."""
    return Conversation({}).returned(ToolOutput(tool), result)


async def _answer(call: Call | None, arguments: Any, run: Callable[[Any], Awaitable[Any]]) -> Any:
    """Run a call. If it was checked, count it and add the notes for the model to its result."""
    if call is None:
        if isinstance(arguments, (str, bytes)):
            value, issues = read(arguments) if arguments else (None, [])
            arguments = arguments if issues else value  # the session refuses text that is not JSON
        return await run(arguments)
    as_given = arguments is None or (isinstance(arguments, Mapping) and not call.is_changed)
    result, note = await call.result_of(run(arguments if as_given else call.output.payload))
    return _with_note(result, note)


def _with_note(result: Any, note: str) -> Any:
    """Return a result with a note for the model.

    Handlers of mcp 1 may return only the content, or content and a value.
    """
    if isinstance(result, CallToolResult):
        return noted(result, note, TextContent)
    if not note:
        return result
    block = TextContent(type="text", text=note)
    if isinstance(result, list):
        return [*result, block]
    if isinstance(result, tuple) and len(result) == 2:
        content, value = result
        return [*content, block], value
    return result  # a value alone: the server makes its content


def _refusal(output: ToolOutput) -> CallToolResult:
    content = [{"type": "text", "text": output.text()}]
    meta = {"toolgen": output.facts()}
    return CallToolResult.model_validate({"content": content, "isError": True, "_meta": meta})
