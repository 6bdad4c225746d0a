"""Check `uniqueItems` in time proportional to the size of the array.

Python's hashes of numbers are predictable. The sender of a payload could choose numbers, or arrays of numbers, with
equal hashes, and a set of these would take quadratic time. Numbers are therefore sorted, or hashed as bytes, whose
hashes are salted like those of strings.
"""

from __future__ import annotations

from itertools import islice
from operator import eq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Final

_MOST_KEYS: Final = 8
"""The maximum number of keys whose values are compared to show that objects differ, before whole objects are compared.
"""
_OBJECTS: Final = frozenset((dict,))
_NUMBERS: Final = frozenset((int, float))
_COMPARED: Final = frozenset((str, bool, type(None)))


def duplicate_item(items: Sequence[Any]) -> int | None:
    """Return the index of the first item that is equal, as JSON, to an earlier one; None if there is none.

    The time is linear in the number of values, or n log n if all items are numbers. A value that is not JSON equals
    only itself; NaN does not even equal itself.
    """
    if len(items) < 2 or _are_distinct(items):
        return None
    identify = _Identities().of
    seen: set[Any] = set()
    for index, item in enumerate(items):
        identity = identify(item)
        if identity in seen:
            return index
        seen.add(identity)
    return None


def _are_distinct(values: Sequence[Any]) -> bool:
    """Return True if no two values are equal as JSON; False if some are equal or a quick test cannot tell."""
    types = set(map(type, values))
    if types == _OBJECTS:
        columns = [[value.get(key) for value in values] for key in islice(values[0], _MOST_KEYS)]
        return any(_are_distinct_scalars(column, set(map(type, column))) for column in columns)
    return _are_distinct_scalars(values, types)


def _are_distinct_scalars(values: Sequence[Any], types: set[type]) -> bool:
    if types <= _COMPARED:
        return len(set(values)) == len(values)
    return types <= _NUMBERS and _are_distinct_numbers(values)


def _are_distinct_numbers(values: Iterable[int | float]) -> bool:
    ordered = sorted(values)
    # NaN does not equal itself and has no order, so values with NaN are not decided here.
    return not any(map(eq, ordered, islice(ordered, 1, None))) and all(map(eq, ordered, ordered))


class _Identities:
    """Hashable stand-ins for values. Two stand-ins are equal exactly if their values are equal as JSON.

    Each list or object that differs from all earlier ones gets a token. Each is visited once, inner ones first and
    without recursion, so that shared ones cost nothing. One that contains itself equals only itself.
    """

    __slots__ = ("_is_open", "_tokens", "_tokens_by_members")

    def __init__(self) -> None:
        self._tokens: dict[int, object] = {}
        """The tokens by the `id` of the container."""
        self._is_open: set[int] = set()
        self._tokens_by_members: dict[Any, object] = {}

    def of(self, value: Any) -> Any:
        """Return a hashable stand-in for a value. Equal values have the same stand-in."""
        if not isinstance(value, dict | list):
            return scalar_identity(value)
        pending: list[Any] = [value]
        while pending:
            item = pending[-1]
            at = id(item)
            if at not in self._tokens:
                self._tokens[at] = object()
                self._is_open.add(at)
                if isinstance(item, dict):
                    members = item.values()
                else:
                    members = item
                pending += [member for member in members if isinstance(member, dict | list)]
                continue
            pending.pop()
            if at in self._is_open:  # all its members have tokens
                self._is_open.remove(at)
                self._tokens[at] = self._tokens_by_members.setdefault(self._members(item), self._tokens[at])
        return self._tokens[id(value)]

    def _members(self, item: Any) -> Any:
        if isinstance(item, dict):
            return frozenset([(_key_identity(key), self._member(member)) for key, member in item.items()])
        return tuple([self._member(member) for member in item])

    def _member(self, member: Any) -> Any:
        if isinstance(member, dict | list):
            return self._tokens[id(member)]
        return scalar_identity(member)


def _key_identity(key: Any) -> Any:
    """Return a stand-in for a key.

    A string stands for itself; numbers, which JSON does not have as keys, equal as in Python.
    """
    if isinstance(key, int | float):
        return scalar_identity(key + 0)
    return key


def scalar_identity(value: Any) -> Any:
    """Return a hashable stand-in for a scalar: the value itself for a string or None, and bytes for a number."""
    if value is None or type(value) is str:
        return value
    if isinstance(value, str):
        return str.__str__(value)  # a subclass may define its own equality
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, float):
        if value - value != 0.0:  # NaN or infinite
            if value != value:
                return object()
            return ("infinite", value > 0)
        if not value.is_integer():
            return value.hex().encode()
        value = int(value)
    if isinstance(value, int):
        return b"%x" % value
    return ("other", id(value))
