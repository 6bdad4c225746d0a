"""`ToolList`: the tools that a server lists, in pages as they come, and when they must be read again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

LIST_SECONDS: Final = 10.0
"""Seconds for a list that the proxy asks for; then calls are checked by what is known, or not at all."""
MAX_PAGES: Final = 1_000
"""Pages of a list after which a server is taken to repeat itself."""
MAX_AGE: Final = 60.0
"""Seconds after which a list is read again before a call is refused, if the server does not say (`ttlMs`)."""

Ask = Callable[[str | None], Awaitable[dict[str, Any] | None]]
"""Asks the server for the page at a cursor."""


class ToolList:
    """The tools, once all pages are there; `learn` is told."""

    def __init__(self, learn: Callable[[list[dict[str, Any]]], None]) -> None:
        self._learn = learn
        self._has_tools = False
        self._pages: dict[str | None, Mapping[str, Any]] = {}
        """The pages of the list that the client asked for last, by cursor."""
        self.failed = False
        """Whether the server did not list its tools when it was asked to."""
        self._changes = 0
        self._expires = 0.0
        self.reading = asyncio.Lock()

    @property
    def is_known(self) -> bool:
        """Whether there is a list, or the server has been asked in vain."""
        return self.failed or self._has_tools

    @property
    def is_old(self) -> bool:
        """Whether the tools may have changed since they were listed."""
        return time.monotonic() > self._expires

    def add(self, cursor: str | None, result: Mapping[str, Any]) -> None:
        """Add a page that the client asked for. The first one begins a new list."""
        if cursor is None:
            self._pages, self._has_tools = {}, False
        self._pages[cursor] = result
        self._take(self._pages)

    def changed(self) -> None:
        """Count the list as unknown, as after `list_changed`."""
        self._pages, self._has_tools, self.failed = {}, False, False
        self._changes += 1

    async def read(self, ask: Ask) -> None:
        """Ask for all pages, again if the list changes meanwhile; after a failure keep what is known."""
        is_read = False
        with suppress(TimeoutError):
            async with asyncio.timeout(LIST_SECONDS):
                is_read = await self._read(ask)
        self.failed = not self._has_tools
        if not is_read:
            self._expires = time.monotonic() + MAX_AGE

    async def _read(self, ask: Ask) -> bool:
        pages: dict[str | None, Mapping[str, Any]] = {}
        cursor: str | None = None
        while cursor not in pages:
            changes = self._changes
            result = await ask(cursor)
            if changes != self._changes:
                pages, cursor = {}, None
            elif result is None:
                return False
            else:
                pages[cursor] = result
                cursor = self._take(pages)
        return True

    def _take(self, pages: dict[str | None, Mapping[str, Any]]) -> str | None:
        """Learn the tools if all pages are there; return the cursor of the first that is missing, or a known one."""
        tools: list[dict[str, Any]] = []
        cursor: str | None = None
        for _ in range(min(len(pages), MAX_PAGES)):
            if (page := pages.get(cursor)) is None:
                return cursor
            listed, following = page.get("tools"), page.get("nextCursor")
            tools += [tool for tool in listed if isinstance(tool, dict)] if isinstance(listed, list) else []
            cursor = following if isinstance(following, str) and following else None
            if cursor is None:
                break
        if cursor not in pages and len(pages) < MAX_PAGES:
            return cursor
        lives = next(reversed(pages.values())).get("ttlMs")
        if not isinstance(lives, (int, float)) or isinstance(lives, bool):
            lives = MAX_AGE * 1000
        self._expires = time.monotonic() + max(0.0, lives / 1000)
        self.failed, self._has_tools = False, True
        self._learn(tools)
        return None
