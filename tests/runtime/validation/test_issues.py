"""`ValidationIssue` and `InvalidPayload`: paths, field forms, plain values, and the order of the list."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.support import TEXT, WHOLE, JsonObject, for_each, found, obj, tool_of
from hypothesis import given, strategies as st

from toolgen_runtime import MISSING, InvalidPayload, ValidationIssue
from toolgen_runtime.validation.issues import Missing, field_of

Steps = tuple[str | int, ...]
FIELDS: list[tuple[Steps, str]] = [
    ((), ""),
    (("a",), "a"),
    (("parent", "child"), "parent.child"),
    (("rows", 3, "qty"), "rows[3].qty"),
    ((0, 1), "[0][1]"),
    ((0, "a"), "[0].a"),
    (("odd.key",), '["odd.key"]'),
    (("a", "odd.key", "b"), 'a["odd.key"].b'),
    (("",), '[""]'),
    (("a b",), '["a b"]'),
    (('"',), r'["\""]'),
    (("a\nb",), r'["a\nb"]'),
    (("3",), "3"),
    (("rows", "3"), "rows.3"),
    (("$ref", "a-b", "c_d"), "$ref.a-b.c_d"),
    (("stra\u00dfe",), "stra\u00dfe"),
    (("[0]",), '["[0]"]'),
]


@for_each(FIELDS)
def test_fields_are_dotted_paths(path: Steps, field: str) -> None:
    assert field_of(path) == field
    assert ValidationIssue(path, "type").field == field


paths = st.lists(st.text(max_size=4) | st.integers(0, 20), max_size=4).map(tuple)


@given(paths, paths)
def test_two_paths_never_share_a_field(one: Steps, other: Steps) -> None:
    assert (field_of(one) == field_of(other)) == (one == other)


def test_issues_as_plain_values() -> None:
    issue = ValidationIssue(("a", 0), "enum", ("x", "y"), {"k": None})
    assert issue.to_dict() == {
        "path": ["a", 0],
        "field": "a[0]",
        "constraint": "enum",
        "expected": ["x", "y"],
        "got": {"k": None},
    }
    assert json.loads(json.dumps(issue.to_dict())) == issue.to_dict()
    assert "got" not in ValidationIssue(("a",), "required", True).to_dict()
    assert ValidationIssue((), "type", "object", None).to_dict()["got"] is None


@for_each(["path", "field", "constraint", "expected", "got", "other"])
def test_issues_are_frozen(name: str) -> None:
    issue = ValidationIssue(("a",), "type", "string", 5)
    with pytest.raises(AttributeError):
        setattr(issue, name, 1)
    with pytest.raises(AttributeError):
        delattr(issue, name)
    assert not hasattr(issue, "__dict__")


def test_nothing_is_not_null() -> None:
    assert not MISSING
    assert isinstance(MISSING, Missing)
    (issue,) = tool_of({"required": ["a"]}).validate({})
    assert issue.got is MISSING
    (issue,) = tool_of({"properties": {"a": TEXT}}).validate({"a": None})
    assert issue.got is None


def test_got_is_the_value_itself() -> None:
    value = {"a": [1]}
    (issue,) = tool_of({"properties": {"v": TEXT}}).validate({"v": value})
    assert issue.got is value


ORDERED = obj(
    "c",
    "z",
    closed=True,
    b={"type": "string", "minLength": 3, "pattern": "^x"},
    a={
        "type": "array",
        "items": {"type": "object", "required": ["n"], "properties": {"m": {"type": "null"}}},
    },
    c=WHOLE,
)


WORDS = {"type": "array", "items": {"type": ["string", "null"]}}
ROW = obj(words=WORDS)
WRONG_ITEMS: list[tuple[JsonObject, Any, list[Steps]]] = [
    (WORDS, ["a", 1, None, True], [(1,), (3,)]),
    ({"type": "array", "items": WORDS}, [["a"], [1, "b", 2], [3]], [(1, 0), (1, 2), (2, 0)]),
    (
        {"type": "array", "items": ROW},
        [{"words": [1]}, {}, {"words": ["a", 2]}],
        [(0, "words", 0), (2, "words", 1)],
    ),
    ({"additionalProperties": WORDS}, {"x": ["a", 1], "y": [2]}, [("x", 1), ("y", 0)]),
    (
        {"properties": {"rows": {"type": "array", "items": {"type": "array", "items": ROW}}}},
        {"rows": [[{"words": []}], [{"words": ["a", "b", 1]}]]},
        [("rows", 1, 0, "words", 2)],
    ),
]


@for_each(WRONG_ITEMS)
def test_each_wrong_item_has_its_own_path(schema: JsonObject, payload: Any, paths: list[Steps]) -> None:
    issues = tool_of(schema).validate(payload)
    assert [(issue.path, issue.constraint, issue.expected) for issue in issues] == [
        (path, "type", ("string", "null")) for path in paths
    ]


def test_issues_come_in_the_order_of_the_schema() -> None:
    payload = {"y": 1, "a": [{"m": 1}, {"n": 1}, 5], "b": "ab"}
    assert found(ORDERED, payload) == [
        (("b",), "minLength"),
        (("b",), "pattern"),
        (("a", 0, "m"), "type"),
        (("a", 0, "n"), "required"),
        (("a", 2), "type"),
        (("c",), "required"),
        (("z",), "required"),
        (("y",), "additionalProperties"),
    ]
    again = {key: payload[key] for key in reversed(list(payload))}
    assert found(ORDERED, again) == found(ORDERED, payload)


def test_the_twin_raises_with_the_same_list() -> None:
    tool = tool_of(ORDERED)
    with pytest.raises(InvalidPayload) as failure:
        tool.parse({"y": 1})
    error = failure.value
    assert error.issues() == tool.validate({"y": 1})
    error.issues().clear()
    assert len(error.issues()) == 3
    assert str(error) == "t: c breaks required (+2 more)"
    assert str(InvalidPayload("t", ())) == "t: invalid payload"
    assert str(InvalidPayload("t", error.issues()[:2])) == "t: c breaks required (+1 more)"
    assert isinstance(error, ValueError)
