"""Numbers, strings and constants at and around the limits of two sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from toolgen.diff import text_samples
from toolgen.diff.conjunction import Conjunction
from toolgen.diff.limits import takes
from toolgen_runtime.schema.keywords import LIMITS, MULTIPLE_OF, limits_of

if TYPE_CHECKING:
    from toolgen_runtime.schema.keywords import Kind

MAX_LENGTH: Final = 2_000
"""The longest text or list that is made to be at a limit."""
MAX_LIMITS: Final = 100
"""Limits around which values are made; of more, the lowest and the highest."""
MAX_STEPS: Final = 20
"""Values of `multipleOf` of which values are made."""


def counts(together: Conjunction, kind: Kind) -> list[int]:
    """Return the limits on values of a kind, and the numbers next to them, as lengths that can be made."""
    held = [v for row in limits_of(kind) for v in together.held(row.name)]
    found = {int(v) + d for v in held for d in (-1, 0, 1)}
    return _outermost(sorted(count for count in found if 0 <= count <= MAX_LENGTH), MAX_LIMITS)


def _outermost(ordered: list[Any], most: int) -> list[Any]:
    """Return the lowest and the highest of very many values."""
    return ordered if len(ordered) <= most else [*ordered[: most // 2], *ordered[-(most // 2) :]]


def of_type(name: str, old: Conjunction, new: Conjunction) -> Iterator[Any]:
    """Yield values of a type that is neither an object nor an array; the first is plain."""
    if name == "null":
        yield None
    elif name == "boolean":
        yield from (True, False)
    elif name == "string":
        yield from _plain_first(_strings(old, new), old)
    else:
        each = (value for value in _numbers(old, new) if name == "fraction" or value.denominator == 1)
        yield from _plain_first((_as(name, value) for value in each), old)
        if name == "integer":
            yield 3.0


def _plain_first(values: Iterable[Any], old: Conjunction) -> list[Any]:
    """Return the values with those first that the old side's own limits take."""
    asked = [(row.name, limit) for row, limit in old.limits]
    asked += [pair for schema in old for pair in schema.assertions.items() if pair[0] not in LIMITS]
    return sorted(values, key=lambda value: not all(takes(word, held, value) for word, held in asked))


def _as(name: str, value: Fraction) -> int | float:
    if name == "integer":
        return int(value)
    return float(value) if value.denominator != 1 else float(value) + 0.25


def _numbers(old: Conjunction, new: Conjunction) -> Iterator[Fraction]:
    both = Conjunction.of((*old, *new))
    steps = [Fraction(str(step)) for step in both.held("multipleOf")[:MAX_STEPS]]
    every = [
        Fraction(str(v))
        for row in limits_of("number")
        if row.comparison is not MULTIPLE_OF
        for v in both.held(row.name)
    ]
    bounds = every if len(every) <= MAX_LIMITS else _outermost(sorted(every), MAX_LIMITS)
    yield from (Fraction(1), Fraction(0))
    for bound in bounds:
        yield from (bound + delta for delta in (0, 1, -1, Fraction(1, 2), Fraction(-1, 2)))
    for step in steps:
        for bound in (*bounds, Fraction(0)):
            nearest = bound // step
            yield from (step * (nearest + k) for k in (0, 1, -1, 2, 3))
    yield from (Fraction(-1), Fraction(10**6), Fraction(-(10**6)))


def _strings(old: Conjunction, new: Conjunction) -> Iterator[str]:
    both = Conjunction.of((*old, *new))
    texts = ["a", ""]
    for pattern in both.held("pattern"):
        texts += text_samples.of_pattern(pattern)
    for form in both.held("format"):
        texts += text_samples.FORMATS.get(form, ())
    for length in counts(both, "string"):
        texts += [_resized(text, length) for text in texts[:8]]
    yield from texts
    yield from ("A b", "0", "\u00e9", "\n")


def _resized(text: str, length: int) -> str:
    return text[:length] if len(text) >= length else text + (text[-1:] or "a") * (length - len(text))
