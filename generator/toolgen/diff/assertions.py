"""Whether one assertion takes one number or string: for choosing samples, and for proofs about listed values."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from toolgen.diff.text_samples import FORMATS
from toolgen.patterns import PatternError, translate
from toolgen.schema.kinds import narrowest_types, type_of


def takes(keyword: str, held: Any, value: Any) -> bool:
    """Return whether it is sure that an assertion takes a value that is a number, a string or a constant."""
    if keyword == "type":
        return type_of(value) in narrowest_types(held)
    if isinstance(value, str):
        return _takes_text(keyword, held, value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _takes_number(keyword, held, Fraction(str(value)))
    return keyword not in ("enum", "const")


def _takes_text(keyword: str, held: Any, text: str) -> bool:
    if keyword == "minLength":
        return len(text) >= int(held)
    if keyword == "maxLength":
        return len(text) <= int(held)
    if keyword == "pattern":
        return _matches(held, text)
    return text in FORMATS.get(held, ()) if keyword == "format" else keyword not in ("enum", "const")


def _takes_number(keyword: str, held: Any, value: Fraction) -> bool:
    if keyword not in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"):
        return keyword not in ("enum", "const")
    limit = Fraction(str(held))
    if keyword == "multipleOf":
        return (value / limit).denominator == 1
    if keyword in ("minimum", "exclusiveMinimum"):
        return value > limit or (value == limit and keyword == "minimum")
    return value < limit or (value == limit and keyword == "maximum")


def _matches(pattern: str, text: str) -> bool:
    found = _compiled(pattern)
    return found is not None and bool(found(text))


@lru_cache(maxsize=500)
def _compiled(pattern: str) -> Any:
    """Return what searches for a pattern; None where it is not known to be quick."""
    try:
        translated = translate(pattern)
    except PatternError:
        return None
    return translated.matcher() if translated.linear else None
