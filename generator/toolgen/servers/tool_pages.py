"""`ToolPages`: the tools that a server lists, put together from pages, and how old they are."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

MAX_PAGES: Final = 1_000
"""Pages of a list after which a server is taken to repeat itself."""
MAX_AGE: Final = 60.0
"""Seconds after which a list is read again before a call is refused, where the server does not say (`ttlMs`)."""


@dataclass(frozen=True, slots=True)
class _Page:
    tools: tuple[dict[str, Any], ...]
    next_cursor: str | None


class ToolPages:
    """The pages of one `tools/list`, by their cursors; the list is whole once the last one is there."""

    def __init__(self) -> None:
        self._pages: dict[str | None, _Page] = {}
        self._max_age = MAX_AGE
        self._at = time.monotonic()

    def add(self, cursor: str | None, result: Mapping[str, Any]) -> None:
        """Add a page. The first one begins a new list."""
        if cursor is None:
            self._pages.clear()
        listed, following = result.get("tools"), result.get("nextCursor")
        tools = tuple(tool for tool in listed if isinstance(tool, dict)) if isinstance(listed, list) else ()
        self._pages[cursor] = _Page(tools, following if isinstance(following, str) and following else None)
        lives = result.get("ttlMs")
        self._max_age = MAX_AGE
        if isinstance(lives, (int, float)) and not isinstance(lives, bool):
            self._max_age = max(0.0, lives / 1000)
        self._at = time.monotonic()

    def clear(self) -> None:
        """Forget all pages, as after `list_changed`."""
        self._pages.clear()

    def keep(self) -> None:
        """Count the list as new, as after a server that does not list again."""
        self._at = time.monotonic()

    @property
    def is_old(self) -> bool:
        """Whether the tools may have changed since."""
        return time.monotonic() - self._at > self._max_age

    @property
    def missing(self) -> str | None:
        """The cursor of the first page that is not there; None where that is the first, or none is missing."""
        return self._walk()[1]

    @property
    def tools(self) -> list[dict[str, Any]] | None:
        """The tools of all pages; None while one is missing."""
        found, missing = self._walk()
        return None if missing is not None or None not in self._pages else found

    def _walk(self) -> tuple[list[dict[str, Any]], str | None]:
        tools: list[dict[str, Any]] = []
        cursor: str | None = None
        seen: set[str | None] = set()
        while cursor not in seen and len(seen) < MAX_PAGES:
            seen.add(cursor)
            page = self._pages.get(cursor)
            if page is None:
                return tools, cursor
            tools += page.tools
            if page.next_cursor is None:
                break
            cursor = page.next_cursor
        return tools, None
