"""`multipleOf`, with numbers read as decimals."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Any


def is_multiple(value: Any, divisor: int | float) -> bool:
    """Return whether a number is a multiple of `divisor`, both read as decimals: 0.0075 is one of 0.0001."""
    if isinstance(value, int) and isinstance(divisor, int):
        return value % divisor == 0
    tens, step = _scaled.get(divisor) or _scale(divisor)
    if tens and type(value) is int:
        return value * tens % step == 0
    if tens and type(value) is float and -_MOST_SCALED < (scaled := value * tens) < _MOST_SCALED:
        # Decimals of up to 15 digits have floats of their own: if `whole / tens` is this one, it is its decimal.
        whole = round(scaled)
        return whole / tens == value and whole % step == 0
    if isinstance(value, float) and value - value != 0.0:
        return False
    return (_exact(value) / _exact(divisor)).denominator == 1


_MOST_SCALED = 1e15
_MOST_PLACES = 22
"""Powers of ten up to this one are floats without rounding."""
_scaled: dict[int | float, tuple[int, int]] = {}


def _scale(divisor: int | float) -> tuple[int, int]:
    """Return a power of ten and the whole number that it makes of a divisor; zeros where it takes too many places."""
    exact = _exact(divisor)
    tens = next((10**places for places in range(_MOST_PLACES + 1) if 10**places % exact.denominator == 0), 0)
    if len(_scaled) >= 1_000:  # divisors of tools that are long gone
        _scaled.clear()
    return _scaled.setdefault(divisor, (tens, int(exact * tens)))


def _exact(number: int | float) -> Fraction:
    from fractions import Fraction

    return Fraction(number) if isinstance(number, int) else Fraction(repr(float(number)))
