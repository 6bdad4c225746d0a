"""`ToolList`: the tools that a server lists, in pages as they come, and when they must be read again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

LIST_SECONDS: Final = 10.0
"""Seconds for a list that the proxy asks for; then calls are checked by what is known, or not at all."""
MAX_PAGES: Final = 1_000
"""Pages of a list after which a server is taken to repeat itself."""
MAX_AGE: Final = 60.0
"""Seconds after which a list is read again before a call is refused, if the server does not say (`ttlMs`)."""

Ask = Callable[[str | None], Awaitable[dict[str, Any] | None]]
"""Asks the server for the page at a cursor."""
_Pages = dict[str | None, Mapping[str, Any]]


class ToolList:
    """The tools, once all pages are there; `learn` is told."""

    def __init__(self, learn: Callable[[list[dict[str, Any]]], None]) -> None:
        self._learn = learn
        self._pages: _Pages = {}
        self.failed = False
        """Whether the server did not list its tools when it was asked to."""
        self._changes = 0
        self._expires = 0.0

    @property
    def is_known(self) -> bool:
        """Whether there is a list, or the server has been asked in vain."""
        return self.failed or _whole(self._pages)[0] is not None

    @property
    def is_old(self) -> bool:
        """Whether the tools may have changed since they were listed."""
        return time.monotonic() > self._expires

    def add(self, cursor: str | None, result: Mapping[str, Any]) -> None:
        """Add a page that the client asked for. The first one begins a new list."""
        if cursor is None:
            self._pages = {}
        self._take({**self._pages, cursor: result})

    def changed(self) -> None:
        """Count the list as unknown, as after `list_changed`."""
        self._pages, self.failed, self._changes = {}, False, self._changes + 1

    async def read(self, ask: Ask) -> None:
        """Ask for all pages, again if the list changes meanwhile; after a failure keep what is known."""
        is_read = False
        try:
            async with asyncio.timeout(LIST_SECONDS):
                is_read = await self._read(ask)
        except TimeoutError:
            pass
        self.failed = _whole(self._pages)[0] is None
        if not is_read:
            self._expires = time.monotonic() + MAX_AGE

    async def _read(self, ask: Ask) -> bool:
        pages: _Pages = {}
        cursor: str | None = None
        while True:
            changes = self._changes
            result = await ask(cursor)
            if changes != self._changes:
                pages, cursor = {}, None
                continue
            if result is None:
                return False
            pages[cursor] = result
            tools, cursor = _whole(pages)
            if tools is not None:
                self._take(pages)
                return True

    def _take(self, pages: _Pages) -> None:
        self._pages = pages
        lives = next(reversed(pages.values())).get("ttlMs")
        if isinstance(lives, (int, float)) and not isinstance(lives, bool):
            self._expires = time.monotonic() + max(0.0, lives / 1000)
        else:
            self._expires = time.monotonic() + MAX_AGE
        tools, _ = _whole(pages)
        if tools is not None:
            self.failed = False
            self._learn(tools)


def _whole(pages: _Pages) -> tuple[list[dict[str, Any]] | None, str | None]:
    """Return the tools of all pages; None with the cursor of the first page that is missing."""
    tools: list[dict[str, Any]] = []
    cursor: str | None = None
    seen: set[str | None] = set()
    while cursor not in seen and len(seen) < MAX_PAGES:
        seen.add(cursor)
        if (page := pages.get(cursor)) is None:
            return None, cursor
        listed, following = page.get("tools"), page.get("nextCursor")
        tools += [tool for tool in listed if isinstance(tool, dict)] if isinstance(listed, list) else []
        if not isinstance(following, str) or not following:
            break
        cursor = following
    return tools, None
