"""Model Context Protocol: checked calls of a client session and of a low-level server, with mcp 1 and 2.

    session = checked(session)                                       # list_tools and call_tool as before
    Server("name", on_list_tools=..., on_call_tool=guard(on_call_tool, tools))            # mcp 2
    server.call_tool(validate_input=False)(guard(call_tool, tools))                       # mcp 1

A call that is refused is a result with `isError` (MCP 2026-07-28, server/tools, "Error Handling"), whose text is
the hint; under `toolgen` its `_meta` has what a host may want to know. All else comes and goes as it is.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import Any, TypeVar, cast

from toolgen_runtime.adapters._checks import Checks, client_of, ended, facts, names_of
from toolgen_runtime.adapters._framework import framework
from toolgen_runtime.calls.errors import ToolErrorKind
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation

with framework("mcp"):
    from mcp.types import CallToolResult, PaginatedRequestParams, TextContent

SessionT = TypeVar("SessionT")
_MOST_PAGES = 100
_INVALID_PARAMS = -32602
"""The error of JSON-RPC for a tool that does not exist (MCP 2026-07-28, server/tools, "Error Handling")."""


def checked(session: SessionT, **options: Any) -> SessionT:
    """Return a session like this one whose `call_tool` answers wrong arguments itself.

    `arguments` may also be the text that the model wrote. The tools are listed at the first call, where they
    were not before, and anew before a call is refused, since a server's tools may change.

    Args:
        session: a `ClientSession`; a `Client` of mcp 2; anything with their `list_tools` and `call_tool`.
        options: those of `toolgen_runtime.Registry`.
    """
    checked_session: Any = _CheckedSession(session, Checks(**options))
    return cast(SessionT, checked_session)


def guard(
    on_call_tool: Callable[..., Awaitable[Any]], tools: Any, **options: Any
) -> Callable[..., Awaitable[Any]]:
    """Return a handler of `tools/call` that refuses wrong arguments and leaves the rest to `on_call_tool`.

    Args:
        on_call_tool: of mcp 2, taking the context and the parameters; or of mcp 1, taking name and arguments.
        tools: what the server lists, a toolset, a registry; or a function, sync or async, that returns
            the list as it is now.
        options: those of `toolgen_runtime.Registry`.
    """
    listed: Callable[[], Any] | None = tools if inspect.isroutine(tools) else None
    checks = Checks(None if listed else tools, **options)

    async def guarded(first: Any, second: Any) -> Any:
        of_mcp_1 = isinstance(first, str)
        name, arguments = (first, second) if of_mcp_1 else (second.name, second.arguments)
        conversation = checks.conversation(client_of(_context_of_mcp_1() if of_mcp_1 else first))
        shown = tools if listed is None else await _awaited(listed())
        if listed is not None:
            conversation.update(checks.compiled(shown))
        if name not in conversation.registry and name in names_of(shown):
            return await on_call_tool(first, second)
        output = conversation.check(name, arguments)
        if not output.ok:
            refused = conversation.returned(output)
            if refused.kind is ToolErrorKind.UNKNOWN_TOOL and not of_mcp_1:
                raise _unknown(refused)
            return _refusal(refused)
        if output.repairs:
            arguments = output.payload
            second = arguments if of_mcp_1 else second.model_copy(update={"arguments": arguments})
        return _noted(*await ended(conversation, output, on_call_tool(first, second)))

    return guarded


def to_output(result: Any, *, tool: str = "") -> ToolOutput:
    """Return how a call ended, from its `CallToolResult` or from the exception that it raised."""
    return Conversation({}).returned(ToolOutput(tool), result)


class _CheckedSession:
    """A session with another `call_tool`; whatever else is asked of it, the session itself answers."""

    def __init__(self, session: Any, checks: Checks) -> None:
        self._session = session
        self._checks = checks
        self._conversation = checks.conversation(None)
        self._names: set[str] | None = None
        """The names that the server listed last; None before."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    async def __aenter__(self) -> Any:
        await self._session.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self._session.__aexit__(*error)

    async def call_tool(self, name: str, arguments: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Check a call, and make it where its arguments are right; see the session's own `call_tool`."""
        output = await self._check(name, arguments)
        if output is None:
            return await self._session.call_tool(name, arguments, *args, **kwargs)
        if not output.ok:
            return _refusal(self._conversation.returned(output))
        given = arguments is None or (isinstance(arguments, Mapping) and not output.repairs)
        call = self._session.call_tool(name, arguments if given else output.payload, *args, **kwargs)
        return _noted(*await ended(self._conversation, output, call))

    async def _check(self, name: str, arguments: Any) -> ToolOutput | None:
        """Return the verdict on a call; None where the tool is there and cannot be checked."""
        fresh = self._names is None
        if fresh:
            await self._list()
        if self._is_unchecked(name):
            return None
        known = self._conversation.registry.find(name)
        output = self._conversation.check(name, arguments)
        if output.ok or fresh:
            return output
        await self._list()
        if self._is_unchecked(name):
            return None
        same = self._conversation.registry.find(name) is known
        return output if same else self._conversation.check(name, arguments)

    def _is_unchecked(self, name: str) -> bool:
        return name in (self._names or ()) and name not in self._conversation.registry

    async def _list(self) -> None:
        """Take the tools that the server has now, those of every page."""
        tools: list[Any] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await self._page(cursor)
            tools += page.tools
            cursor = getattr(page, "next_cursor", None) or getattr(page, "nextCursor", None)
            if not cursor:
                break
        self._names = names_of(tools)
        self._conversation.update(self._checks.compiled(tools))

    async def _page(self, cursor: str | None) -> Any:
        takes = inspect.signature(self._session.list_tools).parameters
        options = {"cache_mode": "refresh"} if "cache_mode" in takes else {}
        if cursor is None:
            return await self._session.list_tools(**options)
        if "cursor" in takes:
            return await self._session.list_tools(cursor=cursor, **options)
        return await self._session.list_tools(params=PaginatedRequestParams(cursor=cursor))


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def _noted(result: Any, note: str) -> Any:
    """Return a result with a text more in its content, if there is anything to say."""
    if not note or not isinstance(result, CallToolResult):
        return result
    return result.model_copy(update={"content": [*result.content, TextContent(type="text", text=note)]})


def _refusal(output: ToolOutput) -> Any:
    content = [{"type": "text", "text": output.text()}]
    return CallToolResult.model_validate(
        {"content": content, "isError": True, "_meta": {"toolgen": facts(output)}}
    )


def _unknown(output: ToolOutput) -> Exception:
    from mcp.shared.exceptions import MCPError

    return MCPError(_INVALID_PARAMS, output.text(), {"toolgen": facts(output)})


def _context_of_mcp_1() -> Any:
    server: Any = import_module("mcp.server.lowlevel.server")
    return server.request_ctx.get(None)
