"""`uniqueItems`: which item of an array equals an earlier one, in time in proportion to the array's size.

Python's hashes of numbers are no secret: whoever sends a payload can choose numbers, and arrays of them, with equal
hashes, for which a set takes quadratic time. So numbers are sorted, or hashed as bytes, whose hashes are salted as
those of strings are. Most arrays are seen to have no equal items without a look at all of their parts.
"""

from __future__ import annotations

from itertools import chain, islice
from operator import eq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, Final

MAX_COLUMNS: Final = 8
"""Members of the items by which they are told apart, before they are compared as a whole."""
MAX_NESTING: Final = 4
"""Levels of members within members that are looked at for that."""
_NUMBERS: Final = frozenset((int, float))
_OBJECT: Final = 0
_ARRAY: Final = 1
_KINDS: Final = {dict: _OBJECT, list: _ARRAY, str: 2, int: 3, float: 3, bool: 4, type(None): 5}
"""What never equals a value of another number."""


def duplicate_item(items: Sequence[Any]) -> int | None:
    """Return the index of the first item that equals an earlier one as JSON, or None.

    The time is linear in the number of values, n log n where all items are numbers. A value that is not JSON only
    equals itself, NaN nothing.
    """
    if len(items) < 2 or are_distinct(items, MAX_NESTING):
        return None
    identify = _Identities().of
    seen: set[Any] = set()
    for index in _candidates(items):
        identity = identify(items[index])
        if identity in seen:
            return index
        seen.add(identity)
    return None


def _candidates(items: Sequence[Any]) -> Iterable[int]:
    """Return the indices of items that may equal another: those whose kind, length or keys another has, too."""
    shapes: list[Any] = []
    for item in items:
        kind = _KINDS.get(type(item))
        if kind is None or (kind == _OBJECT and not set(map(type, item)) <= {str}):
            return range(len(items))
        shapes.append(frozenset(item) if kind == _OBJECT else (kind, len(item) if kind == _ARRAY else 0))
    groups = _groups(range(len(items)), shapes)
    return sorted(index for indices in groups if len(indices) > 1 for index in indices)


def are_distinct(values: Sequence[Any], nesting: int) -> bool:
    """Return True if no two values are equal as JSON; False if some are, or if that takes longer to find out.

    Values of different kinds are distinct, and so are arrays of different lengths, and objects with different keys.
    Of the rest, objects and arrays are distinct if their members under one key, or at one index, are, or their scalars
    together.
    """
    types = set(map(type, values))
    if len(types) > 1 and not types <= _NUMBERS:
        return types <= _KINDS.keys() and _are_all_distinct(_groups(values, map(_kind, values)), nesting)
    (only, *_) = types
    if only is str or only is bool or only is type(None):
        return len(set(values)) == len(values)
    if only is dict or only is list:
        return nesting > 0 and _are_distinct_containers(values, only, nesting)
    return types <= _NUMBERS and _are_distinct_numbers(values)


def _are_distinct_containers(values: Sequence[Any], kind: type, nesting: int) -> bool:
    if _are_distinct_rows(values, kind, nesting):
        return True
    shapes: list[Any]
    if kind is list:
        shapes = list(map(len, values))
    elif set(map(type, chain.from_iterable(values))) <= {str}:
        shapes = list(map(frozenset, values))  # of strings, whose hashes are salted
    else:
        return False
    number = len(set(shapes))
    if number == 1:
        return False
    return number == len(values) or _are_all_distinct(_groups(values, shapes), nesting, kind)


def _are_all_distinct(groups: Iterable[list[Any]], nesting: int, kind: type | None = None) -> bool:
    """Return whether the values of each group are distinct; of containers, `kind` says which they are."""
    return all(
        len(group) == 1
        or (are_distinct(group, nesting) if kind is None else _are_distinct_rows(group, kind, nesting))
        for group in groups
    )


def _groups(values: Iterable[Any], shapes: Iterable[Any]) -> Iterable[list[Any]]:
    groups: dict[Any, list[Any]] = {}
    for value, shape in zip(values, shapes, strict=True):
        groups.setdefault(shape, []).append(value)
    return groups.values()


