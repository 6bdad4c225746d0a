"""Values as text for people who read a `repr` or a log: bounded, and without an exception whatever the value is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_SCALARS: Final = frozenset((str, int, float, bool, type(None)))
MAX_PRINTED: Final = 100_000
"""Values in a container up to which it is printed as a whole; one that is shared counts each time."""


def printed(value: object) -> str:
    """Return a value's `repr`, or its type's name if that raises or would be very long."""
    try:
        return repr(value) if is_printable(value) else f"<{type(value).__name__}>"
    except Exception:  # any exception of a foreign `__repr__`, or an integer of too many digits
        return f"<{type(value).__name__}>"


def is_printable(value: object) -> bool:
    """Return whether a value's text has bounded length: what is shared, or contains itself, is small in memory only."""
    left, pending = MAX_PRINTED, [value]
    for item in pending:  # which grows meanwhile
        if isinstance(item, (dict, list, tuple)):
            left -= len(item)
            if left <= 0:
                return False
            members = item.values() if isinstance(item, dict) else item
            if not _SCALARS.issuperset(map(type, members)):
                pending += [member for member in members if type(member) not in _SCALARS]
    return True


def spoken(value: object) -> str:
    """Return a value's `str`, or its type's name if that raises: exceptions may be of any class."""
    try:
        return str(value)
    except Exception:
        return type(value).__name__
