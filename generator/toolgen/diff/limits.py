"""Whether one schema's limits on a value imply another's: numbers, lengths, counts, choices."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final

from toolgen.diff.conjunction import Together, remembered, required_of, types_of
from toolgen.diff.json_equality import frozen
from toolgen.schema import facts

_UPPER: Final = frozenset({"maxLength", "maxItems", "maxProperties"})
_LOWER: Final = frozenset({"minLength", "minItems", "minProperties"})
_FEW: Final[dict[str, tuple[Any, ...]]] = {"boolean": (True, False), "null": (None,)}
"""The types that have few values, and these."""
LIMITS: Final = _UPPER | _LOWER | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}


@remembered
def held(together: Together, keyword: str) -> list[Any]:
    """Return the values of an assertion in some schemas."""
    return [schema.assertions[keyword] for schema in together if keyword in schema.assertions]


def implies_limit(together: Together, keyword: str, limit: Any) -> bool:
    """Return whether some schemas together keep a value within a limit of another."""
    if keyword in _UPPER:
        return any(bool(value <= limit) for value in held(together, keyword))
    if keyword in _LOWER:
        return least(together, keyword) >= int(limit)
    if keyword == "multipleOf":
        step = Fraction(str(limit))
        integer = [Fraction(1)] if types_of(together) & {"integer", "fraction"} == {"integer"} else []
        steps = [Fraction(str(value)) for value in held(together, "multipleOf")]
        return any((own / step).denominator == 1 for own in (*steps, *integer))
    low, high = interval(together)
    bound = Fraction(str(limit))
    if keyword == "minimum":
        return low is not None and low[0] >= bound
    if keyword == "exclusiveMinimum":
        return low is not None and (low[0] > bound or (low[0] == bound and low[1]))
    if keyword == "maximum":
        return high is not None and high[0] <= bound
    return high is not None and (high[0] < bound or (high[0] == bound and high[1]))


@remembered
def least(together: Together, keyword: str) -> int:
    """Return the least length or count that some schemas leave; required keys count as properties."""
    found = [int(value) for value in held(together, keyword)]
    if keyword == "minProperties":
        found.append(len(required_of(together)))
    return max(found, default=0)


Bound = tuple[Fraction, bool] | None
"""A limit of numbers, and whether it is itself left out."""


@remembered
def interval(together: Together) -> tuple[Bound, Bound]:
    """Return the narrowest interval that some schemas leave to numbers."""
    integers = types_of(together) & {"integer", "fraction"} == {"integer"}
    lows = [(Fraction(str(v)), False) for v in held(together, "minimum")]
    lows += [(Fraction(str(v)), True) for v in held(together, "exclusiveMinimum")]
    highs = [(Fraction(str(v)), False) for v in held(together, "maximum")]
    highs += [(Fraction(str(v)), True) for v in held(together, "exclusiveMaximum")]
    if integers:
        lows = [(Fraction(math.floor(v) + 1 if out else math.ceil(v)), False) for v, out in lows]
        highs = [(Fraction(math.ceil(v) - 1 if out else math.floor(v)), False) for v, out in highs]
    return max(lows, default=None), min(highs, key=lambda bound: (bound[0], not bound[1]), default=None)


@remembered
def values(together: Together) -> list[Any] | None:
    """Return the values that `enum`, `const` or types of few values leave to some schemas; None where nothing does."""
    listed = [found for schema in together if (found := facts.values_of(schema)) is not None]
    types = types_of(together)
    if types and types <= _FEW.keys():
        listed.append([value for kind in sorted(types) for value in _FEW[kind]])
    if not listed:
        return None
    others = [{frozen(value) for value in choices} for choices in listed[1:]]
    return [value for value in listed[0] if all(frozen(value) in choices for choices in others)]


def all_among(some: Iterable[Any], choices: Iterable[Any]) -> bool:
    """Return whether each of some values is equal to one of some others, as JSON Schema compares."""
    known = {frozen(choice) for choice in choices}
    return all(frozen(value) in known for value in some)


def disjoint_intervals(left: Together, right: Together) -> bool:
    """Return whether no number is within the bounds of both."""
    (low, high), (other_low, other_high) = interval(left), interval(right)
    return _is_beyond(low, other_high) or _is_beyond(other_low, high)


def _is_beyond(low: Bound, high: Bound) -> bool:
    if low is None or high is None:
        return False
    return low[0] > high[0] or (low[0] == high[0] and (low[1] or high[1]))
