"""The helpers that generated checks call, by tables and against oracles of another make."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

from helpers.support import for_each, same_json, tool_of
from hypothesis import example, given, strategies as st

from toolgen_runtime import ValidationIssue
from toolgen_runtime.validation.helpers import equal, remember
from toolgen_runtime.validation.multiples import is_multiple
from toolgen_runtime.validation.unique_items import duplicate_item

NAN, INF = float("nan"), float("inf")
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from((0.0, 1.0, -1.0, 0.5, "", "a", "1", -0.0))
)
json_values: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.sampled_from("ab1"), v, max_size=3)
)

VALUES: list[Any] = [
    *(None, True, False, 0, -0.0, 1, 1.0, 2**53 + 1, float(2**53), 2**70, 2.0**70, 1e308, int(1e308), 10**400),
    *(10**400 + 1, 0.1 + 0.2, 0.3, 5e-324, NAN, INF, -INF, "1", "a", "\u00e9", "e\u0301", b"1", (1,)),
    *([], {}, [1], [True], [1.0], [1, 1], [1, 2], [2, 1], ["a"], [[]], [{}], [[1]], [[1.0]], {"a": 1}, {"b": 1}),
    *({"a": None}, {"a": 0}, {"a": False}, {"a": True}, {"a": [0.0]}, {"a": [-0]}, {"a": {"b": 1}}, {"a": {"b": 2}}),
    *({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, {"a": 1, "b": {}}, {"b": {}, "a": 1.0}, [{"x": -0.0, "y": 1}] * 2),
    [{"y": 1.0, "x": 0}] * 2,
]  # fmt: skip


@for_each([0, 1, 40])
def test_equality_is_that_of_json(fill: int) -> None:
    """Whichever way items are compared: `fill` items of the same kind stand between."""
    for left, right in product(VALUES, repeat=2):
        same = same_json(left, right)
        assert equal(left, right) is same, (left, right)
        between = [[i] if isinstance(left, list) else i for i in range(7, 7 + fill)]
        assert duplicate_item([left, *between, right]) == (fill + 1 if same else None), (left, right)


@given(st.lists(json_values, max_size=6), st.lists(json_values, max_size=4))
@example([[1, 2], [[1], 2]], [])
@example([{"a": 1, "b": 2}, {"a": 1}, {"a": {"b": 2}}], [])
@example(["a", ["a"], {"a": "a"}, ["a", "a"], {"a": ["a"]}], [])
def test_duplicates_are_equal_items(items: list[Any], more: list[Any]) -> None:
    row = [*items, *more]
    first = next((i for i, item in enumerate(row) if any(same_json(item, row[j]) for j in range(i))), None)
    assert duplicate_item(row) == first
    assert all(equal(items, other) == same_json(items, other) for other in more)


INTEGER, NUMBER = tool_of({"type": "integer"}), tool_of({"type": "number"})


@for_each(
    [
        *((v, True, True) for v in (1, 1.0, -0.0, 1e300, 10**400)),
        (1.5, False, True),
        *((v, False, False) for v in (True, False, None, "1", NAN, INF, -INF, [], {}, 1j)),
    ]
)
def test_numbers(value: Any, integer: bool, number: bool) -> None:
    assert (INTEGER.validate(value) == []) is integer
    assert (NUMBER.validate(value) == []) is number


def is_exact_multiple(value: float, divisor: float) -> bool:
    """Return whether the decimals that were written divide."""
    return (Fraction(Decimal(repr(value))) / Fraction(Decimal(repr(divisor)))).denominator == 1


def neighbours(places: int) -> list[float]:
    """Return multiples of a power of ten, about where floats stop having 15 digits, and the floats beside them."""
    whole = [10**size + last for size in (0, 1, 7, 14, 15, 16, 22) for last in (-1, 0, 1, 5)]
    exact = [float(Fraction(n, 10**places)) for n in whole]
    return [x for e in exact for x in (e, -e, math.nextafter(e, math.inf), math.nextafter(e, 0.0))]


EXTREMES = [0, 3, -6, 1.5, 4.35, 0.00751, 1e308, 5e-324, 10**400, 10**400 + 1, 12391239123]


@for_each(
    [
        1,
        2,
        5,
        0.5,
        0.01,
        0.05,
        2.5,
        0.3,
        0.123456789,
        1e-4,
        1e-7,
        1e-8,
        1e-22,
        1e-23,
        1e-300,
        1e15,
        1e22,
        10**4000,
    ]
)
def test_numbers_beside_multiples_are_told_apart(divisor: float) -> None:
    for value in [*EXTREMES, *(each for places in (0, 1, 2, 3, 8, 22) for each in neighbours(places))]:
        assert is_multiple(value, divisor) is is_exact_multiple(value, divisor), (value, divisor)
    assert not any(is_multiple(value, divisor) for value in (NAN, INF, -INF))


finite = st.integers(-(10**6), 10**6) | st.decimals(-1000, 1000, places=3).map(float)


@given(finite, finite.filter(lambda n: n > 0))
def test_multiples_are_those_of_the_decimals_that_were_written(value: float, divisor: float) -> None:
    assert is_multiple(value, divisor) is is_exact_multiple(value, divisor)


def test_a_remembered_check_looks_once() -> None:
    looked: list[Any] = []
    issues = [ValidationIssue((), "type")]

    def inner(value: Any) -> list[ValidationIssue]:
        looked.append(value)
        return issues

    def outer(value: Any) -> list[ValidationIssue]:
        return [*remember(inner, value["a"]), *remember(inner, value["a"]), *remember(inner, value["b"])]

    payload = {"a": [1], "b": [1]}
    assert remember(outer, payload) == issues
    assert looked == [[1], [1]], "once for each part, equal parts or not"
    remember(outer, payload)
    assert len(looked) == 4, "nothing is remembered from one call to the next"
    assert remember(inner, 5) == issues
