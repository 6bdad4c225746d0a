"""Show any Python value as text or as JSON. The size is limited, and no exception is raised.

Payloads in memory may contain values that JSON does not have.
"""

from __future__ import annotations

from itertools import islice

from toolgen_runtime.validation.values import MISSING, Secret, key_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any, Final

_SCALARS: Final = frozenset((str, int, float, bool, type(None)))
MAX_PRINTED: Final = 100_000
"""The maximum number of values in a list or dict that is printed in full; a shared value counts each time."""
MAX_COPIED_LEVELS: Final = 64
MAX_COPIED_VALUES: Final = 10_000
"""The maximum number of levels and of values in a copy; the rest is left out."""


def printed(value: object) -> str:
    """Return the `repr` of a value, or the name of its type if `repr` fails or would be very long."""
    try:
        if is_printable(value):
            return repr(value)
        return f"<{type(value).__name__}>"
    except Exception:  # any exception of a foreign `__repr__`, or an integer of too many digits
        return f"<{type(value).__name__}>"


def is_printable(value: object) -> bool:
    """Return whether the text of a value would be short enough to print.

    A value with shared or circular parts may be small only in memory.
    """
    left, pending = MAX_PRINTED, [value]
    for item in pending:  # the loop appends to the list
        if isinstance(item, (dict, list, tuple)):
            left -= len(item)
            if left <= 0:
                return False
            members: Collection[Any] = item
            if isinstance(item, dict):
                members = item.values()
            if not _SCALARS.issuperset(map(type, members)):
                pending += [member for member in members if type(member) not in _SCALARS]
    return True


def spoken(value: object) -> str:
    """Return the `str` of a value, or the name of its type if `str` raises an exception.

    Return the name of its type if `str` raises, as it may for exceptions of other libraries.
    """
    try:
        return str(value)
    except Exception:
        return type(value).__name__


def plain(value: Any) -> Any:
    """Return a value that consists of JSON values unchanged, and a converted copy of any other.

    In the copy, keys that are not strings and values that are not JSON become text (see
    `toolgen_runtime.validation.issues.key_text`), tuples become arrays, and secrets are masked. A value in which the
    same list or dict occurs twice is copied too. A copy has at most `MAX_COPIED_LEVELS` levels and `MAX_COPIED_VALUES`
    values.
    """
    if _is_plain(value):
        return value
    return _copy(value, 0, [MAX_COPIED_VALUES])


def _is_plain(value: Any) -> bool:
    seen: set[int] = set()
    pending = [value]
    while pending:
        item = pending.pop()
        if type(item) is dict or type(item) is list:
            if id(item) in seen:  # The text of shared or circular containers may be very long or endless.
                return False
            seen.add(id(item))
            if type(item) is dict and not all(type(key) is str for key in item):
                return False
            pending.extend(item.values() if type(item) is dict else item)
        elif not _is_plain_scalar(item):
            return False
    return True


def _is_plain_scalar(value: Any) -> bool:
    # Python does not write integers of more than 4,300 digits.
    return type(value) in _SCALARS and (type(value) is not int or value.bit_length() < 14_000)


def _copy(value: Any, level: int, left: list[int]) -> Any:
    """Return a copy of a value at a level. `left` holds the number of values that may still be copied."""
    left[0] -= 1
    if _is_plain_scalar(value) or value is MISSING:
        return None if value is MISSING else value
    if isinstance(value, (dict, list, tuple)) and level < MAX_COPIED_LEVELS:
        members = islice(value.items() if isinstance(value, dict) else value, max(left[0], 0))
        if isinstance(value, dict):
            return {key_text(key): _copy(item, level + 1, left) for key, item in members}
        return [_copy(item, level + 1, left) for item in members]
    if type(value) is Secret:
        return repr(value)
    return key_text(value)
