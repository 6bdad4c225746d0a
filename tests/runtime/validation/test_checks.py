"""The helpers that generated checks call, by tables and against oracles of another make."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from typing import Any

import pytest
from helpers.support import cases_of, same_json
from hypothesis import example, given, strategies as st

from toolgen.compiler.codegen.module import HELPERS
from toolgen_runtime import ValidationIssue
from toolgen_runtime.validation.helpers import (
    any_of,
    equal,
    is_integer,
    is_number,
    one_of,
    remember,
    under,
)
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

EQUAL: list[tuple[Any, Any]] = [
    *((1, 1.0), (0, -0.0), ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}), ([], []), ({}, {}), (2**70, 2.0**70)),
    *(
        (1e308, int(1e308)),
        ({"a": [0.0]}, {"a": [-0]}),
        ([[1.0]], [[1]]),
        ({"a": 1, "b": {}}, {"b": {}, "a": 1.0}),
    ),
    ([{"x": -0.0, "y": 1}] * 2, [{"y": 1.0, "x": 0}] * 2),
]
UNEQUAL: list[tuple[Any, Any]] = [
    *((1, True), (0, False), (None, False), ("1", 1), ([], {}), ([1], [1, 1]), ({"a": 1}, {"b": 1})),
    *(({"a": None}, {}), ([True], [1]), ({"a": 0}, {"a": False}), ("a", ["a"]), ((1,), [1])),
    *((2**53 + 1, float(2**53)), ([[1]], [1]), ("\u00e9", "e\u0301"), (10**400, 10**400 + 1), (NAN, NAN)),
    *(([[]], [{}]), ({"a": 1}, {"a": True}), ([1, 2], [2, 1]), ("\x31", b"1"), (0.1 + 0.2, 0.3), (5e-324, 0)),
    *(({"a": {"b": 1}}, {"a": {"b": 2}}), (INF, -INF)),
]


def test_equal_values(subtests: pytest.Subtests) -> None:
    """Whichever way items are compared: `fill` items of the same kind stand between."""
    for case_1, fill in cases_of([0, 1, 40]):
        for case_2, (left, right) in cases_of(EQUAL):
            with subtests.test(f"{case_1}; {case_2}"):
                assert equal(left, right)
                assert equal(right, left)
                between: list[Any] = [[i] if isinstance(left, list) else i + 7 for i in range(7, 7 + fill)]
                assert duplicate_item([left, *between, right]) == fill + 1


def test_unequal_values(subtests: pytest.Subtests) -> None:
    for case_1, fill in cases_of([0, 40]):
        for case_2, (left, right) in cases_of(UNEQUAL):
            with subtests.test(f"{case_1}; {case_2}"):
                assert not equal(left, right)
                assert not equal(right, left)
                assert duplicate_item([left, *range(7, 7 + fill), right]) is None


@given(json_values, json_values)
def test_equality_is_that_of_json(left: Any, right: Any) -> None:
    assert equal(left, right) == same_json(left, right)
    assert equal(left, json.loads(json.dumps(left)))


@given(st.lists(json_values, max_size=6), st.lists(json_values, max_size=4))
@example([[1, 2], [[1], 2]], [])
@example([{"a": 1, "b": 2}, {"a": 1}, {"a": {"b": 2}}], [])
@example(["a", ["a"], {"a": "a"}, ["a", "a"], {"a": ["a"]}], [])
def test_duplicates_are_equal_items(items: list[Any], more: list[Any]) -> None:
    row = [*items, *more]
    first = next((i for i, item in enumerate(row) if any(same_json(item, row[j]) for j in range(i))), None)
    assert duplicate_item(row) == first
    assert all(equal(items, other) == same_json(items, other) for other in more)


NUMBERS: list[tuple[Any, bool, bool]] = [
    (1, True, True),
    (1.0, True, True),
    (-0.0, True, True),
    (1e300, True, True),
    (1.5, False, True),
    (10**400, True, True),
    *((v, False, False) for v in (True, False, None, "1", NAN, INF, -INF, [], {}, 1j)),
]


@pytest.mark.parametrize(("value", "integer", "number"), NUMBERS)
def test_numbers(value: Any, integer: bool, number: bool) -> None:
    assert is_integer(value) is integer
    assert is_number(value) is number


MULTIPLES: list[tuple[Any, Any, bool]] = [
    *(
        (6, 3, True),
        (7, 3, False),
        (0, 3, True),
        (-6, 3, True),
        (6.0, 3, True),
        (7.5, 2.5, True),
        (7.6, 2.5, False),
    ),
    *(
        (0.0075, 0.0001, True),
        (0.00751, 0.0001, False),
        (4.35, 0.01, True),
        (1.1, 0.1, True),
        (0.3, 0.1, True),
    ),
    *((1e308, 0.5, True), (1e308, 0.123456789, False), (10**400, 0.5, True), (10**400 + 1, 2, False)),
    *(
        (1, 1e-300, True),
        (5e-324, 1e-300, False),
        (3, 10**4000, False),
        (1.5, 10**4000, False),
        (0, 10**4000, True),
    ),
    *((NAN, 1.5, False), (INF, 1, False), (-INF, 1.5, False), (12391239123, 1e-8, True)),
]


def test_multiples(subtests: pytest.Subtests) -> None:
    for case, (value, divisor, holds) in cases_of(MULTIPLES):
        with subtests.test(case):
            assert is_multiple(value, divisor) is holds


def neighbours(places: int) -> list[float]:
    """Return multiples of a power of ten, about where floats stop having 15 digits, and the floats beside them."""
    whole = [10**size + last for size in (0, 1, 7, 14, 15, 16, 22) for last in (-1, 0, 1, 5)]
    exact = [float(Fraction(n, 10**places)) for n in whole]
    return [x for e in exact for x in (e, -e, math.nextafter(e, math.inf), math.nextafter(e, 0.0))]


@pytest.mark.parametrize("divisor", [1, 5, 0.5, 0.01, 0.05, 2.5, 0.3, 1e-7, 1e-22, 1e-23, 1e15, 1e22, 10**30])
def test_floats_beside_multiples_are_told_apart(divisor: float) -> None:
    for value in (each for places in (0, 1, 2, 3, 8, 22) for each in neighbours(places)):
        exact = Fraction(repr(value)) / Fraction(repr(divisor))
        assert is_multiple(value, divisor) is (exact.denominator == 1), (value, divisor)


finite = st.integers(-(10**6), 10**6) | st.decimals(-1000, 1000, places=3).map(float)


@given(finite, finite.filter(lambda n: n > 0))
def test_multiples_are_those_of_the_decimals_that_were_written(value: float, divisor: float) -> None:
    quotient = Fraction(Decimal(repr(value))) / Fraction(Decimal(repr(divisor)))
    assert is_multiple(value, divisor) == (quotient.denominator == 1)


def issues(*places: tuple[tuple[str | int, ...], str]) -> list[ValidationIssue]:
    return [ValidationIssue(path, constraint) for path, constraint in places]


def test_issues_from_further_up() -> None:
    assert under(("a", 1), issues(((), "type"), (("b",), "enum"))) == issues(
        (("a", 1), "type"), (("a", 1, "b"), "enum")
    )


TRIED: list[tuple[str, list[list[ValidationIssue]], int]] = [
    ("fewest", [issues((("a",), "type"), (("b",), "type")), issues((("c",), "type"))], 1),
    ("shallowest", [issues((("a", "b"), "type")), issues((("c",), "type"))], 1),
    ("equal in what is wrong", [issues((("a",), "type")), issues((("a",), "type"))], 0),
    ("not another type", [issues(((), "type")), issues((("a",), "type"), (("b",), "type"))], 1),
    ("not another tag", [issues((("k",), "const")), issues((("a",), "type"), (("b",), "type"))], 1),
]


@pytest.mark.parametrize(("branches", "meant"), [case[1:] for case in TRIED], ids=[case[0] for case in TRIED])
def test_the_branch_that_was_meant(branches: list[list[ValidationIssue]], meant: int) -> None:
    checks = [lambda _, found=found: found for found in branches]
    assert any_of(1, checks) == branches[meant]
    assert one_of(1, checks, range(9)[: len(checks)]) == branches[meant]
    assert any_of(1, [*checks, lambda _: []]) == []
    assert one_of(1, [*checks, lambda _: []], ["x", "y", "z"]) == []
    (both,) = one_of(1, [lambda _: [], checks[0], lambda _: []], ["x", "y", "z"])
    assert (both.path, both.constraint, both.expected, both.got) == ((), "oneOf", ("x", "z"), 1)


def test_branches_that_are_equal_are_all_described() -> None:
    shared = ValidationIssue(("id",), "type", "string", 5)
    found = [
        [shared, ValidationIssue(("o", "w"), "required", True), ValidationIssue(("h",), "required", True)],
        [
            shared,
            ValidationIssue(("o", 0), "enum", ("a", "b"), "c"),
            ValidationIssue(("x",), "required", True),
        ],
    ]
    checks = [lambda _, own=own: own for own in found]
    forms = (
        {"properties": {"o": {"required": ["w"]}}, "required": ["h"]},
        {"properties": {"o": {"items": {"enum": ["a", "b"]}}}, "required": ["x"]},
    )
    assert one_of(1, checks, (0, 1)) == [shared, ValidationIssue((), "oneOf", forms, 1)]


def test_a_remembered_check_looks_once() -> None:
    looked: list[Any] = []

    def inner(value: Any) -> list[ValidationIssue]:
        looked.append(value)
        return issues(((), "type"))

    def outer(value: Any) -> list[ValidationIssue]:
        return [*remember(inner, value["a"]), *remember(inner, value["a"]), *remember(inner, value["b"])]

    payload = {"a": [1], "b": [1]}
    assert remember(outer, payload) == issues(((), "type"))
    assert looked == [[1], [1]], "once for each part, equal parts or not"
    remember(outer, payload)
    assert len(looked) == 4, "nothing is remembered from one call to the next"
    assert remember(inner, 5) == issues(((), "type"))


def test_what_generated_code_may_import_is_there(subtests: pytest.Subtests) -> None:
    for case, helper in cases_of(HELPERS):
        with subtests.test(case):
            assert hasattr(import_module(HELPERS[helper]), helper)
