"""Whether one schema's limits on a value imply another's: numbers, lengths, counts, choices."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final

from toolgen.diff import assertions
from toolgen.diff.assertions import frozen
from toolgen.diff.conjunction import Together, remembered, required_of, types_of
from toolgen.schema import facts
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind, narrowest_types
from toolgen_runtime.schema.keywords import LIMITS, NUMBER, PROPERTIES, Measure

_FEW: Final[dict[str, tuple[Any, ...]]] = {"boolean": (True, False), "null": (None,)}
"""The types that have few values, and these."""


@remembered
def held(together: Together, keyword: str) -> list[Any]:
    """Return the values of an assertion in some schemas."""
    return [schema.assertions[keyword] for schema in together if keyword in schema.assertions]


def implies_limit(together: Together, keyword: str, limit: Any) -> bool:
    """Return whether some schemas together keep a value within a limit of another."""
    row = LIMITS[keyword]
    assert row.measure is not None
    assert row.comparison is not None
    bound, strict = Fraction(str(limit)), row.comparison.strict
    if not row.comparison.side:
        integer = [Fraction(1)] if _are_whole(together) else []
        steps = [Fraction(str(value)) for value in held(together, keyword)]
        return any((own / bound).denominator == 1 for own in (*steps, *integer))
    low, high = bounds(together, row.measure)
    if row.comparison.side == "least":
        return low is not None and (low[0] > bound or (low[0] == bound and (low[1] or not strict)))
    return high is not None and (high[0] < bound or (high[0] == bound and (high[1] or not strict)))


Bound = tuple[Fraction, bool] | None
"""A limit, and whether it is itself left out."""


@remembered
def bounds(together: Together, measure: Measure) -> tuple[Bound, Bound]:
    """Return the narrowest bounds that some schemas set to a measure."""
    lows, highs = (
        [
            (Fraction(str(limit)), row.comparison.strict)
            for row in LIMITS.values()
            if row.measure is measure and row.comparison is not None and row.comparison.side == side
            for limit in held(together, row.name)
        ]
        for side in ("least", "most")
    )
    if measure is PROPERTIES:
        lows.append((Fraction(len(required_of(together))), False))
        highs += [(Fraction(count), False) for count in _closed_counts(together)]
    if measure is not NUMBER:
        lows.append((Fraction(0), False))
    if measure is not NUMBER or _are_whole(together):
        lows = [(Fraction(math.floor(v) + 1 if out else math.ceil(v)), False) for v, out in lows]
        highs = [(Fraction(math.ceil(v) - 1 if out else math.floor(v)), False) for v, out in highs]
    return max(lows, default=None), min(highs, key=lambda bound: (bound[0], not bound[1]), default=None)


def _are_whole(together: Together) -> bool:
    return types_of(together) & {"integer", "fraction"} == {"integer"}


def _closed_counts(together: Together) -> list[int]:
    """Return how many properties those of some schemas leave that allow no other keys."""
    return [
        sum(part.verdict is not False for part in schema.properties.values())
        for schema in together
        if facts.is_closed(schema)
    ]


def least(together: Together, measure: Measure) -> int:
    """Return the least length or count that some schemas leave."""
    low, _ = bounds(together, measure)
    return 0 if low is None else int(low[0])


def most(together: Together, measure: Measure) -> float:
    """Return the greatest length or count that some schemas leave."""
    _, high = bounds(together, measure)
    return math.inf if high is None else int(high[0])


@remembered
def has_no_measure(together: Together, kind: Kind) -> bool:
    """Return whether the bounds of some schemas leave no value of a kind."""
    measures = {row.measure for row in LIMITS.values() if row.kind == kind.value}
    return any(measure is not None and _is_beyond(*bounds(together, measure)) for measure in measures)


def _is_beyond(low: Bound, high: Bound) -> bool:
    if low is None or high is None:
        return False
    return low[0] > high[0] or (low[0] == high[0] and (low[1] or high[1]))


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


def implies_choice(together: Together, new: Schema, keyword: str) -> bool:
    """Return whether `type`, `enum` or `const` of a schema is implied by some others."""
    if keyword == "type":
        assert new.types is not None
        counts_alike = (
            new.whole_floats or "number" in new.types or not any(old.whole_floats for old in together)
        )
        return counts_alike and types_of(together) <= narrowest_types(new.types)
    left = values(together)
    if left is None:
        return False
    choices = new.assertions["enum"] if keyword == "enum" else [new.assertions["const"]]
    return set(map(frozen, left)) <= set(map(frozen, choices))


def all_take(together: Together, keyword: str, held: object) -> bool:
    """Return whether only certain values are left, and an assertion takes each of them."""
    left = values(together)
    return left is not None and all(assertions.takes(keyword, held, value) for value in left)
