"""A client session of MCP whose calls are checked, and what clients and servers answer with."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any

from toolgen_runtime.adapters._checks import Checks, HostRounds, ended, facts
from toolgen_runtime.adapters._framework import framework
from toolgen_runtime.adapters._tool_list import ToolList
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.validation.json_text import read

with framework("mcp"):
    from mcp.types import CallToolResult, PaginatedRequestParams, TextContent, ToolListChangedNotification

_MOST_PAGES = 100
_SUBSCRIBED = "2026-07-28"
"""The version of MCP from which on a server tells changes to those that listen for them alone."""


class Session(HostRounds):
    """A session with another `call_tool`; whatever else is asked of it, the session itself answers."""

    def __init__(self, session: Any, checks: Checks) -> None:
        self._session = session
        self.conversation = checks.conversation(None)
        self._tools = ToolList(self._list, checks)

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
        seconds = _seconds(args[0] if args else kwargs.get("read_timeout_seconds"))
        output = await self._tools.check(self.conversation, name, arguments, seconds)
        if output is None:
            return await self._session.call_tool(name, _read(arguments), *args, **kwargs)
        if not output.ok:
            return refusal(output)
        given = arguments is None or (isinstance(arguments, Mapping) and not output.repairs)
        call = self._session.call_tool(name, arguments if given else output.payload, *args, **kwargs)
        return await answer(self.conversation, output, call)

    async def _list(self) -> list[Any]:
        """Return the tools that the server has now, those of every page."""
        if not self._tools.announced:
            self._tools.announced = _follow(self._session, self._tools.changed)
        tools: list[Any] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await self._page(cursor)
            tools += page.tools
            cursor = getattr(page, "next_cursor", None) or getattr(page, "nextCursor", None)
            if not cursor:
                break
        return tools

    async def _page(self, cursor: str | None) -> Any:
        takes = inspect.signature(self._session.list_tools).parameters
        options = {"cache_mode": "refresh"} if "cache_mode" in takes else {}
        if cursor is None:
            return await self._session.list_tools(**options)
        if "cursor" in takes:
            return await self._session.list_tools(cursor=cursor, **options)
        return await self._session.list_tools(params=PaginatedRequestParams(cursor=cursor))


def refusal(output: ToolOutput) -> CallToolResult:
    """Return the result of a call that was refused, flagged, with what a host may want to know in its `_meta`."""
    content = [{"type": "text", "text": output.text()}]
    return CallToolResult.model_validate(
        {"content": content, "isError": True, "_meta": {"toolgen": facts(output)}}
    )


async def answer(conversation: Conversation, output: ToolOutput, call: Awaitable[Any]) -> Any:
    """Await a call that was checked and count it; return its result, with a text more if there is anything to say."""
    result, note = await ended(conversation, output, call)
    if not note or not isinstance(result, CallToolResult):
        return result
    return result.model_copy(update={"content": [*result.content, TextContent(type="text", text=note)]})


def _read(arguments: Any) -> Any:
    """Return the object that a text stands for; whatever else it is, the session says what it thinks of it."""
    if not isinstance(arguments, (str, bytes)):
        return arguments
    value, issues = read(arguments) if arguments else (None, [])
    return arguments if issues else value


def _seconds(timeout: Any) -> float | None:
    """Return a timeout as mcp 1 (a `timedelta`) or mcp 2 (a number) takes it."""
    return timeout.total_seconds() if isinstance(timeout, timedelta) else timeout


def _follow(session: Any, changed: Callable[[], None]) -> bool:
    """Let a session tell of `list_changed`; return whether its server sends that, and the session can tell."""
    session = getattr(session, "session", session)  # of a `Client` of mcp 2
    capabilities = (
        session.get_server_capabilities()
        if hasattr(session, "get_server_capabilities")
        else getattr(session, "server_capabilities", None)
    )
    tools = getattr(capabilities, "tools", None)
    handle = getattr(session, "_message_handler", None)
    announced = getattr(tools, "list_changed", None) or getattr(tools, "listChanged", None)
    if not announced or handle is None or str(getattr(session, "protocol_version", "")) >= _SUBSCRIBED:
        return False

    async def handler(message: Any) -> None:
        if isinstance(getattr(message, "root", message), ToolListChangedNotification):
            changed()
        await handle(message)

    session._message_handler = handler  # neither version has a public way to add one
    return True
