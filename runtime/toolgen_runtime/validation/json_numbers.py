"""Integers of a JSON text: which of them are read, at what cost."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

MAX_DIGITS: Final = 4300
"""Digits of an integer; Python refuses to convert more, since that would not take linear time."""
MAX_EXPANDED: Final = 100_000
"""Digits of all integers of a text that are written with an exponent: six characters (`1e4299`) can ask for 4,300."""


def integer_of(token: str) -> int | None:
    """Return the integer of a token; None if it has too many digits."""
    if len(token.lstrip("-")) > MAX_DIGITS:
        return None
    try:
        return int(token)
    except ValueError:  # The interpreter may have a lower limit.
        return None


def written_out(token: str) -> int | None:
    """Return the integer that a number too large for a float is; None if it is none, or has too many digits."""
    from decimal import Decimal, InvalidOperation

    try:
        exact = Decimal(token)
        if exact.adjusted() >= MAX_DIGITS or exact != exact.to_integral_value():
            return None
    except InvalidOperation:  # The exponent is too large for Decimal.
        return None
    return int(exact)


def digit_count(number: int) -> int:
    """Return how many decimal digits an integer has, or one more."""
    return number.bit_length() * 30_103 // 100_000 + 1
