"""Decide whether the limits of some schemas imply those of another.

The limits are on numbers, lengths, counts and allowed values.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from toolgen.compiler.containment.conjunction import Conjunction, frozen
from toolgen.compiler.patterns.translate import PatternError, translate
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import kind_of, narrowest_types, type_of
from toolgen_runtime.schema.keywords import GRAPH, LIMITS
from toolgen_runtime.validation.formats import format_check


def implies_limit(together: Conjunction, keyword: str, limit: Any) -> bool:
    """Return whether all values that a conjunction allows are within a limit."""
    row = LIMITS[keyword]
    assert row.measure is not None
    assert row.comparison is not None
    bound, strict = Fraction(str(limit)), row.comparison.strict
    if not row.comparison.side:
        if together.is_whole:
            integer = [Fraction(1)]
        else:
            integer = []
        steps = [Fraction(str(value)) for value in together.held(keyword)]
        return any((own / bound).denominator == 1 for own in (*steps, *integer))
    low, high = together.bounds(row.measure)
    if row.comparison.side == "least":
        return low[0] > bound or (low[0] == bound and (low[1] or not strict))
    return high[0] < bound or (high[0] == bound and (high[1] or not strict))


def implies_choice(together: Conjunction, new: Schema, keyword: str) -> bool:
    """Return whether all values that a conjunction allows satisfy a `type`, `enum` or `const`."""
    if keyword == "type":
        assert new.types is not None
        counts_alike = (
            new.whole_floats or "number" in new.types or not any(old.whole_floats for old in together)
        )
        return counts_alike and together.types <= narrowest_types(new.types)
    if together.values is None:
        return False
    if keyword == "enum":
        choices = new.assertions["enum"]
    else:
        choices = [new.assertions["const"]]
    return set(map(frozen, together.values)) <= set(map(frozen, choices))


def all_take(together: Conjunction, keyword: str, held: object) -> bool:
    """Return whether a conjunction allows only a fixed list of values, and an assertion accepts all of them."""
    left = together.values
    return left is not None and all(takes(keyword, held, value) for value in left)


def takes(keyword: str, held: Any, value: Any) -> bool:
    """Return whether an assertion certainly accepts a value, as a generated check would."""
    row = GRAPH[keyword]
    if row.kind not in ("any", kind_of(value).value):
        return True
    if row.is_limit:
        return row.keeps(held, value)
    match keyword:
        case "type":
            return type_of(value) in narrowest_types(held)
        case "pattern":
            return _matches(held, value)
        case "format":
            return bool(format_check(held)(value))
        case _:
            return False


@lru_cache(maxsize=5_000)
def _matches(pattern: str, text: str) -> bool:
    """Return whether a pattern matches; False if matching may be slow."""
    try:
        translated = translate(pattern)
    except PatternError:
        return False
    return translated.linear and bool(translated.matcher()(text))
