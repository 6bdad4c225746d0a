"""A client session of MCP whose calls are checked, over the session that makes them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from toolgen_runtime.adapters._checks import Checks, ended, names_of
from toolgen_runtime.adapters._framework import framework
from toolgen_runtime.adapters._mcp import noted, refusal
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.validation.json_text import read

with framework("mcp"):
    from mcp.types import PaginatedRequestParams

_MOST_PAGES = 100


class Session:
    """A session with another `call_tool`; whatever else is asked of it, the session itself answers."""

    def __init__(self, session: Any, checks: Checks) -> None:
        self._session = session
        self._checks = checks
        self._conversation = checks.conversation(None)
        self._names: set[str] | None = None
        """The names that the server listed last; None before."""

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
        output = await self._check(name, arguments)
        if output is None:
            return await self._session.call_tool(name, _read(arguments), *args, **kwargs)
        if not output.ok:
            return refusal(self._conversation.returned(output))
        given = arguments is None or (isinstance(arguments, Mapping) and not output.repairs)
        call = self._session.call_tool(name, arguments if given else output.payload, *args, **kwargs)
        return noted(*await ended(self._conversation, output, call))

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


def _read(arguments: Any) -> Any:
    """Return the object that a text stands for; whatever else it is, the session says what it thinks of it."""
    if not isinstance(arguments, (str, bytes)):
        return arguments
    value, issues = read(arguments) if arguments else (None, [])
    return arguments if issues else value
