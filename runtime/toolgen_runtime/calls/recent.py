"""A dict that keeps only its newest items (`Recent`), and a dict key that compares objects by identity
(`Same`).

Ledgers, adapters and the proxy remember calls and sessions that may never end, so the number they keep is limited.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")
MAX_RECENT = 1_000
"""The maximum number of items in a `Recent`."""


class Recent(OrderedDict[KeyT, ValueT]):
    """A dict with a limited number of items. When it is full, the item that was inserted first is dropped."""

    def __setitem__(self, key: KeyT, value: ValueT) -> None:
        super().__setitem__(key, value)
        if len(self) > MAX_RECENT:
            self.popitem(last=False)


class Same:
    """A dict key for any object, hashable or not. Two keys are equal if they stand for the same object."""

    __slots__ = ("_given",)

    def __init__(self, given: object) -> None:
        self._given = given

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other._given is self._given

    def __hash__(self) -> int:
        return id(self._given)
