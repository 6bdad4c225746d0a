"""`Recent`: the newest of what is remembered; `Same`: an object as a key.

Ledgers, adapters and the proxy remember calls and sessions that may never end, so all they keep is bounded.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")
MOST = 1_000
"""How many are kept in a `Recent`."""


class Recent(OrderedDict[KeyT, ValueT]):
    """A dict of bounded size: the oldest go first."""

    def __setitem__(self, key: KeyT, value: ValueT) -> None:
        super().__setitem__(key, value)
        if len(self) > MOST:
            self.popitem(last=False)


class Same:
    """An object as a key, which equals itself alone."""

    __slots__ = ("_given",)

    def __init__(self, given: object) -> None:
        self._given = given

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other._given is self._given

    def __hash__(self) -> int:
        return id(self._given)
