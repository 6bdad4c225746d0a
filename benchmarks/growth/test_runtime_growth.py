"""Checks, hints and repairs take work in proportion to what was sent: rows of docs/limits.md, "At run time"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from counting import lines
from growing_specs import DOUBLING
from helpers.nests import arrays, objects
from helpers.support import tool_of
from hostile_shapes import COLLIDING

from toolgen_runtime import build_hint, repair
from toolgen_runtime.hints import diagnose
from toolgen_runtime.validation import helpers
from toolgen_runtime.validation.unique_items import duplicate_item

SPARE = 700
"""Lines of Python beyond proportion that a doubled payload may take."""


@pytest.mark.parametrize("shape", COLLIDING)
def test_unique_items_takes_work_in_proportion(shape: str) -> None:
    once, twice = (lines(duplicate_item, [None, *COLLIDING[shape](n)]) for n in (300, 600))
    assert twice <= 2 * once + SPARE, (once, twice)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("unevaluatedProperties", lambda n: objects(n, {"a": 1})),
        ("unevaluatedItems, in branches", lambda n: arrays(n, 5)),
    ],
)
def test_issues_of_doubling_definitions_are_copied_so_often_and_no_more(
    name: str, make: Callable[[int], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each definition meets each level, and has the issues of all levels below."""
    monkeypatch.setattr(helpers, "MAX_REMEMBERED", 1_000)  # as if both were larger

    def work(size: int) -> int:
        tool, payload = tool_of(DOUBLING[name](size)), make(size)
        assert tool.validate(payload)
        return lines(tool.validate, payload, calls=1)

    work(2)
    assert work(24) < 6 * work(12)


def wide(n: int) -> tuple[Any, Any]:
    names = [f"prop_{i}" for i in range(n)]
    schema = {
        "type": "object",
        "properties": {name: {"type": "integer"} for name in names},
        "required": names,
    }
    return schema | {"additionalProperties": False}, {f"porp_{i}": 1 for i in range(n)}


def many_values(n: int) -> tuple[Any, Any]:
    values = [f"value_{i}" for i in range(10 * n)]
    return {"type": "array", "items": {"enum": values}}, [f"vaule_{i}" for i in range(n)]


@pytest.mark.parametrize("shape", [wide, many_values])
def test_advice_takes_work_in_proportion(
    shape: Callable[[int], tuple[Any, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnose, "MAX_COMPARISONS", 2_500)  # as if both were larger
    counts = []
    for n in (90, 180) if shape is wide else (40, 80):
        schema, payload = shape(n)
        tool = tool_of(schema)
        found = tool.validate(payload)
        counts.append(lines(lambda given: build_hint(tool, found, payload=given).render(), payload))  # noqa: B023
    assert counts[1] <= 2.2 * counts[0] + SPARE, counts


ROW = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "name": {"enum": ["alpha", "beta"]}},
    "required": ["id", "name"],
    "additionalProperties": False,
}


NAMES = [f"k{i}" for i in range(400)]


TOO_MANY: dict[str, tuple[Any, Callable[[int], Any], int]] = {
    "items": ({"maxItems": 9, "items": {"type": "integer"}}, lambda n: ["x"] * n, 1),
    "rows": ({"maxItems": 9, "items": ROW}, lambda n: [{"idd": i, "nam": "alpah"} for i in range(n)], 4),
    "members": (
        {"maxProperties": 9, "additionalProperties": {"type": "integer"}},
        lambda n: dict.fromkeys(NAMES[:n]),
        1,
    ),
    "names": (
        {"maxProperties": 9, "propertyNames": {"pattern": "^a"}},
        lambda n: dict.fromkeys(NAMES[:n]),
        1,
    ),
    "unknown": ({"maxProperties": 9, "additionalProperties": False}, lambda n: dict.fromkeys(NAMES[:n]), 1),
    "branches": (
        {"maxItems": 9, "items": {"anyOf": [{"type": "integer"}, ROW]}},
        lambda n: [{"id": "x"}] * n,
        2,
    ),
}
"""Schemas, payloads that have too many of something, and how many issues each of them has besides."""


@pytest.mark.parametrize("shape", TOO_MANY)
def test_all_issues_of_what_is_too_long_are_listed_in_proportion(shape: str) -> None:
    """The list is complete, also where one issue alone would do; a hint looks at each once, and reads 1,000."""
    schema, payload, each = TOO_MANY[shape]
    tool = tool_of(schema)
    assert len(tool.validate(payload(400))) == 400 * each + 1
    checks = [lines(tool.validate, payload(n)) for n in (100, 200)]
    assert checks[1] <= 2 * checks[0] + SPARE, checks

    def hint(n: int) -> int:
        issues = tool.validate(payload(n))
        return lines(lambda given: build_hint(tool, issues, payload=given).render(), payload(n), calls=1)

    hint(2)
    hints = [hint(n) for n in (60, 120)]
    assert hints[1] <= 2.1 * hints[0] + SPARE, hints
    repairs = [lines(lambda given: repair(tool, given), payload(n), calls=1) for n in (60, 120)]
    assert repairs[1] <= 2.1 * repairs[0] + SPARE, repairs
