"""`Smallest`: a bounded sample of a stream that does not depend on the order or the partitioning of the stream."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from heapq import nsmallest
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Any)
Value = TypeVar("Value")


class Smallest(Generic[Key, Value]):
    """The entries with the `limit` smallest keys; the values of one key are combined.

    A key among the smallest of everything is among the smallest of every part that has it, so it is never dropped,
    and its combined value is exact. `merge` is associative and commutative where `combine` is.
    """

    __slots__ = ("_combine", "_cutoff", "_entries", "limit", "more")

    def __init__(self, limit: int, combine: Callable[[Value, Value], Value]) -> None:
        """`combine` is a function at the top of a module, so that the sample can be pickled."""
        self.limit = limit
        self.more = False
        """Whether there were more than `limit` keys."""
        self._combine = combine
        self._entries: dict[Key, Value] = {}
        self._cutoff: Key | None = None

    def add(self, key: Key, value: Value) -> None:
        """Add an entry."""
        if not self.limit or (self._cutoff is not None and self._cutoff < key):
            self.more = True
        elif key in self._entries:
            self._entries[key] = self._combine(self._entries[key], value)
        else:
            self._entries[key] = value
            if len(self._entries) > 2 * self.limit:
                self._prune()

    def merge(self, other: Smallest[Key, Value]) -> None:
        """Add all entries of another sample."""
        self.more = self.more or other.more
        for key, value in other._entries.items():
            self.add(key, value)

    def _prune(self) -> None:
        kept = nsmallest(self.limit, self._entries)
        self.more = self.more or len(kept) < len(self._entries)
        self._entries = {key: self._entries[key] for key in kept}
        self._cutoff = kept[-1] if len(kept) == self.limit else None

    def items(self) -> Iterator[tuple[Key, Value]]:
        """Yield the entries in the order of their keys."""
        if self.limit:
            self._prune()
        yield from self._entries.items()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Smallest):
            return NotImplemented
        return [*self.items()] == [*other.items()] and self.more == other.more

    __hash__ = None  # type: ignore[assignment]  # it changes


def added(left: int, right: int) -> int:
    """Return the sum: how counts are combined."""
    return left + right


def digest(text: str) -> bytes:
    """Return eight bytes by which texts are sampled as if at random, the same ones everywhere."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
