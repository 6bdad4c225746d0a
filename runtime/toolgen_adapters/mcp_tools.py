"""The tools of an MCP server as a client knows them: a list that may change, and the requests for it."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from typing import Any, Unpack
from weakref import WeakKeyDictionary, WeakSet

from toolgen_adapters.call import Asking, Call
from toolgen_adapters.checks import LIST_SECONDS, Checks, framework, is_right
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.registry import Registry

with framework("mcp", "mcp", "1.19"):
    from anyio import Lock, move_on_after
    from mcp.types import PaginatedRequestParams, ToolListChangedNotification

RETRY_SECONDS = 30.0
"""The number of seconds after which a failed list is requested again."""
_MOST_PAGES = 100
_SUBSCRIBED = "2026-07-28"
"""The first version of MCP in which a server announces changes only to clients that subscribe to them."""


class ToolList:
    """Checks calls against a list of tools that may change.

    Calls to listed tools that cannot be compiled are not checked.

    A call that is valid according to the last list is not delayed. Before a call is rejected, the list is requested
    again, unless the server announces changes and has announced none.
    """

    def __init__(self, checks: Checks, tools: Any) -> None:
        """Take a sync or async function that returns the current tools, or take tools that never change."""
        self.checks = checks
        self._ask: Callable[[], Any] = tools
        self._listed: Any = None
        self._is_current = not inspect.isroutine(tools)
        self._registry: Registry | None = checks.registry if self._is_current else None
        """The tools of the last list; None before the first list."""
        self._retry_at = 0.0
        self._lock: Lock | None = None
        self.announced = False
        """Whether `changed` is called when the tools change."""

    def changed(self) -> None:
        """Record that the list of tools has changed."""
        self._is_current = False

    async def check(
        self,
        conversation: Conversation,
        name: str,
        arguments: Any,
        seconds: float | None = None,
        **asking: Unpack[Asking],
    ) -> Call | None:
        """Check a call against the current list.

        Return None if there is no list, or if the tool cannot be compiled.

        Args:
            conversation: the conversation of the call.
            name, arguments: the call.
            seconds: the time that requesting the list may take, if the caller has less than `LIST_SECONDS`.
            asking: the options of a `Call` about questions to the user.
        """
        known = self._registry
        if known is None or not (self._is_current or is_right(known, name, arguments)):
            await self._refresh(min(LIST_SECONDS, seconds or LIST_SECONDS))
        registry = self._registry
        if registry is None or (name not in registry and name in self.checks.unchecked):
            return None
        if conversation.registry is not registry:
            conversation.update(registry)
        return Call(conversation, name, arguments, **asking)

    async def _refresh(self, seconds: float) -> None:
        if time.monotonic() < self._retry_at:
            return
        self._lock = self._lock or Lock()
        was = self._listed
        with move_on_after(seconds):
            async with self._lock:
                if self._is_current or self._listed is not was:
                    return  # another call has requested the list meanwhile
                try:
                    self._is_current = True  # a change during the request sets this to False again
                    listed = self._ask()
                    if inspect.isawaitable(listed):
                        listed = await listed
                    if self._registry is None or listed != was:
                        self._registry = self.checks.compiled(listed)
                    self._listed = listed
                    self._is_current &= self.announced
                    return
                except Exception:  # the call will show the server's error
                    pass
        self._is_current = False
        self._retry_at = time.monotonic() + RETRY_SECONDS


async def all_tools(session: Any) -> list[Any]:
    """Return the current tools of a session, from all pages."""
    takes = inspect.signature(session.list_tools).parameters
    if "cache_mode" in takes:
        options = {"cache_mode": "refresh"}
    else:
        options = {}
    tools: list[Any] = []
    place: dict[str, Any] = {}
    for _ in range(_MOST_PAGES):
        page = await session.list_tools(**place, **options)
        tools += page.tools
        cursor = getattr(page, "next_cursor", None) or getattr(page, "nextCursor", None)
        if not cursor:
            break
        of_mcp_1 = "cursor" not in takes
        if of_mcp_1:
            place = {"params": PaginatedRequestParams(cursor=cursor)}
        else:
            place = {"cursor": cursor}
    return tools


_followed: WeakKeyDictionary[Any, WeakSet[ToolList]] = WeakKeyDictionary()
"""For each session, the lists of tools to which `list_changed` is reported, because a session outlives conversations.
"""


def follow(session: Any, tools: ToolList) -> bool:
    """Report each `list_changed` to a list. Return whether the server sends it and the session can report it."""
    session = getattr(session, "session", session)  # `Client` of mcp 2
    of_mcp_1 = getattr(
        session, "get_server_capabilities", lambda: getattr(session, "server_capabilities", None)
    )
    capability = getattr(of_mcp_1(), "tools", None)
    handle = getattr(session, "_message_handler", None)
    announced = getattr(capability, "list_changed", None) or getattr(capability, "listChanged", None)
    if not announced or handle is None or str(getattr(session, "protocol_version", "")) >= _SUBSCRIBED:
        return False
    if session not in _followed:
        lists = _followed[session] = WeakSet()

        async def handler(message: Any) -> None:
            if isinstance(getattr(message, "root", message), ToolListChangedNotification):
                for each in list(lists):
                    each.changed()
            await handle(message)

        session._message_handler = handler  # neither version has a public way to add one
    _followed[session].add(tools)
    return True
