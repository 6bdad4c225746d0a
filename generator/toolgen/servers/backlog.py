"""`Backlog`: how much may wait for a side that does not read."""

from __future__ import annotations

from threading import Condition
from typing import Final

MOST_READ: Final = 100
"""Lines that wait."""
MAX_WAITING: Final = 64 * 1024 * 1024
"""Bytes of lines that wait; one line may wait, whatever its size."""


class Backlog:
    """Counts what waits, for threads: who brings more than there is room for waits, too."""

    def __init__(self, most: int = MOST_READ, most_bytes: int = MAX_WAITING) -> None:
        self._changed = Condition()
        self._most, self._most_bytes = most, most_bytes
        self._count = self._bytes = 0

    def take(self, size: int) -> None:
        """Wait until there is room for a line of this size, and take it."""
        with self._changed:
            self._changed.wait_for(lambda: self._fits(size))
            self._count, self._bytes = self._count + 1, self._bytes + size

    def take_if_free(self, size: int) -> bool:
        """Take room for a line, if there is some; return whether there was."""
        with self._changed:
            if not self._fits(size):
                return False
            self._count, self._bytes = self._count + 1, self._bytes + size
            return True

    def add(self, size: int) -> None:
        """Take room for a line, whether there is some or not."""
        with self._changed:
            self._count, self._bytes = self._count + 1, self._bytes + size

    @property
    def is_full(self) -> bool:
        """Whether as many bytes wait as may."""
        return self._bytes >= self._most_bytes

    def release(self, size: int) -> None:
        """Give back the room of a line."""
        with self._changed:
            self._count, self._bytes = self._count - 1, self._bytes - size
            self._changed.notify_all()

    def _fits(self, size: int) -> bool:
        return not self._count or (self._count < self._most and self._bytes + size <= self._most_bytes)
