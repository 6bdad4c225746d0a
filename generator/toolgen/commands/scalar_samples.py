"""Create numbers, texts and constants at and around the limits of two schemas.

Also make texts for patterns and formats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.containment.conjunction import Conjunction
from toolgen.compiler.containment.limits import takes
from toolgen.compiler.patterns.nodes import (
    Anchor,
    Backreference,
    Chars,
    Choice,
    Group,
    Look,
    Node,
    Repeat,
    Sequence,
)
from toolgen.compiler.patterns.parser import tree_of
from toolgen.compiler.patterns.translate import PatternError
from toolgen_runtime.schema.keywords import LIMITS, MULTIPLE_OF, limits_of
from toolgen_runtime.validation.formats.samples import FORMAT_SAMPLES

if TYPE_CHECKING:
    from toolgen_runtime.schema.keywords import Kind

MAX_SAMPLE_LENGTH: Final = 2_000
"""The maximum length of a text or list that is made for a limit."""
MAX_MULTIPLES: Final = 20
"""The maximum number of `multipleOf` values for which numbers are made."""
_PREFERRED: Final = "aA0 -_.@/:,#b1"
_MOST: Final = 6


@lru_cache(maxsize=1_000)
def of_pattern(pattern: str, most: int = _MOST) -> tuple[str, ...]:
    """Return a few texts that may match an ECMA-262 pattern. Lookarounds are ignored."""
    try:
        return tuple(dict.fromkeys(islice(_texts(tree_of(pattern)), most)))
    except (PatternError, RecursionError):
        return ()


def _texts(node: Node) -> Iterable[str]:
    match node:
        case Chars():
            return _characters(node)
        case Sequence(items):
            parts = [list(islice(_texts(item), 3)) for item in items]
            return ("".join(words) for words in islice(product(*parts), _MOST))
        case Choice(options):
            return (text for option in options for text in islice(_texts(option), 2))
        case Repeat(body, low, high):
            counts = dict.fromkeys((max(low, 1) if high != 0 else 0, low, low + 1 if high is None else high))
            bodies = list(islice(_texts(body), 2))
            return (text * min(count, 1_000) for count in counts for text in bodies)
        case Group(body):
            return _texts(body)
        case Look() | Anchor() | Backreference():
            return [""]


def _characters(chars: Chars) -> list[str]:
    if chars.properties:
        return ["a", "0"]

    def is_in(code: int) -> bool:
        return any(low <= code <= high for low, high in chars.ranges) != chars.negated

    found = [c for c in _PREFERRED if is_in(ord(c))]
    if chars.ranges and not chars.negated:
        last = chars.ranges[-1][1]
    else:
        last = 0
    if found and 0 < last < 0x7F:  # another pattern's range may end before it
        found.insert(1, chr(last))
    if not found and not chars.negated and chars.ranges:
        found = [chr(chars.ranges[0][0])]
    return found or ["~"]


def counts(together: Conjunction, kind: Kind) -> list[int]:
    """Return the limits on the length of a value, and the numbers just below and above them."""
    held = [v for row in limits_of(kind) for v in together.held(row.name)]
    found = {int(v) + d for v in held for d in (-1, 0, 1)}
    return sorted(count for count in found if 0 <= count <= MAX_SAMPLE_LENGTH)


def of_type(name: str, old: Conjunction, new: Conjunction) -> Iterator[Any]:
    """Yield sample values of a type other than object and array, starting with a simple one."""
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
    """Return the values, starting with those that satisfy the old side's own assertions."""
    asked = [(row.name, limit) for row, limit in old.limits]
    asked += [pair for schema in old for pair in schema.assertions.items() if pair[0] not in LIMITS]
    return sorted(values, key=lambda value: not all(takes(word, held, value) for word, held in asked))


def _as(name: str, value: Fraction) -> int | float:
    if name == "integer":
        return int(value)
    if value.denominator != 1:
        return float(value)
    return float(value) + 0.25


def _numbers(old: Conjunction, new: Conjunction) -> Iterator[Fraction]:
    both = Conjunction.of((*old, *new))
    steps = [Fraction(str(step)) for step in both.held("multipleOf")[:MAX_MULTIPLES]]
    bounds = [
        Fraction(str(v))
        for row in limits_of("number")
        if row.comparison is not MULTIPLE_OF
        for v in both.held(row.name)
    ]
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
        texts += of_pattern(pattern)
    for form in both.held("format"):
        texts += FORMAT_SAMPLES.get(form, ())
    for length in counts(both, "string"):
        texts += [_resized(text, length) for text in texts[:8]]
    yield from texts
    yield from ("A b", "0", "\u00e9", "\n")


def _resized(text: str, length: int) -> str:
    if len(text) >= length:
        return text[:length]
    return text + (text[-1:] or "a") * (length - len(text))
