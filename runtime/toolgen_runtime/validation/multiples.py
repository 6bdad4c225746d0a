"""`multipleOf`, computed with decimal numbers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Any


def is_multiple(value: Any, divisor: int | float) -> bool:
    """Return whether a number is a multiple of `divisor`. Both count as decimals: 0.0075 is a multiple of
    0.0001.
    """
    if isinstance(value, int) and isinstance(divisor, int):
        return value % divisor == 0
    tens, step = _scaled.get(divisor) or _scale(divisor)
    if tens and type(value) is int:
        return value * tens % step == 0
    if tens and type(value) is float and -_MOST_SCALED < (scaled := value * tens) < _MOST_SCALED:
        # Different decimals of up to 15 digits are different floats, so `whole / tens == value` proves the decimal.
        whole = round(scaled)
        return whole / tens == value and whole % step == 0
    if isinstance(value, float) and value - value != 0.0:
        return False
    return (_exact(value) / _exact(divisor)).denominator == 1


_MOST_SCALED = 1e15
_MOST_PLACES = 22
"""The largest power of ten that a float represents exactly."""
_scaled: dict[int | float, tuple[int, int]] = {}


def _scale(divisor: int | float) -> tuple[int, int]:
    """Return a power of ten and its product with the divisor, a whole number.

    Return two zeros if more decimal places are needed.
    """
    exact = _exact(divisor)
    tens = next((10**places for places in range(_MOST_PLACES + 1) if 10**places % exact.denominator == 0), 0)
    if len(_scaled) >= 1_000:  # the divisors may be of tools no longer in use
        _scaled.clear()
    return _scaled.setdefault(divisor, (tens, int(exact * tens)))


def _exact(number: int | float) -> Fraction:
    from fractions import Fraction

    if isinstance(number, int):
        return Fraction(number)
    return Fraction(repr(float(number)))
