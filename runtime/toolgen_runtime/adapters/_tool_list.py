"""The tools that a server of MCP lists: asked for once and as they change, and never in the way of a right call."""

# pyright: reportMissingImports=false
from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable
from typing import Any

from toolgen_runtime.adapters._checks import Call, Checks, framework, is_right, verdict
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.registry import Registry

with framework("mcp"):
    from anyio import Lock, move_on_after
    from mcp.types import PaginatedRequestParams, ToolListChangedNotification

LIST_SECONDS = 5.0
"""Seconds that a list may take; calls go on without it then."""
RETRY_SECONDS = 30.0
"""Seconds after which a list that failed is asked for again."""
_MOST_PAGES = 100
_SUBSCRIBED = "2026-07-28"
"""The version of MCP from which on a server tells changes to those that listen for them alone."""


class ToolList:
    """Checks calls against a list that others keep; a tool that is listed and cannot be compiled is not checked.

    A call that is right by the list so far is not held up. Before a call is refused, the list is asked for anew,
    unless its changes are announced and there was none.
    """

    def __init__(self, checks: Checks, tools: Any) -> None:
        """Take a function, sync or async, that returns the tools that there are now; or tools that never change."""
        self.checks = checks
        self._ask: Callable[[], Any] = tools
        self._listed: Any = None
        self._is_current = not inspect.isroutine(tools)
        self._registry: Registry | None = checks.registry if self._is_current else None
        """The tools that were listed last; None before."""
        self._retry_at = 0.0
        self._lock: Lock | None = None
        self.announced = False
        """Whether `changed` is called when the tools change."""

    def changed(self) -> None:
        """Note that the tools are other ones now."""
        self._is_current = False

    async def check(
        self, conversation: Conversation, name: str, arguments: Any, seconds: float | None = None
    ) -> Call | None:
        """Check a call; return None if there is nothing to check it with.

        Args:
            conversation: whose call it is.
            name, arguments: the call.
            seconds: how long the list may take, if the caller has less time than `LIST_SECONDS`.
        """
        known = self._registry
        if known is None or not (self._is_current or is_right(known, name, arguments)):
            await self._refresh(min(LIST_SECONDS, seconds or LIST_SECONDS))
        registry = self._registry
        if registry is None or (name not in registry and name in self.checks.unchecked):
            return None
        if conversation.registry is not registry:
            conversation.update(registry)
        return verdict(conversation, name, arguments)

    async def _refresh(self, seconds: float) -> None:
        if time.monotonic() < self._retry_at:
            return
        self._lock = self._lock or Lock()
        was = self._listed
        with move_on_after(seconds):
            async with self._lock:
                if self._is_current or self._listed is not was:
                    return  # another call has asked meanwhile
                try:
                    self._is_current = True  # a change while it is asked for makes it stale again
                    listed = self._ask()
                    listed = await listed if inspect.isawaitable(listed) else listed
                    if self._registry is None or listed != was:
                        self._registry = self.checks.compiled(listed)
                    self._listed = listed
                    self._is_current &= self.announced
                    return
                except Exception:  # the call itself will say what is wrong with the server
                    pass
        self._is_current = False
        self._retry_at = time.monotonic() + RETRY_SECONDS


async def every_page(list_tools: Callable[..., Awaitable[Any]]) -> list[Any]:
    """Return the tools of every page, as the server has them now."""
    takes = inspect.signature(list_tools).parameters
    options = {"cache_mode": "refresh"} if "cache_mode" in takes else {}
    tools: list[Any] = []
    place: dict[str, Any] = {}
    for _ in range(_MOST_PAGES):
        page = await list_tools(**place, **options)
        tools += page.tools
        cursor = getattr(page, "next_cursor", None) or getattr(page, "nextCursor", None)
        if not cursor:
            break
        of_mcp_1 = "cursor" not in takes
        place = {"params": PaginatedRequestParams(cursor=cursor)} if of_mcp_1 else {"cursor": cursor}
    return tools


def follow(session: Any, changed: Callable[[], None]) -> bool:
    """Let a session tell of `list_changed`; return whether its server sends that, and the session can tell."""
    session = getattr(session, "session", session)  # of a `Client` of mcp 2
    of_mcp_1 = getattr(
        session, "get_server_capabilities", lambda: getattr(session, "server_capabilities", None)
    )
    tools = getattr(of_mcp_1(), "tools", None)
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