def _kind(value: Any) -> int:
    return _KINDS[type(value)]


def _are_distinct_rows(values: Sequence[Any], kind: type, nesting: int) -> bool:
    comparable: list[Iterable[Any]] = []
    for column in _columns(values, kind):
        if are_distinct(column, nesting - 1):
            return True
        comparable += _comparable(column)
    return len(comparable) > 1 and len(set(zip(*comparable, strict=True))) == len(values)


def _comparable(column: Sequence[Any]) -> Iterator[Iterable[Any]]:
    """Yield a column's values, or what stands for them, if those are strings that are equal where the values are."""
    types = set(map(type, column))
    if types == {str}:
        yield column
    elif types == {int}:
        yield map(hex, column)
    elif types == {float}:
        yield [(number + 0.0).hex() for number in column]  # -0.0 equals 0.0


def _columns(values: Sequence[Any], kind: type) -> Iterator[Sequence[Any]]:
    """Yield the members of all objects under each key that they share, or of all arrays at each index."""
    if kind is list:
        yield from islice(zip(*values, strict=False), MAX_COLUMNS)
        return
    for key in islice(values[0], MAX_COLUMNS):
        try:
            yield [value[key] for value in values]
        except KeyError:
            continue


def _are_distinct_numbers(values: Iterable[int | float]) -> bool:
    ordered = sorted(values)
    # NaN equals nothing, not even itself, and has no place in an order.
    return not any(map(eq, ordered, islice(ordered, 1, None))) and all(map(eq, ordered, ordered))


class _Identities:
    """Hashable stand-ins for values, equal exactly where the values are equal as JSON.

    Each container that is not equal to an earlier one gets a token. Containers are gone through once each, members
    first and without recursion, so that shared ones cost nothing; one that contains itself equals only itself.
    """

    __slots__ = ("_is_open", "_tokens", "_tokens_by_members")

    def __init__(self) -> None:
        self._tokens: dict[int, object] = {}
        """By the `id` of the container."""
        self._is_open: set[int] = set()
        self._tokens_by_members: dict[Any, object] = {}

    def of(self, value: Any) -> Any:
        """Return what stands for a value."""
        if not isinstance(value, dict | list):
            return scalar_identity(value)
        pending: list[Any] = [value]
        while pending:
            item = pending[-1]
            at = id(item)
            if at not in self._tokens:
                self._tokens[at] = object()
                self._is_open.add(at)
                members = item.values() if isinstance(item, dict) else item
                pending += [member for member in members if isinstance(member, dict | list)]
                continue
            pending.pop()
            if at in self._is_open:  # its members are done
                self._is_open.remove(at)
                self._tokens[at] = self._tokens_by_members.setdefault(self._members(item), self._tokens[at])
        return self._tokens[id(value)]

    def _members(self, item: Any) -> Any:
        if isinstance(item, dict):
            return frozenset([(_key_identity(key), self._member(member)) for key, member in item.items()])
        return tuple([self._member(member) for member in item])

    def _member(self, member: Any) -> Any:
        return self._tokens[id(member)] if isinstance(member, dict | list) else scalar_identity(member)


def _key_identity(key: Any) -> Any:
    """Return a stand-in for a key: strings themselves; numbers, which no JSON has as keys, equal as Python's are."""
    return scalar_identity(key + 0) if isinstance(key, int | float) else key


def scalar_identity(value: Any) -> Any:
    """Return a hashable stand-in for a scalar: strings and None themselves, bytes for numbers."""
    if value is None or type(value) is str:
        return value
    if isinstance(value, str):
        return str.__str__(value)  # a subclass may compare as it likes
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, float):
        if value - value != 0.0:  # NaN or infinite
            return object() if value != value else ("infinite", value > 0)
        if not value.is_integer():
            return value.hex().encode()
        value = int(value)
    return b"%x" % value if isinstance(value, int) else ("other", id(value))
